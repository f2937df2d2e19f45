/** Waiting messages survive the page that sent them. */
import { expect, test } from 'vitest';
import type { ParleyError, ThreadStore } from '../../src/client.js';
import { createOutbox, indexedDbOutbox, type OutboxStorage } from '../../src/outbox/outbox.js';
import { openTab, sendTexts, startChat, until } from '../open-parley.js';
import { storageOf } from './storage-of.js';

type Network = { isUp: boolean; saves: number };

/** A page of a user, on a network that can be disconnected. */
function openPage(server: { url: string }, { storage }: { storage: OutboxStorage }, network: Network) {
  const errors: string[] = [];
  const refused: string[] = [];
  const outbox = createOutbox(storage, {
    onError: ({ message }) => errors.push(message),
    onRefused: ({ code }, { id }) => refused.push(`${id} ${code}`),
  });
  const tab = openTab(server, {
    fetch: (url, init) => {
      if (!network.isUp) return Promise.reject(new TypeError('offline'));
      if (/SaveMessages/.test(init?.body as string)) network.saves++;
      return fetch(url, init);
    },
  });
  const store = tab.thread('c', { outbox });
  const leave = () => {
    store.close();
    tab.parley.close();
  };
  return { store, outbox, errors, refused, leave };
}

const statuses = (store: ThreadStore) => store.getState().thread.map(({ text, status }) => `${text} ${status}`);

async function textsOf(server: Awaited<ReturnType<typeof startChat>>): Promise<string[]> {
  const store = server.tab.thread('c');
  await store.open();
  await store.loadAll();
  return store.getState().allMessages.map(({ text }) => text);
}

test('messages that were sent offline survive a reload in order, and are sent once', async () => {
  const server = await startChat('hello');
  const kept = storageOf();
  const network = { isUp: true, saves: 0 };
  const first = openPage(server, kept, network);
  await first.store.open();
  network.isUp = false;
  void first.store.send('one', { id: 'm1' });
  void first.store.send('two', { id: 'm2' });
  await first.store.when(({ thread }) => thread[1]?.status === 'waiting' && thread.length === 3);
  await expect.poll(() => [...kept.rows.keys()]).toEqual(['m1', 'm2']);
  first.leave();

  const second = openPage(server, kept, network);
  second.store.subscribe(() => {});
  await second.store.when(({ thread }) => thread.length === 2);
  expect(statuses(second.store)).toEqual(['one waiting', 'two waiting']);
  expect(second.store.getState().chat).toBeNull();
  // A message of this page follows the waiting ones.
  const third = second.store.send('three', { id: 'm3' });
  network.isUp = true;
  expect(await third).toMatchObject({ ok: true });
  await until(second.store, 'hello one two three');
  await expect.poll(() => kept.rows.size).toBe(0);
  expect(network.saves).toBe(3);
  expect(await textsOf(server)).toEqual(['hello', 'one', 'two', 'three']);
  expect([...second.errors, ...second.refused]).toEqual([]);
});

test('two tabs with the same messages save them once, and so does a page whose response was lost', async () => {
  const server = await startChat('hello');
  const kept = storageOf();
  const network = { isUp: true, saves: 0 };
  const first = openPage(server, kept, network);
  await first.store.open();
  network.isUp = false;
  void first.store.send('one', { id: 'm1' });
  await expect.poll(() => kept.rows.size).toBe(1);
  const [row] = kept.rows.values();
  first.leave();
  const tabs = [openPage(server, kept, network), openPage(server, kept, network)];
  for (const { store } of tabs) {
    store.subscribe(() => {});
    await store.when(({ thread }) => thread[0]?.status === 'waiting');
  }
  network.isUp = true;
  for (const { store } of tabs) await until(store, 'hello one');
  await expect.poll(() => kept.rows.size).toBe(0);
  // A tab that receives the event of the other tab's save first sends nothing.
  const { saves } = network;
  expect([1, 2]).toContain(saves);
  for (const { leave } of tabs) leave();
  // The server has saved the message, and the page was closed before the response.
  kept.rows.set('m1', row!);
  const late = openPage(server, kept, network);
  await late.store.open();
  await expect.poll(() => kept.rows.size).toBe(0);
  expect(network.saves).toBe(saves + 1);
  expect(await textsOf(server)).toEqual(['hello', 'one']);
});

test('a message whose branch has moved on is a conflict, also after another reload', async () => {
  const server = await startChat('hello');
  const kept = storageOf();
  const network = { isUp: true, saves: 0 };
  const first = openPage(server, kept, network);
  await first.store.open();
  network.isUp = false;
  void first.store.send('mine', { id: 'mine' });
  await expect.poll(() => kept.rows.size).toBe(1);
  first.leave();
  await sendTexts(server.tab, 'theirs');
  network.isUp = true;
  const second = openPage(server, kept, network);
  await second.store.open();
  await second.store.when(({ conflicts }) => conflicts.length === 1);
  second.leave();
  const third = openPage(server, kept, network);
  await third.store.open();
  const [conflict] = (await third.store.when(({ conflicts }) => conflicts.length === 1)).conflicts;
  expect(conflict!.newerMessages.map(({ text }) => text)).toEqual(['theirs']);
  await conflict!.resolve('append');
  await until(third.store, 'hello theirs mine');
  await expect.poll(() => kept.rows.size).toBe(0);
});

test('a message that is refused after a reload, or too old, is reported', async () => {
  const server = await startChat('hello');
  const kept = storageOf();
  const message = { chatId: 'c', name: 'user', parentId: 'hello', branch: null, isLoose: false };
  const put = (id: string, content: string, createdAt: string) =>
    kept.storage.put({ ...message, id, content, createdAt });
  await put('refused', 'not text: \0', new Date().toISOString());
  await put('old', 'old', '2020-01-01T00:00:00.000Z');
  const page = openPage(server, kept, { isUp: true, saves: 0 });
  await page.store.open();
  await expect.poll(() => page.refused).toEqual(['old EXPIRED', 'refused INVALID_INPUT']);
  await expect.poll(() => kept.rows.size).toBe(0);
  expect(await textsOf(server)).toEqual(['hello']);
});

test('signing out deletes waiting messages, and a refused token deletes nothing', async () => {
  const server = await startChat('hello');
  const kept = storageOf();
  const network = { isUp: true, saves: 0 };
  const first = openPage(server, kept, network);
  await first.store.open();
  network.isUp = false;
  void first.store.send('one');
  await expect.poll(() => kept.rows.size).toBe(1);
  await first.outbox.clear();
  first.leave();
  expect(kept.rows.size).toBe(0);

  let isSignedIn = false;
  const refusal = JSON.stringify({ errors: [{ message: 'no', extensions: { code: 'UNAUTHENTICATED' } }] });
  const tab = openTab(server, {
    fetch: (url, init) => (isSignedIn ? fetch(url, init) : Promise.resolve(new Response(refusal, { status: 401 }))),
  });
  const store = tab.thread('c', { outbox: createOutbox(kept.storage), create: true });
  await kept.storage.put({
    ...{ id: 'm1', chatId: 'c', name: 'user', content: 'one', createdAt: new Date().toISOString() },
    ...{ parentId: 'hello', branch: null, isLoose: false },
  });
  store.subscribe(() => {});
  await store.when(({ status, thread }) => status === 'refused' && thread[0]?.status === 'waiting');
  expect(kept.rows.size).toBe(1);
  isSignedIn = true;
  await until(store, 'hello one');
});

test('a failing or full storage is reported, and the message is still sent', async () => {
  const server = await startChat('hello');
  const broken: OutboxStorage = {
    ...storageOf().storage,
    put: () => Promise.reject(new Error('QuotaExceededError')),
    list: () => Promise.reject(new Error('no storage')),
  };
  const page = openPage(server, { storage: broken }, { isUp: true, saves: 0 });
  await page.store.open();
  expect(await page.store.send('one')).toMatchObject({ ok: true });
  expect(page.errors).toEqual([
    'The outbox cannot store messages, a reload loses them: Error: no storage',
    'The outbox cannot store messages, a reload loses them: Error: QuotaExceededError',
  ]);

  const kept = storageOf();
  const errors: ParleyError[] = [];
  const onError = (error: ParleyError) => void errors.push(error);
  const outbox = createOutbox(kept.storage, { maxMessages: 1, onError });
  const network = { isUp: false };
  const tab = openTab(server, {
    fetch: (url, init) => (network.isUp ? fetch(url, init) : Promise.reject(new TypeError('offline'))),
  });
  const store = tab.thread('c', { outbox, initialState: null });
  const sent = [store.send('a', { id: 'a' }), store.send('b', { id: 'b' })];
  await expect.poll(() => errors.map(({ code }) => code)).toEqual(['FULL']);
  expect([...kept.rows.keys()]).toEqual(['a']);
  // Another store of the page finds both.
  store.close();
  await Promise.all(sent);
  expect((await outbox.list('c', null)).map(({ id }) => id)).toEqual(['a', 'b']);
  outbox.keep(
    { ...(await outbox.list('c'))[0]!, id: 'large', content: 'x'.repeat(1024 * 1024) },
    new Promise(() => {}),
  );
  await expect.poll(() => errors.at(-1)?.code).toBe('TOO_LARGE');
});

test('a message with another parent replaces its row, also in a full outbox', async () => {
  const { rows, storage } = storageOf();
  const errors: ParleyError[] = [];
  const outbox = createOutbox(storage, { maxMessages: 1, onError: (error) => void errors.push(error) });
  const message = {
    ...{ id: 'a', chatId: 'c', name: 'user', content: 'a', createdAt: new Date().toISOString() },
    ...{ parentId: 'q', branch: null, isLoose: false },
  };
  const parents = async () => (await storage.list()).map(({ parentId }) => parentId);
  const running = new Promise<never>(() => {});
  outbox.keep(message, running);
  outbox.keep({ ...message, parentId: 'r' }, running);
  await expect.poll(parents).toEqual(['r']);
  // Another page.
  const later = createOutbox(storage, { maxMessages: 1, onError: (error) => void errors.push(error) });
  const [kept] = await later.list();
  later.keep({ ...kept!, parentId: 's' }, running);
  await expect.poll(parents).toEqual(['s']);
  expect([rows.size, errors]).toEqual([1, []]);
});

test('without IndexedDB, a message is kept in memory, and the page is notified', async () => {
  const server = await startChat('hello');
  const errors: string[] = [];
  const outbox = indexedDbOutbox({ url: server.url, userId: 'u', onError: ({ message }) => errors.push(message) });
  const store = openTab(server).thread('c', { outbox });
  await store.open();
  expect(await store.send('one')).toMatchObject({ ok: true });
  await until(store, 'hello one');
  expect(new Set(errors)).toEqual(new Set([expect.stringMatching(/indexedDB is not defined$/)]));
});

test('messages of chats that no page opens are sent by resend', async () => {
  const server = await startChat('hello');
  const kept = storageOf();
  await kept.storage.put({
    ...{ id: 'm1', chatId: 'c', name: 'user', content: 'one', createdAt: new Date().toISOString() },
    ...{ parentId: 'hello', branch: null, isLoose: false },
  });
  const page = openPage(server, kept, { isUp: true, saves: 0 });
  await page.store.resend();
  await expect.poll(() => kept.rows.size).toBe(0);
  expect(await textsOf(server)).toEqual(['hello', 'one']);
});
