/** Changes of chats against the storage quotas of their owners. */
import type { ChatChange, NewChat } from '../../conversation/change.js';
import type { StorageChecks } from './storage-checks.js';

/**
 * Refuses messages, drafts and transfers beyond the quota. The end of a draft is never refused: its content would be lost.
 * @param readUserId the user whose use was read for this change
 * @throws StorageQuotaError, UnreadStorageError
 */
export function checkStorage(storage: StorageChecks, change: ChatChange, readUserId: string | null): void {
  const { actorId, chat, messages, newOwnerId, changedDraft, startedDraft } = change;
  const isAddition = (messages.length > 0 && changedDraft === null) || startedDraft !== null;
  const userId = newOwnerId ?? (isAddition ? chat.userId : null);
  if (userId !== null) storage.check(userId, { actorId, isRead: userId === readUserId });
}

/** Counts a committed change. */
export function noteStorage(storage: StorageChecks, change: ChatChange | NewChat): void {
  const { chat, messages } = change;
  storage.add(chat.userId, messages);
  if ('newOwnerId' in change && change.newOwnerId !== null) storage.forget(change.newOwnerId);
}
