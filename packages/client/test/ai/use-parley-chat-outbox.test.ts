/** useParleyChat with an outbox: messages that were sent offline are sent later, and survive a reload. */
import { expect, test } from 'vitest';
import { createOutbox } from '../../src/outbox/outbox.js';
import { openModel, openPage as open, serveModel } from './chat-page.js';
import { openTab, startChat } from '../open-parley.js';
import { storageOf } from '../outbox/storage-of.js';

/** A chat whose pages can lose the network, with the messages of all of them in one storage. */
async function start(writer: 'route' | 'page') {
  const server = await startChat('q');
  const model = openModel();
  const network = { isUp: true, isSignedIn: true, refusals: 0 };
  const api = await serveModel(server, model);
  const error = { message: 'Sign in', extensions: { code: 'UNAUTHENTICATED' } };
  const fetchOrNot: typeof fetch = async (...request) => {
    if (!network.isUp) throw new TypeError('fetch failed');
    if (network.isSignedIn) return fetch(...request);
    network.refusals++;
    return Response.json({ error, errors: [error] }, { status: 401 });
  };
  const { rows, storage } = storageOf();
  const refused: unknown[] = [];
  const openPage = () => {
    const outbox = createOutbox(storage, { onRefused: ({ code }, { id }) => void refused.push([id, code]) });
    const tab = openTab(server, { fetch: fetchOrNot });
    const options = writer === 'route' ? { api, fetch: fetchOrNot } : model;
    const page = open(tab, options, 'c', undefined, { outbox });
    const leave = () => {
      page.view.unmount();
      page.chat.store.close();
      tab.parley.close();
    };
    return Object.assign(page, { leave });
  };
  /** A page that follows the chat. */
  const openLive = async () => {
    const page = openPage();
    await page.shows('q');
    await page.isLive();
    return page;
  };
  return { server, model, network, rows, storage, refused, openPage, openLive, answers: model.answers };
}

test.each(['route', 'page'] as const)('a message is sent when its %s is reachable again', async (writer) => {
  const { model, network, rows, openLive, answers } = await start(writer);
  const page = await openLive();
  network.isUp = false;
  const sent = page.chat.sendMessage({ text: 'Keep this' });
  await page.shows('q | Keep this', 'submitted');
  await expect.poll(() => rows.size).toBe(1);
  network.isUp = true;
  await answers('Kept.');
  await sent;
  await page.shows('q | Keep this | Kept.');
  expect([page.chat.error, model.asked]).toEqual([undefined, [['q', 'Keep this']]]);
  await expect.poll(() => rows.size).toBe(0);
});

test.each(['route', 'page'] as const)('messages of an earlier page are sent in order, over the %s', async (writer) => {
  const { model, network, rows, openPage, openLive, answers } = await start(writer);
  const first = await openLive();
  network.isUp = false;
  void first.chat.sendMessage({ text: 'one' });
  void first.chat.sendMessage({ text: 'two' });
  await expect.poll(() => rows.size).toBe(2);
  first.leave();
  const second = openPage();
  await expect.poll(() => second.view.text()).toBe('one | two');
  network.isUp = true;
  await answers('1');
  await answers('2');
  await second.shows('q | one | 1 | two | 2');
  expect(model.asked).toEqual([
    ['q', 'one'],
    ['q', 'one', '1', 'two'],
  ]);
  await expect.poll(() => rows.size).toBe(0);
});

test('a kept message after newer ones is a conflict, and a discarded one leaves the outbox', async () => {
  const { server, network, rows, refused, openPage, openLive } = await start('route');
  const first = await openLive();
  network.isUp = false;
  void first.chat.sendMessage({ text: 'late' });
  await expect.poll(() => rows.size).toBe(1);
  first.leave();
  const other = server.tab.thread('c');
  await other.open();
  await other.send('newer');
  network.isUp = true;
  const second = openPage();
  await second.shows('q | newer');
  await expect.poll(() => second.chat.conflicts.map(({ messages }) => messages[0]?.text)).toEqual(['late']);
  expect(rows.size).toBe(1);
  await second.chat.conflicts[0]?.resolve('discard');
  await expect.poll(() => [rows.size, second.chat.conflicts.length]).toEqual([0, 0]);
  expect(refused).toEqual([]);
});

test('stop while the message waits drops it', async () => {
  const { network, rows, openLive } = await start('route');
  const page = await openLive();
  network.isUp = false;
  const sent = page.chat.sendMessage({ text: 'Never mind' });
  await page.shows('q | Never mind', 'submitted');
  await expect.poll(() => rows.size).toBe(1);
  const stopped = page.chat.stop();
  await sent;
  network.isUp = true;
  await stopped;
  await page.shows('q');
  await expect.poll(() => rows.size).toBe(0);
});

test.each(['route', 'page'] as const)(
  'after stop, a message that waits for the dropped one is sent, over the %s',
  async (writer) => {
    const { network, rows, openLive, answers } = await start(writer);
    const page = await openLive();
    network.isUp = false;
    const sent = [page.chat.sendMessage({ text: 'A' }), page.chat.sendMessage({ text: 'B' })];
    await page.shows('q | A | B', 'submitted');
    await expect.poll(() => rows.size).toBe(2);
    const stopped = page.chat.stop();
    await page.shows('q | B', 'submitted');
    network.isUp = true;
    await Promise.all([answers('b'), stopped]);
    await Promise.all(sent);
    await page.shows('q | B | b');
    await expect.poll(() => rows.size).toBe(0);
  },
);

test.each(['route', 'page'] as const)(
  'a message of a signed-out user is sent after the next sign-in, over the %s',
  async (writer) => {
    const { network, rows, refused, openPage, openLive, answers } = await start(writer);
    const first = await openLive();
    network.isSignedIn = false;
    void first.chat.sendMessage({ text: 'Keep this' });
    await expect.poll(() => network.refusals).toBeGreaterThan(1);
    await first.shows('q | Keep this', 'submitted');
    expect(rows.size).toBe(1);
    first.leave();

    const second = openPage();
    await expect.poll(() => second.chat.storeStatus).toBe('refused');
    await expect.poll(() => second.view.text()).toBe('Keep this');
    expect(rows.size).toBe(1);
    network.isSignedIn = true;
    await answers('Kept.');
    await second.shows('q | Keep this | Kept.');
    await expect.poll(() => rows.size).toBe(0);
    expect(refused).toEqual([]);
  },
);

test('a message of a page that has not read its chat is kept, and follows the thread', async () => {
  const { network, rows, openPage, answers } = await start('route');
  network.isUp = false;
  const page = openPage();
  await expect.poll(() => page.chat).toBeDefined();
  void page.chat.sendMessage({ text: 'A' });
  void page.chat.sendMessage({ text: 'B' });
  await page.shows('A | B', 'submitted');
  await expect.poll(() => rows.size).toBe(2);
  network.isUp = true;
  await answers('a');
  await answers('b');
  await page.shows('q | A | a | B | b');
  expect(page.chat.conflicts).toEqual([]);
  await expect.poll(() => rows.size).toBe(0);
});

test('a message of a new page follows those of an earlier one', async () => {
  const { network, rows, storage, openPage, openLive, answers } = await start('route');
  const first = await openLive();
  network.isUp = false;
  void first.chat.sendMessage({ text: 'one' });
  await expect.poll(() => rows.size).toBe(1);
  first.leave();
  network.isUp = true;
  const { list } = storage;
  let read = () => {};
  const reading = new Promise<void>((resolve) => (read = resolve));
  storage.list = () => reading.then(list);
  const second = openPage();
  await expect.poll(() => second.chat).toBeDefined();
  void second.chat.sendMessage({ text: 'two' });
  await second.isLive();
  read();
  await answers('1');
  await answers('2');
  await second.shows('q | one | 1 | two | 2');
});

test('after a reload, a message follows the answer to its predecessor', async () => {
  const { model, network, rows, openPage, openLive, answers } = await start('route');
  const first = await openLive();
  void first.chat.sendMessage({ text: 'one' });
  await first.chat.store.when(({ thread }) => thread.length === 2);
  void first.chat.sendMessage({ text: 'two' });
  await expect.poll(() => model.asked).toHaveLength(1);
  network.isUp = false;
  model.begin();
  model.words('1');
  model.end();
  await first.shows('q | one | 1 | two', 'submitted');
  const { id } = first.chat.messages[2]!;
  const parentOf = (row: string) => (JSON.parse(row) as { parentId: string }).parentId;
  await expect.poll(() => [...rows.values()].map(parentOf)).toEqual([id]);
  first.leave();
  network.isUp = true;
  const second = openPage();
  await answers('2');
  await second.shows('q | one | 1 | two | 2');
  expect(second.chat.conflicts).toEqual([]);
});

test('a conflict has one resolution', async () => {
  const { server, network, rows, openPage, openLive, answers } = await start('route');
  const first = await openLive();
  network.isUp = false;
  void first.chat.sendMessage({ text: 'late' });
  await expect.poll(() => rows.size).toBe(1);
  first.leave();
  const other = server.tab.thread('c');
  await other.open();
  await other.send('newer');
  network.isUp = true;
  const second = openPage();
  await expect.poll(() => second.chat.conflicts).toHaveLength(1);
  const [conflict] = second.chat.conflicts;
  network.isUp = false;
  const resolved = [conflict!.resolve('append'), conflict!.resolve('discard')];
  await second.shows('q | newer | late', 'submitted');
  network.isUp = true;
  await answers('a');
  for (const outcome of await Promise.all(resolved))
    expect(outcome).toMatchObject({ ok: true, value: [{ text: 'late' }] });
});
