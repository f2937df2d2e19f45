/** SIGKILL while a migration builds an index: the next process builds it, and applies the later migrations. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { Migration } from '../../../src/database/drivers/bundled-migrations.js';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

const built = (name: string) => JSON.stringify(new URL(`../../../dist/${name}.js`, import.meta.url).href);
const MIGRATE = `
  import { migratePostgresql } from ${built('features/migrations/postgresql')};
  import { progressLog } from ${built('database/writing/progress')};
  import { parseDatabaseUrl } from ${built('database/connection/database-url')};
  const [url, migrations] = process.argv.slice(1);
  const onProgress = progressLog((line) => console.log(line));
  await migratePostgresql(parseDatabaseUrl(url), JSON.parse(migrations), { onProgress });`;

const TABLE = { name: '0001_table', sql: 'CREATE TABLE a (x INT); INSERT INTO a SELECT generate_series(1, 20000);' };
const INDEX = { name: '0002_index', sql: 'CREATE INDEX CONCURRENTLY "a_by_x" ON "a"("x");' };
const LATER = { name: '0003_later', sql: 'ALTER TABLE a ADD COLUMN z INT;' };
const ALL = [TABLE, INDEX, LATER];

function migrating(url: string, migrations: readonly Migration[]) {
  const process_ = spawn(process.execPath, ['--input-type=module', '-e', MIGRATE, url, JSON.stringify(migrations)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = { text: '' };
  process_.stdout.on('data', (chunk: Buffer) => (output.text += chunk.toString()));
  return { output, exited: once(process_, 'close'), kill: () => process_.kill('SIGKILL') };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client(postgresqlSettings(parseDatabaseUrl(url) as ServerUrl));
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

it('is continued by the next process', async () => {
  const url = temporaryDatabaseUrl();
  expect(await migrating(url, [TABLE]).exited).toEqual([0, null]);
  const [server, observer] = [await connected(url), await connected(url)];
  // The build waits for this transaction.
  await server.query('BEGIN; INSERT INTO a VALUES (0)');
  const isBuilding = async () => {
    const { rowCount } = await observer.query(
      `SELECT 1 FROM pg_stat_progress_create_index WHERE relid = 'a'::regclass`,
    );
    return rowCount === 1;
  };
  for (let kills = 0; kills < 3; kills++) {
    const killed = migrating(url, ALL);
    await expect.poll(() => killed.output.text).toMatch(/^Migration 0002_index, 1 of 2, started/);
    if (kills === 0) await expect.poll(isBuilding).toBe(true);
    killed.kill();
    expect(await killed.exited).toEqual([null, 'SIGKILL']);
  }
  const next = migrating(url, ALL);
  await expect.poll(() => next.output.text).toMatch(/^Migration 0002_index, 1 of 2, started/);
  await server.query('COMMIT');
  expect(await next.exited).toEqual([0, null]);
  expect(next.output.text).toMatch(/0002_index, 1 of 2, took [0-9.]+ seconds\n.*0003_later, 2 of 2, started\n.*took/);

  const indexes = await observer.query(`SELECT indisvalid FROM pg_index WHERE indrelid = 'a'::regclass`);
  expect(indexes.rows).toEqual([{ indisvalid: true }]);
  const applied = await observer.query(`SELECT migration_name FROM _prisma_migrations ORDER BY migration_name`);
  expect(applied.rows).toEqual(ALL.map(({ name }) => ({ migration_name: name })));
});
