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
  const network = { isUp: true };
  const api = await serveModel(server, model);
  const fetchOrNot: typeof fetch = (...request) =>
    network.isUp ? fetch(...request) : Promise.reject(new TypeError('fetch failed'));
  const { rows, storage } = storageOf();
  const refused: unknown[] = [];
  const openPage = () => {
    const outbox = createOutbox(storage, { onRefused: ({ code }, { id }) => void refused.push([id, code]) });
    const tab = openTab(server, { fetch: fetchOrNot });
    const options = writer === 'route' ? { api, fetch: fetchOrNot } : model;
    return Object.assign(open(tab, options, 'c', undefined, { outbox }), { tab });
  };
  return { server, model, network, rows, refused, openPage, answers: model.answers };
}

test.each(['route', 'page'] as const)('a message is sent when its %s is reachable again', async (writer) => {
  const { model, network, rows, openPage, answers } = await start(writer);
  const page = openPage();
  await page.shows('q');
  await page.isLive();
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
  const { model, network, rows, openPage, answers } = await start(writer);
  const first = openPage();
  await first.shows('q');
  await first.isLive();
  network.isUp = false;
  void first.chat.sendMessage({ text: 'one' });
  void first.chat.sendMessage({ text: 'two' });
  await expect.poll(() => rows.size).toBe(2);
  first.view.unmount();
  first.chat.store.close();
  first.tab.parley.close();
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
  const { server, network, rows, refused, openPage } = await start('route');
  const first = openPage();
  await first.shows('q');
  await first.isLive();
  network.isUp = false;
  void first.chat.sendMessage({ text: 'late' });
  await expect.poll(() => rows.size).toBe(1);
  first.view.unmount();
  first.chat.store.close();
  first.tab.parley.close();
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
  const { network, rows, openPage } = await start('route');
  const page = openPage();
  await page.shows('q');
  await page.isLive();
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
