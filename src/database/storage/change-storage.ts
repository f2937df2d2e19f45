/** Changes of chats against the storage quotas of their owners. */
import type { ChatChange, NewChat } from '../../conversation/change.js';
import type { Chat } from '../../conversation/model.js';
import { chatBytes } from '../../conversation/policies/storage-use.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Queryable } from '../opening/connection.js';
import type { StorageChecks } from './storage-checks.js';
import { sumOf } from './storage-quotas.js';

export interface CheckedChange {
  change: ChatChange;
  before: Chat;
  /** The user whose use was read for this change. */
  readUserId: string | null;
}

/**
 * Refuses messages, drafts, longer titles and metadata, and transfers beyond the quota. The end of a draft is never refused: its
 * content would be lost.
 * @param db the transaction
 * @throws StorageQuotaError, UnreadStorageError
 */
export async function checkStorage(
  storage: StorageChecks,
  { change, before, readUserId }: CheckedChange,
  db: Queryable,
  sql: Dialect,
): Promise<void> {
  if (storage.quotaBytes === null) return;
  const { actorId, chat, messages, newOwnerId, changedDraft, startedDraft } = change;
  const isAddition =
    (messages.length > 0 && changedDraft === null) || startedDraft !== null || chatBytes(chat) > chatBytes(before);
  const userId = newOwnerId ?? (isAddition ? chat.userId : null);
  if (userId === null) return;
  const addition = { actorId, isRead: userId === readUserId };
  // Appends are not added to the known use: other drafts may have grown since.
  if (startedDraft !== null)
    storage.check(userId, { ...addition, draftBytes: await sumOf(db, sql.draftBytesOf(userId)) });
  else storage.check(userId, addition);
}

/**
 * Counts a committed change.
 * @param before null for a new chat
 */
export function noteStorage(storage: StorageChecks, change: ChatChange | NewChat, before: Chat | null): void {
  if (storage.quotaBytes === null) return;
  const { chat, messages, changedDraft, newOwnerId } = change;
  const ofMessages = messages.reduce((bytes, { data }) => bytes + Buffer.byteLength(data), 0);
  storage.add(chat.userId, ofMessages + chatBytes(chat) - (before === null ? 0 : chatBytes(before)));
  if (changedDraft?.draft.endedAt != null) {
    const { bytes, metadata } = changedDraft.draft;
    storage.endDraft(chat.userId, bytes + Buffer.byteLength(metadata ?? ''));
  }
  if (newOwnerId !== null) storage.forget(newOwnerId);
}
