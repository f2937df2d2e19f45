/** Databases of `@deepagents/context` with ids of another user's chat reveal and change nothing of that chat. */
import Database from 'better-sqlite3';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { adopterOf } from '../../../../src/features/imports/parley/adopt-chat.js';
import { importOriginal } from '../../../../src/features/imports/original/import-original.js';
import type { OriginalDatabase } from '../../../../src/features/imports/original/original-database.js';
import { openPostgresqlOriginal } from '../../../../src/features/imports/original/postgresql-original.js';
import { openSqliteOriginal } from '../../../../src/features/imports/original/sqlite-original.js';
import { atDatabase } from '../../../cli/database-content.js';
import { databaseKind } from '../../../support/database/database-kind.js';
import { sampled } from '../../../support/effort.js';
import { temporaryFile } from '../../../support/temporary-folder.js';
import {
  insertions,
  POSTGRESQL_TABLES,
  messageJson,
  SQLITE_TABLES,
  T,
  type Content,
} from '../original/original-fixture.js';
import { ALICE, BOB, startTwoUsers } from './two-users.js';

const own = (n: number): Content => ({
  chats: [[`own.${n}`, BOB, 'Title', '{"a": "b"}', T(0), T(9)]],
  messages: [
    [`q.${n}`, `own.${n}`, null, 'user', 'message', messageJson('q', 'user', 'Where to?'), T(1)],
    [`a.${n}`, `own.${n}`, `q.${n}`, 'assistant', 'message', messageJson('a', 'assistant', 'To Rome.'), T(2)],
  ],
  branches: [
    [`main.${n}`, `own.${n}`, 'main', `a.${n}`, true, T(0)],
    [`side.${n}`, `own.${n}`, 'side', `q.${n}`, false, T(3)],
  ],
  checkpoints: [[`mark.${n}`, `own.${n}`, 'Mark', `a.${n}`, T(2)]],
});

/** The content with another value in one column of the last row of a table; each column, and each value. */
function forgeries(values: readonly string[]): Content[] {
  const contents: Content[] = [];
  for (const [table, rows] of Object.entries(own(0))) {
    for (const [column, old] of (rows as unknown[][]).at(-1)!.entries()) {
      if (typeof old !== 'string' && old !== null) continue;
      for (const value of values) {
        const content = own(contents.length) as unknown as Record<string, unknown[][]>;
        const isJson = typeof old === 'string' && old.startsWith('{');
        content[table]!.at(-1)![column] = isJson ? JSON.stringify({ id: value }) : value;
        contents.push(content as unknown as Content);
      }
    }
  }
  return contents;
}

/** Drops the unique indexes: any program may have written the file. */
const unchecked = (tables: string) => tables.replace(/ REFERENCES \w+\(id\)( ON DELETE CASCADE)?/g, '');

/** @returns a database with this content */
async function openWriter(): Promise<(content: Content) => Promise<OriginalDatabase>> {
  if (databaseKind !== 'postgresql') {
    return async (content) => {
      const path = temporaryFile();
      const db = new Database(path).exec(unchecked(SQLITE_TABLES));
      for (const { text, values } of insertions(content)) {
        db.prepare(text).run(values.map((value) => (typeof value === 'boolean' ? Number(value) : value)));
      }
      db.close();
      return openSqliteOriginal(path);
    };
  }
  const url = new URL(inject('serverUrl'));
  url.searchParams.delete('schema');
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const schema = `Forged ${process.pid}`;
  await client.query(`CREATE SCHEMA "${schema}"; SET search_path = "${schema}"; ${unchecked(POSTGRESQL_TABLES)}`);
  onTestFinished(async () => {
    await client.query(`DROP SCHEMA "${schema}" CASCADE`);
    await client.end();
  });
  url.searchParams.set('schema', schema);
  return async (content) => {
    await client.query('TRUNCATE chats, messages, branches, checkpoints');
    for (const { text, values } of insertions(content)) {
      let n = 0;
      const numbered = text.replaceAll('?', () => `$${++n}`);
      await client.query(numbered, values);
    }
    return openPostgresqlOriginal(url.href);
  };
}

test('a database of @deepagents/context with ids of another user in any column reveals nothing of that user', async () => {
  const server = await startTwoUsers();
  const write = await openWriter();
  const chatIds = new Set<string>();
  await atDatabase(server.databaseUrl, async ({ connection }) => {
    for (const content of sampled(forgeries([...Object.values(server.foreign), ALICE]))) {
      const original = await write(content);
      await importOriginal(original, { adopt: adopterOf(connection), owner: BOB, actor: null }, null, (read) => {
        if ('chatId' in read) chatIds.add(read.chatId);
      });
      await original.close();
    }
  });
  expect(chatIds.size).toBeGreaterThan(0);
  for (const id of chatIds) await server.expectNothingOfAlice(id);
  await server.expectUnchanged();
});
