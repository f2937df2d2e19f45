/** Long chats, and long logs that a client has missed. */
import { expect, test } from 'vitest';
import { saveMessages } from '../../../../src/conversation/saving/save.js';
import { startListening } from '../../../../test/support/server/listening-server.js';
import { VIEWER, writeChain } from '../../../../test/support/chats/large-chats.js';
import { temporaryDatabase } from '../../../../test/support/database/temporary-database.js';
import { openTab } from '../open-parley.js';

const LENGTH = 100_000;
const BEHIND = 10_000;

test('a chat of 100,000 messages is opened with two requests, and pages and jumps with one each', async () => {
  const database = await temporaryDatabase();
  await writeChain(database.store, 'c', LENGTH);
  const server = await startListening({ databaseUrl: database.url });
  const tab = openTab(server);
  const store = tab.thread('c');
  const { thread, hasOlder } = await store.open();
  await store.when(({ status }) => status === 'live');
  expect(tab.requests).toEqual(['OpenThread', 'socket']);
  expect([thread.length, thread.at(-1)?.id, hasOlder]).toEqual([50, `c-${LENGTH - 1}`, true]);
  await store.loadOlder();
  await store.showMessage('c-5000');
  expect(store.getState().thread.some(({ id }) => id === 'c-5000')).toBe(true);
  expect(tab.requests).toEqual(['OpenThread', 'socket', 'ReadPath', 'ReadOnBranch']);
  store.close();
  await server.stop();
  await database.remove();
});

test('a store that missed 10,000 events reads them in order, or reads the chat again', async () => {
  const database = await temporaryDatabase();
  await writeChain(database.store, 'c', 10);
  let server = await startListening({ databaseUrl: database.url });
  const tab = openTab(server);
  const [far, near] = [tab.thread('c'), tab.thread('c', { farBehind: Infinity })];
  for (const store of [far, near]) {
    await store.open();
    await store.when(({ status }) => status === 'live');
  }
  const [first] = near.getState().thread;
  let catchUps = 0;
  await server.stop();
  for (const store of [far, near]) await store.when(({ status }) => status === 'away');
  near.subscribe(() => void (near.getState().status === 'catching-up' && catchUps++));
  for (let n = 10; n < 10 + BEHIND; n++) {
    await saveMessages(database.store, VIEWER, {
      chatId: 'c',
      messages: [{ id: `c-${n}`, name: 'user', type: 'message', content: { data: `c-${n}` } }],
    });
  }
  server = await startListening({ databaseUrl: database.url, port: Number(new URL(server.url).port) });
  for (const store of [far, near]) {
    await store.when(({ status, leafId }) => status === 'live' && leafId === `c-${9 + BEHIND}`);
    expect(store.getState()).toMatchObject({ error: null });
  }
  expect(near.getState().thread.map(({ id }) => id)).toEqual(Array.from({ length: 10 + BEHIND }, (_, n) => `c-${n}`));
  expect(near.getState().thread[0]).toBe(first);
  expect(near.getState().threadEpoch).toBe(0);
  expect(far.getState().version).toBe(near.getState().version);
  // The store publishes a few states while it catches up, not 10,000.
  expect(catchUps).toBeLessThan(BEHIND / 50);
  expect(await far.send('after it')).toMatchObject({ ok: true });
  for (const store of [far, near]) await store.when(({ thread }) => thread.at(-1)?.text === 'after it');
  for (const store of [far, near]) store.close();
  await server.stop();
  await database.remove();
});
