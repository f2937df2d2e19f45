/** A server that migrates a database with content when it starts. */
import { expect, it } from 'vitest';
import { bundled, migrate, provider } from '../../support/database/migrations.js';
import { rawDatabase, type RawDatabase } from '../../support/database/raw-database.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { startConfigured } from '../../support/server/configured-server.js';
import { freePort } from '../../support/server/free-port.js';
import { spawnServer } from '../../support/server/server-process.js';

const LAST = bundled.at(-1)!;

/** Holds a lock for which the migration waits. */
const LOCK = provider === 'sqlite' ? 'BEGIN IMMEDIATE' : 'BEGIN; LOCK TABLE "_prisma_migrations" IN SHARE MODE';

/** A server that has started the last migration, and waits for the end of a transaction. */
async function startMigration() {
  const url = temporaryDatabaseUrl();
  await migrate(url, bundled.slice(0, -1));
  const holder = await rawDatabase(url);
  await holder.run(LOCK);
  const port = await freePort();
  const server = spawnServer({ DATABASE_URL: url, MIGRATE_ON_START: 'true', PORT: String(port) });
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, (await response.text()) as unknown] as const;
  };
  await expect.poll(() => get('/health/live').catch(() => null)).not.toBe(null);
  return { url, holder, server, get };
}

/** The names of the applied migrations. */
async function applied(database: RawDatabase): Promise<string[]> {
  const rows = await database.rows<{ name: string }>(
    'SELECT "migration_name" AS "name" FROM "_prisma_migrations" ORDER BY "migration_name"',
  );
  return rows.map(({ name }) => name);
}

it('is live, not ready, and reports its progress until it starts', async () => {
  const { holder, server, get } = await startMigration();
  expect(await get('/health/live')).toEqual([200, '{"status":"live"}']);
  const [status, body] = await get('/health/ready');
  const migration = { name: LAST.name, number: 1, total: 1, seconds: expect.any(Number) as number };
  expect([status, JSON.parse(String(body))]).toEqual([503, { status: 'migrating', migration }]);
  expect((await get('/graphql?query={__typename}'))[0]).toBe(503);
  expect(server.stderr()).toContain(`Migration ${LAST.name}, 1 of 1, started`);

  await holder.run('COMMIT');
  expect(await server.ready).not.toBe(null);
  expect((await get('/health/ready'))[0]).toBe(200);
  expect(server.stderr()).toMatch(new RegExp(`Migration ${LAST.name}, 1 of 1, took [0-9.]+ seconds`));
  expect(await applied(holder)).toEqual(bundled.map(({ name }) => name));
});

it('ends after SIGTERM, without changes, and the next server migrates', async () => {
  const { url, holder, server } = await startMigration();
  server.kill('SIGTERM');
  expect(await server.exited).toMatchObject({ code: 0, signal: null });
  await holder.run('COMMIT');
  expect(await applied(holder)).toEqual(bundled.slice(0, -1).map(({ name }) => name));

  await startConfigured({ DATABASE_URL: url, MIGRATE_ON_START: 'true' });
  expect(await applied(holder)).toEqual(bundled.map(({ name }) => name));
});
