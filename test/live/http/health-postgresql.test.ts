/** Readiness while all connections to PostgreSQL wait for a lock. */
import { expect, it } from 'vitest';
import { startConfigured } from '../../support/server/configured-server.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';

it('a server whose connections all wait for one table is ready: other servers would wait as well', async () => {
  const databaseUrl = emptyDatabaseUrl();
  const server = await startConfigured({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true' });
  await server.post('mutation { createChat(input: { id: "c" }) { __typename } }');
  const [holder, observer] = [await rawDatabase(databaseUrl), await rawDatabase(databaseUrl)];
  await holder.run('BEGIN; LOCK TABLE chats IN ACCESS EXCLUSIVE MODE');
  const reads = Array.from({ length: 40 }, () => server.post('{ chat(id: "c") { id } }'));
  const waiting = async () => {
    const [row] = await observer.rows<{ count: number }>(
      `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'chats'::regclass`,
    );
    return row?.count;
  };
  await expect.poll(waiting).toBe(10);
  const response = await fetch(new URL('/health/ready', server.url));
  expect(await response.json()).toMatchObject({ status: 'ready', database: 'up' });
  const metrics = await (await fetch(new URL('/metrics', server.url))).text();
  expect(metrics.match(/^parley_(ready|database_(up|pool_\w+\{pool="read"\})) .*$/gm)).toEqual([
    'parley_database_up 1',
    'parley_ready 1',
    'parley_database_pool_size{pool="read"} 10',
    'parley_database_pool_used{pool="read"} 10',
    'parley_database_pool_waiting{pool="read"} 30',
  ]);
  await holder.run('COMMIT');
  for (const { data } of await Promise.all(reads)) expect(data).toEqual({ chat: { id: 'c' } });
});
