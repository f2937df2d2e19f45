/** A server that is killed between the commit of changes and the delivery of their events. */
import { expect, it } from 'vitest';
import { startServer } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { startReceiver, webhookTo } from './receiver.js';

const CHATS = Array.from({ length: 20 }, (_, n) => `chat-${n}`);

it('delivers the events of all committed changes after a SIGKILL', async () => {
  const receiver = await startReceiver(() => {});
  const settings = {
    DATABASE_URL: temporaryDatabaseUrl(),
    MIGRATE_ON_START: 'true',
    SWEEP_INTERVAL_MS: '100',
    WEBHOOKS: JSON.stringify([webhookTo(receiver, { events: ['chat.created'], timeoutMs: 1_000 })]),
  } as const;
  const killed = await startServer(settings);
  for (const id of CHATS) {
    const query = `mutation { createChat(input: { id: "${id}" }) { __typename } }`;
    const { data } = await killed.post(query);
    expect(data).toMatchObject({ createChat: { __typename: expect.stringMatching(/Payload$/) as string } });
  }
  // Requests that run: their responses never arrive.
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  killed.kill('SIGKILL');
  await killed.exited;

  const running = receiver.received.splice(0);
  receiver.answer = (_request, response) => void response.writeHead(204).end();
  await startServer(settings);
  // The leases of the running requests end first.
  await expect
    .poll(() => [...new Set(receiver.received.map(({ data }) => data.chatId))].sort())
    .toEqual([...CHATS].sort());
  const ids = new Set(receiver.received.map(({ id }) => id));
  expect(ids.size).toBe(CHATS.length);
  expect(running.filter(({ id }) => !ids.has(id))).toEqual([]);
});
