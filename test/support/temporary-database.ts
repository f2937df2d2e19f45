import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { ConversationStore } from '../../src/conversation/store.js';
import { openDatabase } from '../../src/database/open.js';

/** A migrated SQLite file in a folder of its own, open for the rules and for looking into. */
export interface TemporaryDatabase {
  url: string;
  folder: string;
  store: ConversationStore;
  /** The rows of a statement, as the driver answers them. */
  query<Row>(sql: string, ...parameters: unknown[]): Row[];
  /** Every row of every table, in an order of its own: to see that nothing was written. */
  allRows(): Record<string, unknown[]>;
  remove(): Promise<void>;
}

const TABLES = ['chats', 'messages', 'branches', 'checkpoints', 'chat_events'];

export async function temporaryDatabase(): Promise<TemporaryDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const path = join(folder, 'parley.db');
  const url = `file:${path}`;
  const { store } = await openDatabase({ url });
  const database = new Database(path, { readonly: true });
  const query = <Row>(sql: string, ...parameters: unknown[]) => database.prepare(sql).all(...parameters) as Row[];
  return {
    url,
    folder,
    store,
    query,
    allRows: () =>
      Object.fromEntries(TABLES.map((table) => [table, query(`SELECT * FROM "${table}" ORDER BY 1, 2, 3`)])),
    async remove() {
      database.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
