/** Checkpoints: named bookmarks on messages. */
import { checkName, isPossibleId } from '../bounds.js';
import { createBranch, outcomeOf, type BranchOutcome, type Named } from './branches.js';
import { changeChat } from '../chats.js';
import { InvalidInputError, NotFoundError } from '../errors.js';
import { referredMessage, requireMessage } from '../messages.js';
import type { Chat, Checkpoint, Viewer } from '../model.js';
import type { ConversationStore, LockedChat } from '../store.js';

/**
 * Creates a checkpoint, at the active head by default, or moves an existing one of the same name.
 * @throws InvalidInputError, NotFoundError, ForbiddenError
 */
export function createCheckpoint(
  store: ConversationStore,
  viewer: Viewer,
  request: Named & { messageId?: string | null | undefined },
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
export function restoreCheckpoint(store: ConversationStore, viewer: Viewer, request: Named): Promise<BranchOutcome> {
  checkName(request.name, 'name');
  return changeChat(store, viewer, request.chatId, 'WRITER', async (locked, change) => {
    const checkpoint = await requireCheckpoint(locked, request.name);
    const message = await referredMessage(locked, checkpoint.messageId);
    const created = await createBranch(locked, change, message, { after: await locked.activeBranch() });
    return outcomeOf(locked, change, change.activate(created));
  });
}

/**
 * Deletes the checkpoint; its message stays.
 * @throws NotFoundError, ForbiddenError
 */
export function deleteCheckpoint(
  store: ConversationStore,
  viewer: Viewer,
  request: Named,
): Promise<{ chat: Chat; deleted: Checkpoint }> {
  return changeChat(store, viewer, request.chatId, 'WRITER', async (locked, change) => {
    const deleted = await requireCheckpoint(locked, request.name);
    change.deleteCheckpoint(deleted);
    return { chat: change.chat, deleted };
  });
}

async function requireCheckpoint(locked: LockedChat, name: string): Promise<Checkpoint> {
  const checkpoint = isPossibleId(name) ? await locked.checkpoint(name) : null;
  if (checkpoint === null) throw NotFoundError.checkpoint(name, locked.chat.id);
  return checkpoint;
}
