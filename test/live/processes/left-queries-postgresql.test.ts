/** Clients that disconnect while PostgreSQL runs their statements. */
import { expect, it } from 'vitest';
import { startConfigured } from '../../support/server/configured-server.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';

const QUERY = '{ chat(id: "c") { id } }';

it('cancel their own statements only', async () => {
  const databaseUrl = emptyDatabaseUrl();
  const server = await startConfigured({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true' });
  await server.post('mutation { createChat(input: { id: "c" }) { __typename } }');
  const [holder, observer] = [await rawDatabase(databaseUrl), await rawDatabase(databaseUrl)];
  const waiting = async () => {
    const rows = await observer.rows(`SELECT FROM pg_locks WHERE NOT granted AND relation = 'chats'::regclass`);
    return rows.length;
  };
  // Statements that run until they are cancelled.
  await holder.run('BEGIN; LOCK TABLE chats IN ACCESS EXCLUSIVE MODE');
  const going = new AbortController();
  const left = Array.from({ length: 4 }, () =>
    fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: QUERY }),
      signal: going.signal,
    }).catch((error: unknown) => (error as Error).name),
  );
  const staying = [server.post(QUERY), server.post(QUERY)];
  await expect.poll(waiting).toBe(left.length + staying.length);
  going.abort();
  expect(await Promise.all(left)).toEqual(left.map(() => 'AbortError'));
  await expect.poll(waiting).toBe(staying.length);
  await holder.run('COMMIT');
  for (const { data } of await Promise.all(staying)) expect(data).toEqual({ chat: { id: 'c' } });
  expect(server.log()).toBe('');
});
