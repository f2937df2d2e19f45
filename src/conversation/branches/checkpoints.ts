/** Checkpoints: named bookmarks on messages. */
import { checkName, checkOptionalName, isPossibleId, nameOrId, type NameOrId } from '../bounds.js';
import { createBranch, outcomeOf, type BranchOutcome } from './branches.js';
import { changeChat } from '../chats.js';
import { InvalidInputError, NotFoundError } from '../errors.js';
import { referredMessage, requireMessage } from '../messages.js';
import type { Chat, Checkpoint, Viewer } from '../model.js';
import type { ConversationStore, LockedChat } from '../store.js';

/** A checkpoint of a chat: exactly one of its name and its id. */
interface CheckpointRequest {
  chatId: string;
  name?: string | null | undefined;
  checkpointId?: string | null | undefined;
}

const FIELDS = ['name', 'checkpointId'] as const;

/**
 * Creates a checkpoint, at the active head by default, or moves an existing one of the same name.
 * @throws InvalidInputError, NotFoundError, ForbiddenError
 */
export function createCheckpoint(
  store: ConversationStore,
  viewer: Viewer,
  request: { chatId: string; name: string; messageId?: string | null | undefined },
): Promise<{ checkpoint: Checkpoint; created: boolean }> {
  checkName(request.name, 'name');
  return changeChat(store, viewer, request.chatId, 'WRITER', async (locked, change) => {
    const messageId =
      request.messageId == null
        ? (await locked.activeBranch()).headMessageId
        : (await requireMessage(locked, viewer, request.messageId)).id;
    if (messageId === null) {
      throw new InvalidInputError('Cannot create checkpoint: no messages in conversation', 'messageId');
    }
    const existing = await locked.checkpoint(request.name);
    return { checkpoint: change.saveCheckpoint(existing, request.name, messageId), created: existing === null };
  });
}

/**
 * Creates and activates a branch at the checkpoint's message.
 * @throws InvalidInputError, NotFoundError, ForbiddenError
 */
export function restoreCheckpoint(
  store: ConversationStore,
  viewer: Viewer,
  request: CheckpointRequest,
): Promise<BranchOutcome> {
  const { name, checkpointId } = request;
  const key = nameOrId(checkOptionalName(name, 'name'), checkpointId, FIELDS);
  return changeChat(store, viewer, request.chatId, 'WRITER', async (locked, change) => {
    const checkpoint = await requireCheckpoint(locked, key);
    const message = await referredMessage(locked, checkpoint.messageId);
    const created = await createBranch(locked, change, message, { after: await locked.activeBranch() });
    return outcomeOf(locked, change, change.activate(created));
  });
}

/**
 * Deletes the checkpoint; its message stays.
 * @throws InvalidInputError, NotFoundError, ForbiddenError
 */
export function deleteCheckpoint(
  store: ConversationStore,
  viewer: Viewer,
  request: CheckpointRequest,
): Promise<{ chat: Chat; deleted: Checkpoint }> {
  const key = nameOrId(request.name, request.checkpointId, FIELDS);
  return changeChat(store, viewer, request.chatId, 'WRITER', async (locked, change) => {
    const deleted = await requireCheckpoint(locked, key);
    change.deleteCheckpoint(deleted);
    return { chat: change.chat, deleted };
  });
}

async function requireCheckpoint(locked: LockedChat, key: NameOrId): Promise<Checkpoint> {
  const given = 'name' in key ? key.name : key.id;
  const find = () => ('name' in key ? locked.checkpoint(given) : locked.checkpointById(given));
  const checkpoint = isPossibleId(given) ? await find() : null;
  if (checkpoint === null) throw NotFoundError.checkpoint(given, locked.chat.id);
  return checkpoint;
}
