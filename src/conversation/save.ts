/** Saving messages: the requests, checked, and handed to a SavePlan under the chat's lock. */
import { v7 as newId } from 'uuid';
import { checkName, checkOptionalName, MAX_MESSAGES_PER_SAVE } from './bounds.js';
import { requireTip } from './branches.js';
import { changeChat } from './chats.js';
import { readContent, type MessageContent } from './content.js';
import { AlreadyExistsError, InvalidInputError } from './errors.js';
import { belongsElsewhere, isForeignChatVisible, requireMessage } from './messages.js';
import type { Message, Viewer } from './model.js';
import { SavePlan, type ConflictPolicy, type PlannedDraft, type SaveOutcome } from './save-plan.js';
import type { ConversationStore, LockedChat } from './store.js';

export interface NewMessage {
  /** Chosen by the client, or generated. Not together with lazyId. */
  id?: string | null | undefined;
  /** LAST_ASSISTANT: the newest assistant message saved before it in this save, else on the branch, else a new id. */
  lazyId?: 'LAST_ASSISTANT' | null | undefined;
  name: string;
  /** "message" by default. */
  type?: string | undefined;
  content: MessageContent;
}

export interface SaveRequest {
  chatId: string;
  /** The active branch by default. */
  branch?: string | null | undefined;
  /** 1 to 500. */
  messages: readonly NewMessage[];
  /** The head the client last saw, null for an empty branch; undefined: append to whatever is there. */
  expectedHeadId?: string | null | undefined;
  /** REJECT by default. */
  onConflict?: ConflictPolicy | undefined;
}

/**
 * Appends messages to a branch, each the parent of the next, and moves its head, all or nothing.
 * @throws InvalidInputError, NotFoundError, AlreadyExistsError, HeadConflictError
 */
export function saveMessages(store: ConversationStore, viewer: Viewer, request: SaveRequest): Promise<SaveOutcome> {
  const branchName = checkOptionalName(request.branch, 'branch');
  const drafts = readDrafts(request.messages, 'messages', 1);
  return changeChat(store, viewer, request.chatId, async (locked, change) => {
    const target = await requireTip(locked, branchName);
    const known = await knownMessages(locked, viewer, request.messages);
    const plan = new SavePlan(locked, change, viewer, target, known, {
      expectedHeadId: request.expectedHeadId,
      onConflict: request.onConflict ?? 'REJECT',
    });
    for (const draft of drafts) {
      await locked.giveWay();
      await plan.add(draft);
    }
    return plan.finish();
  });
}

/**
 * Saves another version of a message beside it, on a new active branch; a root gets a second root.
 * @throws InvalidInputError, NotFoundError
 */
export function editMessage(
  store: ConversationStore,
  viewer: Viewer,
  request: { chatId: string; messageId: string; content: MessageContent },
): Promise<SaveOutcome> {
  const dataFor = readContent(request.content, 'content');
  return changeChat(store, viewer, request.chatId, async (locked, change) => {
    const original = await requireMessage(locked, viewer, request.messageId);
    const known = new Map([[original.id, original]]);
    const plan = new SavePlan(locked, change, viewer, await locked.activeBranch(), known);
    await plan.add({ id: original.id, name: original.name, type: original.type, dataFor });
    return plan.finish();
  });
}

/**
 * Messages to be saved, their values checked.
 * @param list the path of the messages in the input, for errors
 * @param atLeast how many there must be
 * @throws InvalidInputError
 */
export function readDrafts(messages: readonly NewMessage[], list: string, atLeast: number): PlannedDraft[] {
  if (messages.length < atLeast || messages.length > MAX_MESSAGES_PER_SAVE) {
    throw new InvalidInputError(
      `${list} must have ${atLeast} to ${MAX_MESSAGES_PER_SAVE} elements, not ${messages.length}`,
      list,
    );
  }
  const places = new Map<string, number>();
  return messages.map((message, index) => {
    const path = `${list}.${index}`;
    const id = checkOptionalName(message.id, `${path}.id`);
    if (id !== null) {
      if (message.lazyId != null) {
        throw new InvalidInputError(`${path}.lazyId cannot be given together with id`, `${path}.lazyId`);
      }
      refuseRepeatedId(id, list, places.get(id), index);
      places.set(id, index);
    }
    return {
      id: message.lazyId == null ? (id ?? newId()) : null,
      name: checkName(message.name, `${path}.name`),
      type: checkName(message.type ?? 'message', `${path}.type`),
      dataFor: readContent(message.content, `${path}.content`),
    } satisfies PlannedDraft;
  });
}

function refuseRepeatedId(id: string, list: string, earlier: number | undefined, index: number): void {
  if (earlier === undefined) return;
  const path = `${list}.${index}.id`;
  // Each message that is saved is the parent of the next.
  if (list === 'messages' && earlier === index - 1)
    throw new InvalidInputError(`Message ${id} cannot be its own parent`, path);
  throw new InvalidInputError(`${path} is the same as ${list}.${earlier}.id: "${id}"`, path);
}

/** Those of the messages that are in the chat already, by id. */
async function knownMessages(
  locked: LockedChat,
  viewer: Viewer,
  messages: readonly NewMessage[],
): Promise<Map<string, Message>> {
  const ids = messages.flatMap((message) => message.id ?? []);
  const known = ids.length === 0 ? new Map<string, Message>() : await locked.takenBy(ids);
  for (const message of known.values()) {
    if (message.chatId === locked.chat.id) continue;
    const isVisible = await isForeignChatVisible(locked, viewer, message.chatId);
    throw new AlreadyExistsError(isVisible ? belongsElsewhere(message.id) : `Message "${message.id}" already exists`);
  }
  return known;
}
