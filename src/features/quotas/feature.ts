/** Limits the bytes of chats and files of each user: see docs/limits.md. */
import type { Feature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import { copyOfUsers } from '../../database/copy-of-users.js';
import type { Row } from '../../conversation/tables.js';
import { checkQuota, noteStorage } from './quota-check.js';
import './graphql.js';
import type { quotaSettings } from './settings.js';
import { storageStatements } from './statements.js';
import { CHAT_STORAGE_CHECK } from './table-check.js';
import { StorageQuotas } from './storage-quotas.js';
import { StorageQuotaError } from './storage-use.js';

declare module '../../graphql/context.js' {
  interface FeatureContext {
    readonly storage: StorageQuotas;
  }
}

export const quotas: Feature<ValuesOf<typeof quotaSettings>> = {
  checks: [CHAT_STORAGE_CHECK],
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
      check: (...change) => checkQuota(storage, ...change),
      committed: (change, before) => noteStorage(storage, change, before),
      stored: (userId) => storage.forget(userId),
    };
  },
};
