/** The rules of deleting and restoring chats. */
import { findDeleted, requireChat } from '../../conversation/chats.js';
import { NotFoundError } from '../../conversation/errors.js';
import type { Chat, Viewer } from '../../conversation/model.js';
import type { ConversationStore, RemovedChat } from '../../conversation/store.js';
import { DatabaseStore } from '../../database/store/database-store.js';
import { removeDeletedChat, showChat } from './recovery.js';

/**
 * Deletes a chat with everything in it. Unless deletions are final, it can be restored for a while.
 * @param options.permanently whether it is removed at once, also after an earlier deletion
 * @throws NotFoundError, ForbiddenError, RefusalError
 */
export async function deleteChat(
  store: ConversationStore,
  viewer: Viewer,
  chatId: string,
  { permanently = false } = {},
): Promise<RemovedChat> {
  if (permanently) {
    const deleted = await findDeleted(store, viewer, chatId);
    if (deleted !== null && (await removeDeletedChat(DatabaseStore.of(store).unbounded, deleted))) {
      return { restorableUntil: null };
    }
  }
  await requireChat(store, viewer, chatId, 'OWNER');
  const removed = await store.remove(chatId, viewer.userId, { isRestorable: !permanently });
  if (removed === null) throw NotFoundError.chat(chatId);
  return removed;
}

/**
 * Shows a deleted chat again: to its owner, members, access tokens and shares.
 * @param recoveryDays named in the error
 * @throws NotFoundError, also after its removal and for users other than its owner and admins
 */
export async function restoreChat(
  store: ConversationStore,
  viewer: Viewer,
  chatId: string,
  recoveryDays: number,
): Promise<Chat> {
  const deleted = await findDeleted(store, viewer, chatId);
  const chat = deleted === null ? null : await showChat(DatabaseStore.of(store), deleted, viewer.userId);
  if (chat !== null) return chat;
  const days = `can be restored for ${recoveryDays} ${recoveryDays === 1 ? 'day' : 'days'}`;
  const limit = recoveryDays === 0 ? 'are removed at once' : days;
  throw new NotFoundError(`Deleted chat "${chatId}" not found: deleted chats ${limit}`);
}
