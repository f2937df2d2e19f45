import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { storageStatements } from '../../../src/features/quotas/statements.js';

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = storageStatements(differences);
  return {
    uncountedChats: [sql.uncountedChats('u', 'c', 9)],
    messageBytes: [sql.messageBytes('c', 0, 9)],
    deleteStorageOf: [sql.deleteStorageOf('c')],
    insertStorage: [sql.insertStorage({ chatId: 'c', version: 1, seq: 1, bytes: 2 ** 43, chatBytes: 1 })],
    storedBytesOf: [sql.storedBytesOf('u')],
    draftBytesOf: [sql.draftBytesOf('u')],
    storageQuotaOf: [sql.storageQuotaOf('u')],
    insertStorageQuotas: [sql.insertStorageQuotas([{ userId: 'u', quotaBytes: 2 ** 43 }])],
    deleteStorageQuotaOf: [sql.deleteStorageQuotaOf('u')],
  };
}

/** Those of them that touch several partitions, with the reason. */
export const ACROSS_CHATS = Object.fromEntries(
  ['uncountedChats', 'storedBytesOf', 'draftBytesOf'].map((name) => [name, 'reads or changes the chats of a user']),
);

/** The others. */
export function otherStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = storageStatements(differences);
  return { storageQuotas: ['', "u'"].map((after) => sql.storageQuotas(after, 100)) };
}
