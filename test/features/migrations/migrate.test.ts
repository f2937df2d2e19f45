import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Migration } from '../../../src/database/drivers/bundled-migrations.js';
import type { MigrationOutcome } from '../../../src/database/opening/migrator.js';
import { connect } from '../../../src/database/opening/open.js';
import { bundled, migrate, provider } from '../../support/database/migrations.js';
import { parseDatabaseUrl } from '../../../src/database/connection/database-url.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { POSTGRESQL_TABLES, SQLITE_TABLES } from '../imports/original/original-fixture.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

async function rowsOf<Row>(url: string, sql: string): Promise<Row[]> {
  return (await rawDatabase(url)).rows<Row>(sql);
}

async function change(url: string, sql: string): Promise<void> {
  await (await rawDatabase(url)).run(sql);
}

async function tablesOf(url: string): Promise<string[]> {
  const tables = await rowsOf<{ name: string }>(
    url,
    provider === 'sqlite'
      ? `SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`
      : `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename COLLATE "C"`,
  );
  return tables.map(({ name }) => name);
}

/** All recorded migrations. */
const recordsOf = (url: string) => rowsOf(url, 'SELECT * FROM "_prisma_migrations" ORDER BY "migration_name"');

const first: Migration = { name: '0001_first', sql: 'CREATE TABLE one (id TEXT);' };
const second: Migration = { name: '0002_second', sql: 'CREATE TABLE two (id TEXT); INSERT INTO one VALUES (1);' };

describe('a migration run', () => {
  it('refuses a database of @deepagents/context with the command that imports it, and does not change it', async () => {
    const url = temporaryDatabaseUrl();
    const parsed = parseDatabaseUrl(url);
    const source = parsed.provider === 'sqlite' ? parsed.path : parsed.shown;
    // A file without migrations.
    if (parsed.provider === 'sqlite') new Database(parsed.path).close();
    else await change(url, `CREATE SCHEMA "${parsed.schema}"`);
    await change(url, parsed.provider === 'sqlite' ? SQLITE_TABLES : POSTGRESQL_TABLES);
    const fault = `it is a database of @deepagents/context, and is unchanged. Open a new database, and run \`parley import ${source}\` with it`;
    await expect(migrate(url)).rejects.toThrow(fault);
    expect(await tablesOf(url)).toEqual(['branches', 'chats', 'checkpoints', 'messages']);
  });

  it('applies nothing the second time and keeps the rows', async () => {
    const url = temporaryDatabaseUrl();
    await migrate(url, [first, second]);
    expect(await migrate(url, [first, second])).toEqual({ applied: [], isNew: false });
    expect(await rowsOf(url, 'SELECT * FROM one')).toEqual([{ id: '1' }]);
  });

  it('does not count a migration that was rolled back', async () => {
    const url = temporaryDatabaseUrl();
    await migrate(url, [first]);
    await change(url, 'UPDATE "_prisma_migrations" SET "rolled_back_at" = CURRENT_TIMESTAMP; DROP TABLE one');
    expect((await migrate(url, [first])).applied).toEqual(['0001_first']);
  });
});

describe('a migration that fails', () => {
  const broken: Migration = {
    name: '0003_broken',
    sql: 'CREATE TABLE three (id TEXT); INSERT INTO nowhere VALUES (1);',
  };

  it('is reported by name with the reason, and changes nothing, including the migrations before it', async () => {
    const url = temporaryDatabaseUrl();
    await expect(migrate(url, [first, second, broken])).rejects.toThrow(
      /^the migration "0003_broken" failed, and nothing was changed: .*nowhere/,
    );
    expect(await tablesOf(url)).toEqual([]);
  });

  it('does not change an older database, so that it can be repeated', async () => {
    const url = temporaryDatabaseUrl();
    await migrate(url, [first]);
    await expect(migrate(url, [first, second, broken])).rejects.toThrow(/"0003_broken"/);
    expect(await tablesOf(url)).toEqual(['_prisma_migrations', 'one']);
    expect((await migrate(url, [first, second])).applied).toEqual(['0002_second']);
  });
});

describe('a database with other migrations', () => {
  it('is refused with the name of a differing migration, and nothing is applied', async () => {
    const url = temporaryDatabaseUrl();
    await migrate(url, [first]);
    await expect(migrate(url, [{ ...first, sql: `${first.sql} ` }, second])).rejects.toThrow(
      /"0001_first" was changed/,
    );
    expect(await tablesOf(url)).toEqual(['_prisma_migrations', 'one']);
  });

  it('is refused after an unfinished migration, with its name, and nothing is applied', async () => {
    const url = temporaryDatabaseUrl();
    await migrate(url, [first]);
    await change(url, 'UPDATE "_prisma_migrations" SET "finished_at" = NULL');
    await expect(migrate(url, [first, second])).rejects.toThrow(/"0001_first" started and did not end/);
    expect(await tablesOf(url)).toEqual(['_prisma_migrations', 'one']);
  });

  const [last] = bundled.slice(-1);
  const unknown = `INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name")
    VALUES ('future', 'any', CURRENT_TIMESTAMP, '9999_of_the_future')`;
  const ofLast = `"migration_name" = '${last!.name}'`;

  it.each([
    ['an unknown migration', unknown, 'has the migration "9999_of_the_future", which this version'],
    [
      'one that was changed',
      `UPDATE "_prisma_migrations" SET "checksum" = 'other' WHERE ${ofLast}`,
      `the migration "${last!.name}" was changed`,
    ],
    [
      'one that has not ended',
      `UPDATE "_prisma_migrations" SET "finished_at" = NULL WHERE ${ofLast}`,
      `the migration "${last!.name}" started and did not end`,
    ],
  ])('is not opened: %s', async (_, sql, reason) => {
    const url = temporaryDatabaseUrl();
    await migrate(url);
    await change(url, sql);
    const before = await recordsOf(url);
    for (const migrate of [false, true]) {
      await expect(connect(url, { migrate })).rejects.toThrow(reason);
    }
    expect(await recordsOf(url)).toEqual(before);
  });

  it('is not opened if one is missing, unless the server may apply it', async () => {
    const url = temporaryDatabaseUrl();
    const names = bundled.map((migration) => migration.name);
    // SQLite's are always applied, unless the file may only be read.
    const open = () => connect(url, { migrate: false, isReadOnly: provider === 'sqlite' });
    const toDo = (missing: string[]) =>
      `it lacks the migrations ${missing.join(', ')}; run \`npm run migrate\`, or start with MIGRATE_ON_START=true`;
    for (const applied of [0, 1]) {
      await migrate(url, bundled.slice(0, applied));
      const before = [await tablesOf(url), await recordsOf(url)];
      await expect(open()).rejects.toThrow(toDo(names.slice(applied)));
      expect([await tablesOf(url), await recordsOf(url)]).toEqual(before);
    }
    const { applied, connection } = await connect(url, { migrate: true });
    await connection.close();
    expect(applied).toEqual(names.slice(1));
    await (await open()).connection.close();
  });
});

describe('processes that migrate one database at once', () => {
  const PROCESSES = 4;
  /** Reports that it is ready, and for each line migrates databases and prints the applied migrations. */
  const script = `
    import { createInterface } from 'node:readline';
    import { parseDatabaseUrl } from ${JSON.stringify(builtModule('database/connection/database-url'))};
    import { bundledMigrations } from ${JSON.stringify(builtModule('database/drivers/bundled-migrations'))};
    import { migratePostgresql } from ${JSON.stringify(builtModule('features/migrations/postgresql'))};
    import { migrateSqlite } from ${JSON.stringify(builtModule('features/migrations/sqlite'))};
    console.log('ready');
    for await (const line of createInterface(process.stdin)) {
      const { urls, migrations } = JSON.parse(line);
      const outcomes = [];
      for (const url of urls.map(parseDatabaseUrl)) {
        const wanted = migrations ?? bundledMigrations(url.provider);
        outcomes.push(await (url.provider === 'sqlite' ? migrateSqlite(url.path, wanted) : migratePostgresql(url, wanted)));
      }
      console.log(JSON.stringify(outcomes));
    }`;

  function builtModule(name: string): string {
    return new URL(`../../../dist/${name}.js`, import.meta.url).href;
  }

  type Migrate = (urls: string[], migrations?: Migration[]) => Promise<MigrationOutcome[]>;

  let processes: { migrate: Migrate; child: ChildProcess }[];
  beforeAll(async () => {
    processes = await Promise.all(Array.from({ length: PROCESSES }, startProcess));
  });
  afterAll(() => processes.forEach(({ child }) => child.kill()));

  async function startProcess(): Promise<{ migrate: Migrate; child: ChildProcess }> {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const nextLine = async () => String((await lines.next()).value);
    await nextLine();
    const migrate: Migrate = async (urls, migrations) => {
      child.stdin.write(`${JSON.stringify({ urls, migrations })}\n`);
      return JSON.parse(await nextLine()) as MigrationOutcome[];
    };
    return { migrate, child };
  }

  /** The migrations that all processes applied to each database. */
  async function migrateInAll(urls: string[], migrations?: Migration[]): Promise<MigrationOutcome[][]> {
    const outcomes = await Promise.all(processes.map(({ migrate }) => migrate(urls, migrations)));
    return urls.map((_, n) => outcomes.map((outcome) => outcome[n]!));
  }

  it('all succeed on a new database, and one of them creates it', async () => {
    const urls = Array.from({ length: 4 }, temporaryDatabaseUrl);
    const names = bundled.map((migration) => migration.name);
    for (const outcomes of await migrateInAll(urls)) {
      expect(outcomes.filter((outcome) => outcome.isNew).map((outcome) => outcome.applied)).toEqual([names]);
      expect(outcomes.filter((outcome) => !outcome.isNew).flatMap((outcome) => outcome.applied)).toEqual([]);
    }
    for (const url of urls) {
      expect(await recordsOf(url)).toMatchObject(names.map((name) => ({ migration_name: name })));
    }
  });

  it('all succeed on an older one, and one of them applies the missing migrations', async () => {
    const urls = Array.from({ length: 4 }, temporaryDatabaseUrl);
    for (const url of urls) await migrate(url, [first]);
    for (const outcomes of await migrateInAll(urls, [first, second])) {
      const applied = outcomes.map((outcome) => outcome.applied).filter((names) => names.length > 0);
      expect(applied).toEqual([['0002_second']]);
    }
    for (const url of urls) expect(await rowsOf(url, 'SELECT * FROM one')).toEqual([{ id: '1' }]);
  });
});
