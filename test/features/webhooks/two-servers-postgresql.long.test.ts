/** Two servers of one PostgreSQL that send the events of each other. */
import { expect, it } from 'vitest';
import { startOwnPostgresql } from '../../support/database/own-postgresql.js';
import { startServer, type ServerProcess } from '../../support/server/server-process.js';
import { startReceiver, webhookTo } from './receiver.js';

const CHATS = Array.from({ length: 40 }, (_, n) => `chat-${n}`);

async function create(server: ServerProcess, id: string): Promise<void> {
  const query = `mutation { createChat(input: { id: "${id}" }) { __typename } }`;
  const { data } = await server.post(query);
  expect(data).toMatchObject({ createChat: { __typename: expect.stringMatching(/Payload$/) as string } });
}

it('two servers deliver each event once, and one of them those of the other after its SIGKILL', async () => {
  const receiver = await startReceiver();
  const settings = {
    DATABASE_URL: (await startOwnPostgresql()).url,
    SWEEP_INTERVAL_MS: '50',
    WEBHOOKS: JSON.stringify([webhookTo(receiver, { timeoutMs: 5_000 })]),
  };
  const first = await startServer({ ...settings, MIGRATE_ON_START: 'true' });
  const second = await startServer(settings);
  await Promise.all(CHATS.map((id, n) => create(n % 2 === 0 ? first : second, id)));
  // Three events of each chat.
  await expect.poll(() => receiver.received.length).toBe(3 * CHATS.length);
  const events = new Set(receiver.received.map(({ data }) => `${data.chatId} ${data.version}`));
  expect(events.size).toBe(3 * CHATS.length);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3 * CHATS.length);

  receiver.received.length = 0;
  receiver.answer = () => {};
  await create(first, 'last');
  await expect.poll(() => receiver.received.length).toBe(3);
  const running = receiver.received.splice(0).map(({ id }) => id);
  first.kill('SIGKILL');
  await first.exited;
  receiver.answer = (_request, response) => void response.writeHead(204).end();
  await expect.poll(() => [...new Set(receiver.received.map(({ id }) => id))].sort()).toEqual(running.sort());
});
