/** Changes of chats against the storage quotas of their owners. */
import type { ChatChange } from '../../conversation/change.js';
import type { Chat } from '../../conversation/model.js';
import { chatBytes } from './storage-use.js';
import type { ChangeHooks } from '../../database/change-hooks.js';
import { keyOf, sumOf, type StorageQuotas } from './storage-quotas.js';

/**
 * Refuses messages, new drafts, longer titles and metadata, and transfers beyond the quota. Appends to a draft and its end are never
 * refused: its content would be lost.
 * @param db the transaction
 * @throws StorageQuotaError, UnpreparedError
 */
export async function checkQuota(
  storage: StorageQuotas,
  ...[change, before, db, prepared]: Parameters<NonNullable<ChangeHooks['check']>>
): Promise<void> {
  const { actorId, chat, messages, newOwnerId, part } = change;
  const isAddition = (part === null ? messages.length > 0 : part.isNew) || chatBytes(chat) > chatBytes(before);
  const userId = newOwnerId ?? (isAddition ? chat.userId : null);
  if (userId === null) return;
  const addition = { actorId, isRead: prepared.has(keyOf(userId)) };
  // Appends are not added to the known use: other drafts may have grown since.
  if (part?.isNew === true)
    storage.check(userId, { ...addition, draftBytes: await sumOf(db, storage.sql.draftBytesOf(userId)) });
  else storage.check(userId, addition);
}

/**
 * Counts a committed change.
 * @param before null for a new chat
 */
export function noteStorage(storage: StorageQuotas, change: ChatChange, before: Chat | null): void {
  const { chat, messages, part, newOwnerId } = change;
  const ofMessages = messages.reduce((bytes, { data }) => bytes + Buffer.byteLength(data), 0);
  storage.add(chat.userId, ofMessages + chatBytes(chat) - (before === null ? 0 : chatBytes(before)));
  if (part?.endedBytes != null) storage.endDraft(chat.userId, part.endedBytes);
  if (newOwnerId !== null) storage.forget(newOwnerId);
}
