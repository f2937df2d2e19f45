/** Limits the bytes of chats and files of each user: see docs/limits.md. */
import type { Feature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import { copyOfUsers } from '../../database/copy-of-users.js';
import type { Row } from '../../conversation/tables.js';
import './graphql.js';
import type { quotaSettings } from './settings.js';
import { storageStatements } from './statements.js';
import { STORAGE_CHECK } from './storage-check.js';
import { StorageQuotas, keyOf, sumOf } from './storage-quotas.js';
import { StorageQuotaError, chatBytes } from './storage-use.js';
import type { ChatChange } from '../../conversation/change.js';
import type { Chat } from '../../conversation/model.js';
import type { ChangeHooks } from '../../database/change-hooks.js';

declare module '../../graphql/context.js' {
  interface FeatureContext {
    readonly storage: StorageQuotas;
  }
}

export const quotas: Feature<ValuesOf<typeof quotaSettings>> = {
  checks: [STORAGE_CHECK],
  copy: async (source, target) => {
    const sql = storageStatements(target.sql.differences);
    await copyOfUsers(source, target, {
      page: ({ differences }, after, limit) => storageStatements(differences).storageQuotas(after, limit),
      remove: (userId) => sql.deleteStorageQuotaOf(userId),
      // PostgreSQL and SQL Server return BIGINT as text.
      insert: (user: Row<'user_storage'>) =>
        sql.insertStorageQuotas([{ ...user, quotaBytes: Number(user.quotaBytes) }]),
    });
  },
  forProcesses: ({ storageQuotaBytes }) => ({ storageQuotaBytes }),
  open: (connection, { storageQuotaBytes }) => {
    const storage = new StorageQuotas(connection, storageQuotaBytes);
    const serve = () => ({ context: { storage } });
    if (storageQuotaBytes === null) return { serve };
    return {
      serve,
      admit: async (userId, bytes) => {
        const { usedBytes, quotaBytes } = await storage.admit(userId, bytes);
        return (bytes) => {
          if (usedBytes + bytes > quotaBytes) throw new StorageQuotaError({ usedBytes, quotaBytes, bytes });
        };
      },
      check: (...change) => checkStorage(storage, ...change),
      committed: (change, before) => noteStorage(storage, change, before),
      stored: (userId) => storage.forget(userId),
    };
  },
};

/**
 * Refuses messages, new drafts, longer titles and metadata, and transfers beyond the quota. Appends to a draft and its end are never
 * refused: its content would be lost.
 * @param db the transaction
 * @throws StorageQuotaError, UnpreparedError
 */
async function checkStorage(
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
function noteStorage(storage: StorageQuotas, change: ChatChange, before: Chat | null): void {
  const { chat, messages, part, newOwnerId } = change;
  const ofMessages = messages.reduce((bytes, { data }) => bytes + Buffer.byteLength(data), 0);
  storage.add(chat.userId, ofMessages + chatBytes(chat) - (before === null ? 0 : chatBytes(before)));
  if (part?.endedBytes != null) storage.endDraft(chat.userId, part.endedBytes);
  if (newOwnerId !== null) storage.forget(newOwnerId);
}
