/** `POST /import` on PostgreSQL: the import process opens its own connection. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { atDatabase, contentOf } from '../../../cli/database-content.js';
import { startListening } from '../../../support/server/listening-server.js';
import { startProxy } from '../../../support/server/tcp-proxy.js';
import { emptyDatabaseUrl } from '../../../support/database/temporary-database.js';
import { AUTH, bearer } from '../../../support/server/tokens.js';

it('imports a file for a user', async () => {
  const databaseUrl = emptyDatabaseUrl();
  await atDatabase(databaseUrl, async () => {});
  const server = await startListening({ auth: AUTH, databaseUrl });
  const response = await fetch(server.url.replace('/graphql', '/import'), {
    method: 'POST',
    headers: { 'content-type': 'application/jsonl', ...(await bearer('ann')) },
    body: ['One', 'Two', 'Three']
      .map((content) => JSON.stringify({ messages: [{ role: 'user', content }] }))
      .join('\n'),
  });
  expect(await response.text()).toContain('"totals":{"conversations":{"imported":3,');
  expect((await contentOf(databaseUrl)).chats.map(({ userId }) => userId)).toEqual(['ann', 'ann', 'ann']);
  expect(server.unexpectedErrors.size).toBe(0);
});

it('refuses a file while the database cannot be opened', async () => {
  const databaseUrl = new URL(emptyDatabaseUrl());
  const proxy = await startProxy({ host: databaseUrl.hostname, port: Number(databaseUrl.port) });
  databaseUrl.port = String(proxy.port);
  const server = await startListening({ auth: AUTH, databaseUrl: databaseUrl.href });
  proxy.refuse();
  // A response that has shown progress can no longer refuse: the process of the import may need longer than the silence before it.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const response = await fetch(server.url.replace('/graphql', '/import'), {
    method: 'POST',
    headers: { 'content-type': 'application/jsonl', ...(await bearer('ann')) },
    body: '{"messages":[{"role":"user","content":"One"}]}',
  });
  expect([response.status, await response.json()]).toMatchObject([
    503,
    { errors: [{ extensions: { code: 'DATABASE_UNAVAILABLE' } }] },
  ]);
  expect([...server.unexpectedErrors.values()]).toEqual([]);
});
