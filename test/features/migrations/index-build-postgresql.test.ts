/** Migrations that build an index beside the writes of servers. */
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { Migration } from '../../../src/database/drivers/bundled-migrations.js';
import { migratePostgresql } from '../../../src/features/migrations/postgresql.js';
import type { Progress } from '../../../src/database/writing/progress.js';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

const TABLE = { name: '0001_table', sql: 'CREATE TABLE a (x INT); INSERT INTO a SELECT generate_series(1, 9);' };
const COLUMN = { name: '0002_column', sql: 'ALTER TABLE a ADD COLUMN y INT;' };
const INDEX = { name: '0003_index', sql: '-- Reads by x.\nCREATE INDEX CONCURRENTLY "a_by_x" ON "a"("x");' };
const LATER = { name: '0004_later', sql: 'ALTER TABLE a ADD COLUMN z INT;' };

/** A database with a table, and a connection of a server to it. */
async function tableAndServer(): Promise<{ url: ServerUrl; server: pg.Client }> {
  const url = parseDatabaseUrl(temporaryDatabaseUrl()) as ServerUrl;
  await migratePostgresql(url, [TABLE]);
  return { url, server: await connected(url) };
}

async function connected(url: ServerUrl): Promise<pg.Client> {
  const client = new pg.Client(postgresqlSettings(url));
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const indexes = async (client: pg.Client) => {
  const { rows } = await client.query<{ name: string; isValid: boolean }>(
    `SELECT relname AS name, indisvalid AS "isValid" FROM pg_index JOIN pg_class ON oid = indexrelid
     WHERE indrelid = 'a'::regclass ORDER BY relname`,
  );
  return rows;
};

const VALID = [{ name: 'a_by_x', isValid: true }];
const names = (migrations: readonly Migration[]) => migrations.map(({ name }) => name);

it('lets servers write, and other processes wait for it', async () => {
  const { url, server } = await tableAndServer();
  const other = await connected(url);
  await server.query('BEGIN; INSERT INTO a VALUES (10)');
  const all = [TABLE, INDEX, LATER];
  const reported: Progress[] = [];
  const migrating = [
    migratePostgresql(url, all, { onProgress: (progress) => reported.push(progress) }),
    migratePostgresql(url, all),
  ];
  await expect.poll(async () => await indexes(other)).toEqual([{ name: 'a_by_x', isValid: false }]);
  await other.query('INSERT INTO a VALUES (11)');
  await server.query('COMMIT');

  const applied = (await Promise.all(migrating)).flatMap((outcome) => outcome.applied);
  expect(applied.sort()).toEqual(names([INDEX, LATER]));
  expect(await indexes(server)).toEqual(VALID);
  expect(await migratePostgresql(url, all)).toEqual({ applied: [], isNew: false });
});

it('is committed apart from those before and after it, which is reported as one upgrade', async () => {
  const { url, server } = await tableAndServer();
  const ended: string[] = [];
  const onProgress = (progress: Progress) => {
    if ('name' in progress && progress.isDone) ended.push(`${progress.name} ${progress.number}/${progress.total}`);
  };
  const failing = { name: '0004_failing', sql: 'ALTER TABLE missing ADD COLUMN z INT;' };
  const all = [TABLE, COLUMN, INDEX, failing];
  await expect(migratePostgresql(url, all, { onProgress })).rejects.toThrow('the migration "0004_failing" failed');
  expect(ended).toEqual(['0002_column 1/3', '0003_index 2/3']);
  expect(await indexes(server)).toEqual(VALID);
  expect(await migratePostgresql(url, [TABLE, COLUMN, INDEX, LATER])).toMatchObject({ applied: ['0004_later'] });
});

it('is part of the only transaction of a new database', async () => {
  const url = parseDatabaseUrl(temporaryDatabaseUrl()) as ServerUrl;
  const all = [TABLE, INDEX, LATER];
  expect(await migratePostgresql(url, all)).toEqual({ applied: names(all), isNew: true });
  expect(await indexes(await connected(url))).toEqual(VALID);
});

it('leaves no index behind when it fails', async () => {
  const { url, server } = await tableAndServer();
  await server.query('INSERT INTO a VALUES (9)');
  const unique = { ...INDEX, sql: INDEX.sql.replace('INDEX', 'UNIQUE INDEX') };
  await expect(migratePostgresql(url, [TABLE, unique])).rejects.toThrow('could not create unique index');
  expect(await indexes(server)).toEqual([]);
});

it('ends when it is aborted, and the next process builds the index', async () => {
  const { url, server } = await tableAndServer();
  const other = await connected(url);
  await server.query('BEGIN; INSERT INTO a VALUES (10)');
  const aborting = new AbortController();
  const migrating = migratePostgresql(url, [TABLE, INDEX], { signal: aborting.signal });
  const ended = expect(migrating).rejects.toThrow('enough');
  await expect.poll(async () => (await indexes(other)).length).toBe(1);
  aborting.abort(new Error('enough'));
  await expect.poll(() => isBuilding(other)).toBe(false);
  await server.query('COMMIT');
  await ended;
  expect(await indexes(server)).toEqual([]);
  expect(await migratePostgresql(url, [TABLE, INDEX])).toEqual({ applied: names([INDEX]), isNew: false });
  expect(await indexes(server)).toEqual(VALID);
});

async function isBuilding(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(`SELECT 1 FROM pg_stat_progress_create_index WHERE relid = 'a'::regclass`);
  return rowCount === 1;
}
