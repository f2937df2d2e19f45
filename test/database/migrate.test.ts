import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundledMigrations, type Migration } from '../../src/database/migrations/bundled.js';
import type { MigrationOutcome } from '../../src/database/migrations/history.js';
import { migrateSqlite } from '../../src/database/migrations/sqlite.js';
import { temporaryFile, temporaryFolder } from '../support/temporary-folder.js';

function open(path: string): Database.Database {
  const database = new Database(path, { fileMustExist: true });
  onTestFinished(() => void database.close());
  return database;
}

function tablesOf(database: Database.Database): unknown[] {
  return database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).pluck().all();
}

const first: Migration = { name: '0001_first', sql: 'CREATE TABLE one (id TEXT);' };
const second: Migration = { name: '0002_second', sql: 'CREATE TABLE two (id TEXT); INSERT INTO one VALUES (1);' };

describe('migrating', () => {
  it('makes the folders, the file and every table', () => {
    const path = join(temporaryFolder(), 'some', 'folder', 'parley.db');
    expect(migrateSqlite(path)).toEqual({
      applied: bundledMigrations('sqlite').map((migration) => migration.name),
      isNew: true,
    });
    expect(existsSync(path)).toBe(true);
    expect(tablesOf(open(path))).toEqual(
      expect.arrayContaining(['branches', 'chat_events', 'chats', 'checkpoints', 'messages']),
    );
  });

  it('sets the file to write-ahead logging, for whoever opens it later', () => {
    const path = temporaryFile();
    migrateSqlite(path, []);
    expect(open(path).pragma('journal_mode', { simple: true })).toBe('wal');
  });

  it('keeps what refers to a table that a migration makes anew', () => {
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
    migrateSqlite(path, [tables, anew]);
    expect(open(path).prepare('SELECT * FROM b').all()).toEqual([{ id: 'y', a: 'x' }]);
    expect(() => migrateSqlite(path, [tables, anew, loss])).toThrow(/rows of b would refer to rows that are not there/);
    expect(open(path).prepare('SELECT id FROM a').all()).toEqual([{ id: 'x' }]);
  });

  it('leaves the records by which prisma migrate deploy goes on', () => {
    const path = temporaryFile();
    const before = Date.now();
    migrateSqlite(path);
    const rows = open(path).prepare('SELECT * FROM "_prisma_migrations" ORDER BY "migration_name"').all();
    const expected = bundledMigrations('sqlite').map(({ name }) => {
      const file = new URL(`../../prisma/migrations/sqlite/${name}/migration.sql`, import.meta.url);
      return {
        migration_name: name,
        checksum: createHash('sha256').update(readFileSync(file)).digest('hex'),
        applied_steps_count: 1,
        logs: null,
        rolled_back_at: null,
      };
    });
    expect(rows).toMatchObject(expected);
    for (const row of rows as { id: string; started_at: number; finished_at: number }[]) {
      expect(row.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(row.started_at).toBeGreaterThanOrEqual(before);
      expect(row.finished_at).toBeGreaterThanOrEqual(row.started_at);
    }
  });

  it('applies nothing the second time, and keeps what is there', () => {
    const path = temporaryFile();
    migrateSqlite(path, [first, second]);
    expect(migrateSqlite(path, [first, second])).toEqual({ applied: [], isNew: false });
    expect(open(path).prepare('SELECT * FROM one').all()).toEqual([{ id: '1' }]);
  });

  it('applies what came since, in order', () => {
    const path = temporaryFile();
    migrateSqlite(path, [first]);
    expect(migrateSqlite(path, [first, second])).toEqual({ applied: ['0002_second'], isNew: false });
    expect(tablesOf(open(path))).toEqual(expect.arrayContaining(['one', 'two']));
  });

  it('does not count a migration that was rolled back', () => {
    const path = temporaryFile();
    migrateSqlite(path, [first]);
    open(path).exec('UPDATE "_prisma_migrations" SET "rolled_back_at" = 1; DROP TABLE one');
    expect(migrateSqlite(path, [first]).applied).toEqual(['0001_first']);
  });
});

describe('a migration that fails', () => {
  const broken: Migration = {
    name: '0003_broken',
    sql: 'CREATE TABLE three (id TEXT); INSERT INTO nowhere VALUES (1);',
  };

  it('is told by name with the reason, and leaves nothing behind, not even of those before it', () => {
    const path = temporaryFile();
    expect(() => migrateSqlite(path, [first, second, broken])).toThrow(/"0003_broken".*no such table: nowhere/);
    expect(tablesOf(open(path))).toEqual([]);
  });

  it('leaves an older database as it was, ready for the next try', () => {
    const path = temporaryFile();
    migrateSqlite(path, [first]);
    expect(() => migrateSqlite(path, [first, second, broken])).toThrow(/"0003_broken"/);
    expect(tablesOf(open(path))).toEqual(['_prisma_migrations', 'one']);
    expect(migrateSqlite(path, [first, second]).applied).toEqual(['0002_second']);
  });
});

describe('a database with other migrations', () => {
  it('is refused by the name of the one that is not known here', () => {
    const path = temporaryFile();
    migrateSqlite(path, [first, second]);
    expect(() => migrateSqlite(path, [first])).toThrow(/"0002_second".*does not know/);
    expect(() => migrateSqlite(path, [second])).toThrow(/"0001_first".*does not know/);
  });

  it('is refused by the name of the one that reads differently here, and nothing is applied', () => {
    const path = temporaryFile();
    migrateSqlite(path, [first]);
    expect(() => migrateSqlite(path, [{ ...first, sql: `${first.sql} ` }, second])).toThrow(/"0001_first" was changed/);
    expect(tablesOf(open(path))).toEqual(['_prisma_migrations', 'one']);
  });

  it('is refused when it is no database at all', () => {
    const path = join(temporaryFolder(), 'letter.txt');
    const content = 'Dear reader, '.repeat(1000);
    writeFileSync(path, content);
    expect(() => migrateSqlite(path)).toThrow(/not a database/);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });
});

describe('processes that migrate one file at once', () => {
  /** Says that it is ready, waits for the word, then migrates each file and tells what it applied. */
  const script = `
    import { bundledMigrations } from ${JSON.stringify(builtModule('bundled'))};
    import { migrateSqlite } from ${JSON.stringify(builtModule('sqlite'))};
    process.stdout.write('ready\\n');
    process.stdin.once('data', (input) => {
      process.stdin.destroy();
      const { urls, migrations } = JSON.parse(input);
      console.log(JSON.stringify(urls.map((path) => migrateSqlite(path, migrations ?? bundledMigrations('sqlite')))));
    });`;

  function builtModule(name: string): string {
    return new URL(`../../dist/database/migrations/${name}.js`, import.meta.url).href;
  }

  async function startProcess() {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill());
    await once(child.stdout, 'readable');
    return async (urls: string[], migrations?: Migration[]): Promise<MigrationOutcome[]> => {
      child.stdin.write(JSON.stringify({ urls, migrations }));
      const output = await text(child.stdout);
      return JSON.parse(output.replace('ready\n', '')) as MigrationOutcome[];
    };
  }

  /** What four processes did to each file. */
  async function migrateInFour(urls: string[], migrations?: Migration[]): Promise<MigrationOutcome[][]> {
    const processes = await Promise.all(Array.from({ length: 4 }, startProcess));
    const outcomes = await Promise.all(processes.map((migrate) => migrate(urls, migrations)));
    return urls.map((_, n) => outcomes.map((outcome) => outcome[n]!));
  }

  it('all succeed on a new one, and one of them makes it', async () => {
    const urls = Array.from({ length: 8 }, temporaryFile);
    const names = bundledMigrations('sqlite').map((migration) => migration.name);
    for (const outcomes of await migrateInFour(urls)) {
      expect(outcomes.filter((outcome) => outcome.isNew).map((outcome) => outcome.applied)).toEqual([names]);
      expect(outcomes.filter((outcome) => !outcome.isNew).map((outcome) => outcome.applied)).toEqual([[], [], []]);
    }
    for (const path of urls) {
      expect(open(path).prepare('SELECT "migration_name" FROM "_prisma_migrations"').pluck().all()).toEqual(names);
    }
  });

  it('all succeed on an older one, and one of them applies what is missing', async () => {
    const urls = Array.from({ length: 8 }, temporaryFile);
    for (const path of urls) migrateSqlite(path, [first]);
    for (const outcomes of await migrateInFour(urls, [first, second])) {
      const applied = outcomes.map((outcome) => outcome.applied).filter((names) => names.length > 0);
      expect(applied).toEqual([['0002_second']]);
    }
    for (const path of urls) expect(open(path).prepare('SELECT * FROM one').all()).toEqual([{ id: '1' }]);
  });
});
