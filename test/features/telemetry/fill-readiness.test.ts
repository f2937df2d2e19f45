/** A running fill is part of readiness and of the metrics. */
import sql from 'sql-template-tag';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { holdDatabase } from '../../support/database/raw-database.js';
import { temporaryDatabase } from '../../support/database/temporary-database.js';
import { startMeasured } from './measured-server.js';

const MESSAGES = 250;

it('shows the messages that are filled, and does not affect readiness', async () => {
  const { url: databaseUrl, store, connection, remove } = await temporaryDatabase();
  onTestFinished(remove);
  await createChat(store, VIEWER, { id: 'c' });
  const messages = Array.from({ length: MESSAGES }, () => ({ name: 'user', content: { text: 'a' } }));
  await saveMessages(store, VIEWER, { chatId: 'c', messages });
  await connection.write('test', (tx) => tx.run(sql`UPDATE messages SET "contentHash" = NULL`));

  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const { url, series } = await startMeasured({ databaseUrl, demo: false, log: (line) => lines.push(line) });
  const readiness = async () => (await (await fetch(new URL('/health/ready', url))).json()) as { fill?: object };
  const remaining = async () => (await series()).get('parley_fill_remaining_messages');
  expect(await readiness()).not.toHaveProperty('fill');
  expect(await remaining()).toBe(0);

  const { release } = await holdDatabase(databaseUrl);
  vi.advanceTimersByTime(60_000);
  const fill = { name: 'message hashes', done: 0, total: MESSAGES, seconds: expect.any(Number) as number };
  await expect.poll(async () => (await readiness()).fill).toEqual(fill);
  expect(await remaining()).toBe(MESSAGES);
  await release();
  await expect.poll(async () => (await readiness()).fill).toBeUndefined();
  expect(await remaining()).toBe(0);
  expect(lines.filter((line) => line.startsWith('Fill of message hashes'))).toHaveLength(2);
});
