/** Sweeps of a database at a later time, as its servers make them. */
import { DatabaseFileRecords } from '../../../src/features/files/records/database-file-records.js';
import sql from 'sql-template-tag';
import { openContents } from '../../../src/features/files/open-files.js';
import { connect, openDatabase } from '../../../src/database/opening/open.js';
import { MessageFiles } from '../../../src/features/files/message-files.js';
import { tableAt } from '../../support/database/all-rows.js';

export const DAY_MS = 24 * 60 * 60_000;

/**
 * Removes contents that have been unused for a day.
 * @returns the hashes of the contents that are left
 */
export async function sweepFiles(databaseUrl: string, laterMs = 0): Promise<string[]> {
  const database = await openDatabase({ url: databaseUrl, migrate: true });
  const { connection } = await connect(databaseUrl, { migrate: false });
  const storage = await openContents({ databaseUrl, filesUrl: undefined, connection });
  try {
    const records = new DatabaseFileRecords(database.connection, {
      unusedForMs: DAY_MS,
      now: () => Date.now() + laterMs,
    });
    const files = new MessageFiles({
      records,
      storage: () => Promise.resolve(storage),
      limits: { maxFileBytes: 1, maxUserFileBytes: 1, maxTotalFileBytes: 1 },
      temporaryFolder: () => Promise.reject(new Error('a sweep stores nothing')),
    });
    // Each sweep searches one of two tables, and removes 100 contents.
    for (let sweeps = 0; sweeps < 4 || (await records.removable(1)).length > 0; sweeps++) await files.sweep();
    const keys: string[] = [];
    for await (const some of storage.keys?.() ?? []) keys.push(...some);
    const statement = sql`SELECT "storageKey" AS "key" FROM ${tableAt(databaseUrl, 'file_contents')}`;
    const rows = await connection.read((db) => db.rows<{ key: string }>(statement));
    return [...keys, ...rows.map(({ key }) => key)].map((key) => key.slice(3, 67)).sort();
  } finally {
    storage.close?.();
    await connection.close();
    await database.store.close();
  }
}
