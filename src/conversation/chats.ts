/** Creating and changing chats. */
import { v7 as newId } from 'uuid';
import { checkMetadata, checkName, checkOptionalName, isPossibleId } from './bounds.js';
import { NewChat, type ChatChange } from './change.js';
import { requireOwnBranches } from './access/commenting.js';
import { AlreadyExistsError, ForbiddenError, InvalidInputError, NotFoundError } from './errors.js';
import { InputChecks } from './input-problems.js';
import { isJsonObject, mergePatch } from './text/merge-patch.js';
import type { Chat, ChatRole, DeletedChat, Viewer } from './model.js';
import { includesRole, mayAccess, onlyChatOf, roleOf, type ChatAccess } from './access/ownership.js';
import type { ChangeOptions, ConversationStore, LockedChat } from './store.js';

export interface NewChatFields {
  /** The viewer by default; only admins may name another user. */
  userId?: string | null | undefined;
  title?: string | null | undefined;
  /** A JSON object; {} by default. */
  metadata?: unknown;
}

export interface CreateChatRequest extends NewChatFields {
  id?: string | null | undefined;
}

/**
 * Creates a chat with an empty active branch `main`.
 * @throws InvalidInputError, AlreadyExistsError
 */
export async function createChat(store: ConversationStore, viewer: Viewer, request: CreateChatRequest): Promise<Chat> {
  const added = newChat(store, viewer, request);
  if (!(await store.create(added))) throw await takenChat(store, viewer, added.chat.id);
  return added.chat;
}

/**
 * Returns the chat with this id unchanged, or creates it.
 * @throws InvalidInputError; AlreadyExistsError when the id belongs to another user's chat
 */
export async function upsertChat(
  store: ConversationStore,
  viewer: Viewer,
  request: CreateChatRequest,
): Promise<{ chat: Chat; created: boolean }> {
  const existing = await existingChat(store, viewer, request);
  if (existing !== null) return { chat: existing, created: false };
  const added = newChat(store, viewer, request);
  const { id } = added.chat;
  if (await store.create(added)) return { chat: added.chat, created: true };
  const chat = await store.chat(id);
  if (chat !== null && mayAccess(viewer, chat)) return { chat, created: false };
  if (chat !== null || (await store.deletedChat(id)) !== null) throw await takenChat(store, viewer, id);
  // The chat was removed in between: create it after all.
  return upsertChat(store, viewer, request);
}

/** The existing chat of a viewer without the right to create it: a member may name its owner. */
async function existingChat(
  store: ConversationStore,
  viewer: Viewer,
  { id, userId }: CreateChatRequest,
): Promise<Chat | null> {
  const mayCreate = onlyChatOf(viewer) === null && (viewer.isAdmin || userId == null || userId === viewer.userId);
  if (mayCreate || id == null || !isPossibleId(id)) return null;
  const chat = await store.chat(id);
  const isNamed = userId == null || userId === chat?.userId;
  return chat !== null && isNamed && mayAccess(viewer, chat) ? chat : null;
}

/**
 * The option of a change that creates its chat if it is missing, with the rules of upsertChat.
 * @throws InvalidInputError
 */
export async function creating(
  store: ConversationStore,
  viewer: Viewer,
  id: string,
  request: NewChatFields,
): Promise<ChangeOptions['newChat']> {
  if ((await existingChat(store, viewer, { ...request, id })) !== null) return undefined;
  checkName(id, 'chatId');
  const fields = checkNewChat(viewer, { ...request, id }, 'createChat.');
  return () => chatOf(store, viewer, fields);
}

function newChat(store: ConversationStore, viewer: Viewer, request: CreateChatRequest): NewChat {
  return chatOf(store, viewer, checkNewChat(viewer, request, ''));
}

function chatOf(store: ConversationStore, { userId }: Viewer, fields: ReturnType<typeof checkNewChat>): NewChat {
  const now = store.now();
  return new NewChat({ ...fields, createdAt: now, updatedAt: now }, userId, now);
}

/** @param at prefix of the field paths in errors */
function checkNewChat(viewer: Viewer, request: CreateChatRequest, at: string) {
  if (onlyChatOf(viewer) !== null) {
    throw new InvalidInputError('An access token for one chat cannot create chats', null);
  }
  const checks = new InputChecks();
  const id = checks.run(checkOptionalName, request.id, `${at}id`);
  const userId = checks.run(checkOwner, viewer, request.userId, `${at}userId`);
  const fields = checks.run(checkNewFields, request, at);
  checks.end();
  return { id: id ?? newId(), userId, ...fields };
}

/** Checks the fields that need no rights. */
export function checkNewFields(request: NewChatFields, at: string) {
  const checks = new InputChecks();
  const title = checks.run(checkOptionalName, request.title, `${at}title`);
  const metadata = checks.run(checkMetadataObject, request.metadata ?? {}, `${at}metadata`);
  checks.end();
  return { title, metadata };
}

function checkOwner(viewer: Viewer, asked: string | null | undefined, path: string): string {
  const userId = checkOptionalName(asked, path) ?? viewer.userId;
  if (userId === viewer.userId || viewer.isAdmin) return userId;
  throw new InvalidInputError(`${path}: only an admin may create a chat for another user`, path);
}

export interface UpdateChatRequest {
  id: string;
  /** Null clears it, undefined leaves it unchanged. */
  title?: string | null | undefined;
  /** Replaces the metadata; undefined leaves it unchanged, null clears it. */
  metadata?: unknown;
  /** A JSON Merge Patch of the metadata; not together with metadata. */
  metadataPatch?: unknown;
}

/** @throws InvalidInputError, NotFoundError, ForbiddenError */
export function updateChat(store: ConversationStore, viewer: Viewer, request: UpdateChatRequest): Promise<Chat> {
  const { metadata, metadataPatch } = request;
  if (metadata !== undefined && metadataPatch !== undefined) {
    throw new InvalidInputError('metadataPatch cannot be given together with metadata', 'metadataPatch');
  }
  const checks = new InputChecks();
  const title = checks.run(checkOptionalName, request.title, 'title');
  const replacement = metadata === undefined ? undefined : checks.run(checkMetadataObject, metadata ?? {}, 'metadata');
  if (metadataPatch !== undefined) checks.run(checkMetadataObject, metadataPatch, 'metadataPatch');
  checks.end();

  return changeChat(store, viewer, request.id, 'WRITER', async ({ chat }, change) => {
    const patched =
      metadataPatch === undefined
        ? chat.metadata
        : checkMetadataObject(mergePatch(JSON.parse(chat.metadata), metadataPatch), 'metadataPatch');
    const fields = { title: request.title === undefined ? chat.title : title, metadata: replacement ?? patched };
    if (fields.title !== chat.title || fields.metadata !== chat.metadata) change.updateChat(fields);
    return change.chat;
  });
}

/** A deleted chat that the viewer may restore: as its owner or an admin, because its members are not read. */
export async function findDeleted(
  store: ConversationStore,
  viewer: Viewer,
  chatId: string,
): Promise<DeletedChat | null> {
  const deleted = isPossibleId(chatId) ? await store.deletedChat(chatId) : null;
  return deleted !== null && mayAccess(viewer, deleted) ? deleted : null;
}

/** The error of an id that another chat has. Only users that may restore a deleted chat receive the reason. */
export async function takenChat(store: ConversationStore, viewer: Viewer, id: string): Promise<AlreadyExistsError> {
  const isDeleted = (await findDeleted(store, viewer, id)) !== null;
  const reason = isDeleted ? ': it was deleted; restore it or delete it permanently' : '';
  return new AlreadyExistsError(`Chat "${id}" already exists${reason}`);
}

/**
 * Changes a chat in which the viewer has a role. A change by a COMMENTER must keep to its branches.
 * @throws NotFoundError for an unknown chat or one without a role (AlreadyExistsError with `newChat`), ForbiddenError for a lower
 * role, InvalidInputError for a file that the viewer may not use, and any error of `work`
 */
export async function changeChat<T>(
  store: ConversationStore,
  viewer: Viewer,
  chatId: string,
  role: ChatRole,
  work: (locked: LockedChat, change: ChatChange) => Promise<T>,
  options: ChangeOptions = {},
): Promise<T> {
  const missing = () => (options.newChat === undefined ? NotFoundError.chat(chatId) : takenChat(store, viewer, chatId));
  if (options.newChat === undefined) await requireChat(store, viewer, chatId, role);
  else {
    const chat = await store.chat(chatId);
    if (chat !== null && !mayAccess(viewer, chat)) throw await missing();
    if (chat !== null) requireRole(viewer, chatId, chat, role);
  }
  const whole = async (locked: LockedChat, change: ChatChange) => {
    const isOwner = roleOf(viewer, locked.chat) === 'OWNER';
    const chat = isOwner ? locked.chat : await locked.chatNow(chatId);
    // Another user has created it meanwhile.
    if (options.newChat !== undefined && (chat === null || !mayAccess(viewer, chat))) throw await missing();
    const own = requireRole(viewer, chatId, chat, role);
    change.role = own;
    const result = await work(locked, change);
    if (change.role === 'COMMENTER') await requireOwnBranches(locked, change);
    return { result };
  };
  const outcome = await store.change(chatId, viewer.userId, whole, options);
  if (outcome === null) throw await missing();
  return outcome.result;
}

/**
 * Checks access before waiting for the chat's lock, so that other users neither hold the lock nor learn from a wait
 * that the chat exists.
 * @returns the role of the viewer
 * @throws NotFoundError, ForbiddenError
 */
export async function requireChat(
  store: ConversationStore,
  viewer: Viewer,
  chatId: string,
  role: ChatRole,
): Promise<ChatRole> {
  if (!isPossibleId(chatId)) throw NotFoundError.chat(chatId);
  return viewer.isAdmin ? 'OWNER' : requireRole(viewer, chatId, await store.chat(chatId), role);
}

/**
 * @param chat null if it does not exist
 * @returns the role of the viewer
 * @throws NotFoundError, ForbiddenError
 */
export function requireRole(viewer: Viewer, chatId: string, chat: ChatAccess | null, required: ChatRole): ChatRole {
  const role = chat === null ? null : roleOf(viewer, chat);
  if (role === null) throw NotFoundError.chat(chatId);
  if (!includesRole(role, required)) throw new ForbiddenError(required);
  return role;
}

function checkMetadataObject(value: unknown, path: string): string {
  if (!isJsonObject(value)) throw new InvalidInputError(`${path} must be a JSON object`, path);
  return checkMetadata(value, path);
}
