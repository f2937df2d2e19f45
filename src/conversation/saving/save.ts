/** Validates save requests and runs a SavePlan under the chat's lock. */
import { v7 as newId } from 'uuid';
import { checkName, checkOptionalName, MAX_MESSAGES_PER_SAVE } from '../bounds.js';
import { checkTarget, requireTip, tipOf } from '../branches/branches.js';
import type { ChatChange } from '../change.js';
import { changeChat, checkNewFields, creating, type NewChatFields } from '../chats.js';
import { isSameMessage, readContent, type MessageContent } from './content.js';
import { AlreadyExistsError, InvalidInputError } from '../errors.js';
import { InputChecks } from '../input-problems.js';
import { belongsElsewhere, isForeignChatVisible, requireMessage } from '../messages.js';
import type { ConflictPolicy, Message, Viewer } from '../model.js';
import { SavePlan, type PlannedMessage, type SaveOptions, type SaveOutcome } from './save-plan.js';
import { namedSources, SaveSources } from './sources.js';
import type { ConversationStore, LockedChat } from '../store.js';
import { pickColumns, SAVED_MESSAGE_COLUMNS } from '../tables.js';

export interface NewMessage {
  /** Chosen by the client, or generated. Not together with lazyId. */
  id?: string | null | undefined;
  /** LAST_ASSISTANT: the newest assistant message saved before it in this save, else on the branch, else a new id. */
  lazyId?: 'LAST_ASSISTANT' | null | undefined;
  name: string;
  /** "message" by default. */
  type?: string | undefined;
  content: MessageContent;
  /**
   * At most 16 other messages that it draws on besides its parent: of the chat, or earlier ones of this save. A saved message with
   * other sources is edited. Undefined: none for a new message, and unchanged for a saved one.
   */
  sourceIds?: readonly string[] | null | undefined;
}

export interface SaveRequest {
  chatId: string;
  /** Creates a missing chat, in the same transaction. An existing chat is unchanged. */
  createChat?: NewChatFields | null | undefined;
  /** The name of the branch: the active one by default. */
  branch?: string | null | undefined;
  branchId?: string | null | undefined;
  /**
   * The parent of the first message, instead of the branch's head, null for a new root: unless it is the head, a new active
   * branch begins there. Not together with expectedHeadId.
   */
  parentId?: string | null | undefined;
  branchName?: string | null | undefined;
  /** 1 to 500. */
  messages: readonly NewMessage[];
  /** The head the client last saw, null for an empty branch; undefined: append to any head. */
  expectedHeadId?: string | null | undefined;
  /** REJECT by default. */
  onConflict?: ConflictPolicy | undefined;
}

/**
 * Appends messages to a branch, each the parent of the next, and moves its head, all or nothing.
 * @throws InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError, HeadConflictError
 */
export async function saveMessages(
  store: ConversationStore,
  viewer: Viewer,
  request: SaveRequest,
): Promise<SaveOutcome> {
  const { chatId, createChat, parentId, expectedHeadId, onConflict } = request;
  const checks = new InputChecks();
  if (createChat != null) checks.run(checkNewFields, createChat, 'createChat.');
  const branch = checks.run(checkTarget, request);
  const inputs = checks.run(readInputs, request.messages, 'messages', 1);
  if (parentId !== undefined) checks.run(checkParent, request);
  const branchName = checks.run(checkOptionalName, request.branchName, 'branchName');
  checks.end();
  let sources: SaveSources | undefined;
  const save = async (locked: LockedChat, change: ChatChange) => {
    const target = await requireTip(locked, branch);
    const known = await knownMessages(locked, viewer, request.messages);
    const plan = new SavePlan(locked, change, viewer, target, known, {
      expectedHeadId,
      onConflict,
      parent: parentId == null ? parentId : await requireMessage(locked, viewer, parentId),
      branchName,
      sources: () => (sources ??= new SaveSources(locked, viewer, inputs)),
    });
    for (const input of inputs) {
      await locked.yieldIfDue();
      await plan.add(input);
    }
    return plan.finish();
  };
  const newChat = createChat == null ? undefined : await creating(store, viewer, chatId, createChat);
  return changeChat(store, viewer, chatId, 'COMMENTER', save, { tipOf: tipOf(branch), newChat });
}

/** @throws InvalidInputError */
function checkParent(request: SaveRequest): void {
  const { parentId, messages } = request;
  checkPlace(request);
  if (parentId != null && messages[0]?.id === parentId) throw ownParent(parentId, 'at.message');
}

/** @throws InvalidInputError for both a parent and an expected head */
export function checkPlace({ parentId, expectedHeadId }: Pick<SaveRequest, 'parentId' | 'expectedHeadId'>): void {
  if (parentId === undefined || expectedHeadId === undefined) return;
  throw new InvalidInputError('at cannot be given together with expectedHead', 'at');
}

export interface EditRequest {
  chatId: string;
  messageId: string;
  content: MessageContent;
  /** The id of the new version; generated by default. A retry with the same id and content writes nothing. */
  id?: string | null | undefined;
  branchName?: string | null | undefined;
  /** The head of the active branch that the client last saw, null for an empty one; undefined: any head. */
  expectedHeadId?: string | null | undefined;
}

/**
 * Saves another version of a message as its sibling, on a new active branch; a root gets a second root.
 * @throws InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError, HeadConflictError
 */
export function editMessage(store: ConversationStore, viewer: Viewer, request: EditRequest): Promise<SaveOutcome> {
  const checks = new InputChecks();
  const dataFor = checks.run(readContent, request.content, 'content');
  const id = checks.run(checkOptionalName, request.id, 'id');
  const branchName = checks.run(checkOptionalName, request.branchName, 'branchName');
  checks.end();
  const { expectedHeadId } = request;
  const options: SaveOptions = { expectedHeadId, branchName };
  return changeChat(store, viewer, request.chatId, 'COMMENTER', async (locked, change) => {
    const original = await requireMessage(locked, viewer, request.messageId);
    const known = await knownMessages(locked, viewer, [{ id }]);
    const there = id === null ? undefined : known.get(id);
    known.set(original.id, original);
    const plan = new SavePlan(locked, change, viewer, await locked.activeBranch(), known, options);
    const input = { ...pickColumns(original, SAVED_MESSAGE_COLUMNS), dataFor };
    if (id === null) await plan.add({ id: original.id, ...input });
    else if (there === undefined) await plan.addVersion(original, input, id);
    else if (there.parentId === original.parentId && isSameMessage(there, input)) await plan.add({ id, ...input });
    else throw new AlreadyExistsError(`Message "${id}" already exists`);
    return plan.finish();
  });
}

/**
 * Checks messages to save.
 * @param list the path of the messages in the input, for errors
 * @param atLeast the minimum number of messages
 * @throws InvalidInputError
 */
export function readInputs(messages: readonly NewMessage[], list: string, atLeast: number): PlannedMessage[] {
  if (messages.length < atLeast || messages.length > MAX_MESSAGES_PER_SAVE) {
    throw new InvalidInputError(
      `${list} must have ${atLeast} to ${MAX_MESSAGES_PER_SAVE} elements, not ${messages.length}`,
      list,
    );
  }
  const checks = new InputChecks();
  const sources = checks.run(namedSources, messages, list) as ReturnType<typeof namedSources> | undefined;
  const places = new Map<string, number>();
  const inputs: PlannedMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const path = `${list}.${index}`;
    inputs.push({
      id: checks.run(readId, message, list, index, places),
      name: checks.run(checkName, message.name, `${path}.name`),
      type: checks.run(checkName, message.type ?? 'message', `${path}.type`),
      dataFor: checks.run(readContent, message.content, `${path}.content`),
      sources: sources?.[index],
    });
  }
  checks.end();
  return inputs;
}

/** @param places the index of each earlier id */
function readId({ id: given, lazyId }: NewMessage, list: string, index: number, places: Map<string, number>) {
  const path = `${list}.${index}.id`;
  const id = checkOptionalName(given, path);
  if (id === null) return lazyId == null ? newId() : null;
  if (lazyId != null) {
    const other = `${list}.${index}.lazyId`;
    throw new InvalidInputError(`${other} cannot be given together with id`, other);
  }
  const earlier = places.get(id);
  // Each saved message is the parent of the next.
  if (list === 'messages' && earlier === index - 1) throw ownParent(id, path);
  if (earlier !== undefined) throw new InvalidInputError(`${path} is the same as ${list}.${earlier}.id: "${id}"`, path);
  places.set(id, index);
  return id;
}

const ownParent = (id: string, path: string) => new InvalidInputError(`Message ${id} cannot be its own parent`, path);

/**
 * The messages of inputs that already exist in the chat, by id.
 * @throws AlreadyExistsError when one is in another chat
 */
export async function knownMessages(
  locked: LockedChat,
  viewer: Viewer,
  messages: readonly Pick<NewMessage, 'id'>[],
): Promise<Map<string, Message>> {
  const ids: string[] = [];
  for (const { id } of messages) if (id != null) ids.push(id);
  if (ids.length === 0) return new Map();
  const known = await locked.takenBy(ids);
  for (const { id, chatId } of known.values()) {
    if (chatId !== locked.chat.id) throw await takenElsewhere(locked, viewer, id, chatId);
  }
  for (const [id, chatId] of await locked.reserveIds(ids)) throw await takenElsewhere(locked, viewer, id, chatId);
  return known;
}

async function takenElsewhere(
  locked: LockedChat,
  viewer: Viewer,
  id: string,
  chatId: string,
): Promise<AlreadyExistsError> {
  const isVisible = await isForeignChatVisible(locked, viewer, chatId);
  return new AlreadyExistsError(isVisible ? belongsElsewhere(id) : `Message "${id}" already exists`);
}
