/** Migrations of SQLite files only; migrate.test.ts covers every database. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Migration } from '../../../src/database/drivers/bundled-migrations.js';
import { migrateSqlite } from '../../../src/features/migrations/sqlite.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryFile, temporaryFolder } from '../../support/temporary-folder.js';

const rowsOf = async (path: string, sql: string) => (await rawDatabase(`file:${path}`)).rows(sql);

it('creates the folders and the file', async () => {
  const path = join(temporaryFolder(), 'some', 'folder', 'parley.db');
  expect((await migrateSqlite(path)).isNew).toBe(true);
  expect(existsSync(path)).toBe(true);
});

it('creates the partial indexes, which the models cannot express', async () => {
  const path = temporaryFile();
  await migrateSqlite(path);
  const indexes = await rowsOf(path, `SELECT sql FROM sqlite_master WHERE type = 'index' AND sql LIKE '%) WHERE %'`);
  const parts = indexes.map(({ sql }) =>
    /^CREATE (.*) ON "\w+" ?\((.*?)\) WHERE/
      .exec(sql as string)
      ?.slice(1)
      .join(),
  );
  expect(parts.sort()).toEqual([
    'INDEX "chat_imports_deleted","userId", "deletedAt", "chatId"',
    'INDEX "chat_imports_due","expiresAt"',
    'INDEX "chats_outdated_title_words","id"',
    'INDEX "messages_summaries","chatId", "seq"',
    'INDEX "messages_without_hash","chatId", "seq"',
    'UNIQUE INDEX "branches_one_active_per_chat","chatId"',
    'UNIQUE INDEX "messages_roots_chatId_siblingIndex","chatId", "siblingIndex"',
  ]);
});

it('sets the file to write-ahead logging for later processes', async () => {
  const path = temporaryFile();
  await migrateSqlite(path, []);
  expect(await rowsOf(path, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
});

it('keeps rows that refer to a table that a migration recreates', async () => {
  const path = temporaryFile();
  const tables: Migration = {
    name: '0001_tables',
    sql: `CREATE TABLE a (id TEXT PRIMARY KEY);
      CREATE TABLE b (id TEXT, a TEXT REFERENCES a (id) ON DELETE CASCADE);
      INSERT INTO a VALUES ('x'); INSERT INTO b VALUES ('y', 'x');`,
  };
  const anew: Migration = {
    name: '0002_anew',
    sql: `CREATE TABLE new_a (id TEXT PRIMARY KEY, more TEXT);
      INSERT INTO new_a SELECT id, NULL FROM a; DROP TABLE a; ALTER TABLE new_a RENAME TO a;`,
  };
  const loss: Migration = { name: '0003_loss', sql: 'DELETE FROM a;' };
  await migrateSqlite(path, [tables, anew]);
  expect(await rowsOf(path, 'SELECT * FROM b')).toEqual([{ id: 'y', a: 'x' }]);
  await expect(migrateSqlite(path, [tables, anew, loss])).rejects.toThrow(
    /rows of b would refer to rows that are not there/,
  );
  expect(await rowsOf(path, 'SELECT id FROM a')).toEqual([{ id: 'x' }]);
});

it('refuses a file that is no database, and does not change it', async () => {
  const path = join(temporaryFolder(), 'letter.txt');
  const content = 'Dear reader, '.repeat(1000);
  writeFileSync(path, content);
  await expect(migrateSqlite(path)).rejects.toThrow(/not a database/);
  expect(readFileSync(path, 'utf8')).toBe(content);
});
