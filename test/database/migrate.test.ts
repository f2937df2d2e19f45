import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  bundledMigrations,
  migrateSqlite,
  sqlitePath,
  type Migration,
  type MigrationOutcome,
} from '../../src/database/migrate.js';
import { temporaryDatabaseUrl, temporaryFolder } from '../support/temporary-folder.js';

function open(url: string): Database.Database {
  const database = new Database(sqlitePath(url), { fileMustExist: true });
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
    expect(migrateSqlite(`file:${path}`)).toEqual({
      applied: bundledMigrations().map((migration) => migration.name),
      isNew: true,
    });
    expect(existsSync(path)).toBe(true);
    expect(tablesOf(open(`file:${path}`))).toEqual(
      expect.arrayContaining(['branches', 'chat_events', 'chats', 'checkpoints', 'messages']),
    );
  });

  it('sets the file to write-ahead logging, for whoever opens it later', () => {
    const url = temporaryDatabaseUrl();
    migrateSqlite(url, []);
    expect(open(url).pragma('journal_mode', { simple: true })).toBe('wal');
  });

  it('keeps what refers to a table that a migration makes anew', () => {
    const url = temporaryDatabaseUrl();
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
    migrateSqlite(url, [tables, anew]);
    expect(open(url).prepare('SELECT * FROM b').all()).toEqual([{ id: 'y', a: 'x' }]);
    expect(() => migrateSqlite(url, [tables, anew, loss])).toThrow(/rows of b would refer to rows that are not there/);
    expect(open(url).prepare('SELECT id FROM a').all()).toEqual([{ id: 'x' }]);
  });

  it('leaves the records by which prisma migrate deploy goes on', () => {
    const url = temporaryDatabaseUrl();
    const before = Date.now();
    migrateSqlite(url);
    const rows = open(url).prepare('SELECT * FROM "_prisma_migrations" ORDER BY "migration_name"').all();
    const expected = bundledMigrations().map(({ name }) => {
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
    const url = temporaryDatabaseUrl();
    migrateSqlite(url, [first, second]);
    expect(migrateSqlite(url, [first, second])).toEqual({ applied: [], isNew: false });
    expect(open(url).prepare('SELECT * FROM one').all()).toEqual([{ id: '1' }]);
  });

  it('applies what came since, in order', () => {
    const url = temporaryDatabaseUrl();
    migrateSqlite(url, [first]);
    expect(migrateSqlite(url, [first, second])).toEqual({ applied: ['0002_second'], isNew: false });
    expect(tablesOf(open(url))).toEqual(expect.arrayContaining(['one', 'two']));
  });

  it('does not count a migration that was rolled back', () => {
    const url = temporaryDatabaseUrl();
    migrateSqlite(url, [first]);
    open(url).exec('UPDATE "_prisma_migrations" SET "rolled_back_at" = 1; DROP TABLE one');
    expect(migrateSqlite(url, [first]).applied).toEqual(['0001_first']);
  });
});

describe('a migration that fails', () => {
  const broken: Migration = {
    name: '0003_broken',
    sql: 'CREATE TABLE three (id TEXT); INSERT INTO nowhere VALUES (1);',
  };

  it('is told by name with the reason, and leaves nothing behind, not even of those before it', () => {
    const url = temporaryDatabaseUrl();
    expect(() => migrateSqlite(url, [first, second, broken])).toThrow(/"0003_broken".*no such table: nowhere/);
    expect(tablesOf(open(url))).toEqual([]);
  });

  it('leaves an older database as it was, ready for the next try', () => {
    const url = temporaryDatabaseUrl();
    migrateSqlite(url, [first]);
    expect(() => migrateSqlite(url, [first, second, broken])).toThrow(/"0003_broken"/);
    expect(tablesOf(open(url))).toEqual(['_prisma_migrations', 'one']);
    expect(migrateSqlite(url, [first, second]).applied).toEqual(['0002_second']);
  });
});

describe('a database with other migrations', () => {
  it('is refused by the name of the one that is not known here', () => {
    const url = temporaryDatabaseUrl();
    migrateSqlite(url, [first, second]);
    expect(() => migrateSqlite(url, [first])).toThrow(/"0002_second".*does not know/);
    expect(() => migrateSqlite(url, [second])).toThrow(/"0001_first".*does not know/);
  });

  it('is refused by the name of the one that reads differently here, and nothing is applied', () => {
    const url = temporaryDatabaseUrl();
    migrateSqlite(url, [first]);
    expect(() => migrateSqlite(url, [{ ...first, sql: `${first.sql} ` }, second])).toThrow(/"0001_first" was changed/);
    expect(tablesOf(open(url))).toEqual(['_prisma_migrations', 'one']);
  });

  it('is refused when it is no database at all', () => {
    const path = join(temporaryFolder(), 'letter.txt');
    const content = 'Dear reader, '.repeat(1000);
    writeFileSync(path, content);
    expect(() => migrateSqlite(`file:${path}`)).toThrow(/not a database/);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });
});

describe('processes that migrate one file at once', () => {
  /** Says that it is ready, waits for the word, then migrates each file and tells what it applied. */
  const script = `
    import { bundledMigrations, migrateSqlite } from ${JSON.stringify(builtModule())};
    process.stdout.write('ready\\n');
    process.stdin.once('data', (input) => {
      process.stdin.destroy();
      const { urls, migrations } = JSON.parse(input);
      console.log(JSON.stringify(urls.map((url) => migrateSqlite(url, migrations ?? bundledMigrations()))));
    });`;

  function builtModule(): string {
    return new URL('../../dist/database/migrate.js', import.meta.url).href;
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
    const urls = Array.from({ length: 8 }, temporaryDatabaseUrl);
    const names = bundledMigrations().map((migration) => migration.name);
    for (const outcomes of await migrateInFour(urls)) {
      expect(outcomes.filter((outcome) => outcome.isNew).map((outcome) => outcome.applied)).toEqual([names]);
      expect(outcomes.filter((outcome) => !outcome.isNew).map((outcome) => outcome.applied)).toEqual([[], [], []]);
    }
    for (const url of urls) {
      expect(open(url).prepare('SELECT "migration_name" FROM "_prisma_migrations"').pluck().all()).toEqual(names);
    }
  });

  it('all succeed on an older one, and one of them applies what is missing', async () => {
    const urls = Array.from({ length: 8 }, temporaryDatabaseUrl);
    for (const url of urls) migrateSqlite(url, [first]);
    for (const outcomes of await migrateInFour(urls, [first, second])) {
      const applied = outcomes.map((outcome) => outcome.applied).filter((names) => names.length > 0);
      expect(applied).toEqual([['0002_second']]);
    }
    for (const url of urls) expect(open(url).prepare('SELECT * FROM one').all()).toEqual([{ id: '1' }]);
  });
});
