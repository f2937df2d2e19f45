/** Answers that are being written, in the writing tab and in another. */
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { DraftWriter } from '../../src/writes/draft-writer.js';
import { openFarTab, openTab, sendTexts, shown, startChat, until, valueOf } from '../open-parley.js';

test('every tab shows an answer as it grows, and then its message in the same place', async () => {
  const server = await startChat('q');
  const [here, tab] = [openTab(server).thread('c'), openTab(server)];
  const there = tab.thread('c');
  await Promise.all([here.open(), there.open()]);
  const epoch = there.getState().threadEpoch;
  const writer = valueOf(await here.write());
  writer.append('It ', { type: 'text-delta', id: '0', delta: 'is ' });
  await there.when(() => shown(there) === 'q It is ');
  expect(there.getState().thread.at(-1)).toMatchObject({ id: writer.id, name: 'assistant', status: 'streaming' });
  const [q] = there.getState().thread;

  // A page that loads later, and a page that reconnects, show all of it once.
  tab.cut();
  writer.append('so.');
  const late = openTab(server).thread('c');
  await late.open();
  await Promise.all([there, late].map((store) => store.when(() => shown(store) === 'q It is so.')));

  await writer.finish();
  for (const store of [here, there, late]) {
    await store.when(({ drafts, thread }) => drafts.length === 0 && thread.at(-1)?.status === undefined);
    expect(shown(store)).toBe('q It is so.');
    expect(store.getState().thread.at(-1)?.id).toBe(writer.id);
  }
  expect(there.getState().thread[0]).toBe(q);
  expect(there.getState().threadEpoch).toBe(epoch);
});

test('a page shows its own chunks before the server responds, and no chunk twice', async () => {
  const server = await startChat('q');
  const tab = await openFarTab(server);
  const here = tab.thread('c');
  await here.open();
  await here.when(({ status }) => status === 'live');
  const writer = valueOf(await here.write());
  tab.network.swallow();
  writer.append('one ');
  expect(shown(here)).toBe('q one ');
  writer.append('two ');
  expect(shown(here)).toBe('q one two ');
  await here.when(({ status }) => status === 'away');
  writer.append('three');
  expect(shown(here)).toBe('q one two three');
  tab.network.restore();
  const late = openTab(server).thread('c');
  await late.open();
  await late.when(() => shown(late) === 'q one two three');
  await here.when(({ status }) => status === 'live');
  await writer.finish();
  await here.when(({ drafts }) => drafts.length === 0);
  await until(here, 'q one two three');
  expect(here.getState().allMessages).toHaveLength(2);
});

test('a chat with a running draft is opened with it', async () => {
  const server = await startChat('q');
  const here = openTab(server).thread('c');
  await here.open();
  const writer = valueOf(await here.write());
  const there = openTab(server).thread('c');
  const ends: (string | undefined)[] = [];
  there.subscribe(() => {
    const { chat, thread } = there.getState();
    if (chat !== null) ends.push(thread.at(-1)?.status);
  });
  await there.when(({ status }) => status === 'live');
  expect(new Set(ends)).toEqual(new Set(['streaming']));
  // Without chunks and content, the message has an empty text.
  await writer.finish();
  await there.when(({ drafts }) => drafts.length === 0);
  expect(there.getState().thread.at(-1)).toMatchObject({ id: writer.id, text: '' });
});

test('the next message follows an answer whose events have not arrived', async () => {
  const server = await startChat('q', 'a');
  const tab = openTab(server);
  const here = tab.thread('c');
  await here.open();
  await here.when(({ status }) => status === 'live');
  for (const parentId of [undefined, 'q']) {
    const writer = valueOf(await here.write(parentId === undefined ? {} : { parentId }));
    writer.append('b');
    tab.hold();
    await writer.finish();
    expect(here.getState().thread.at(-1)).toMatchObject({ id: writer.id, text: 'b' });
    expect(here.getState().thread.at(-1)?.status).toBeUndefined();
    const sent = await here.send('next');
    expect(sent.ok).toBe(true);
    tab.release();
    await until(here, parentId === undefined ? 'q a b next' : 'q b next');
    await here.when(({ branch, leafId }) => branch?.isActive === true && branch.headId === leafId);
    expect(here.getState().conflicts).toEqual([]);
  }
});

test('a discarded draft disappears', async () => {
  const server = await startChat('q');
  const here = openTab(server).thread('c');
  await here.open();
  const writer = valueOf(await here.write());
  writer.append('oops');
  await here.when(() => shown(here) === 'q oops');
  await writer.discard();
  await until(here, 'q');
  expect(here.getState().drafts).toEqual([]);
});

test.each([
  ['before', '"chatEvents":'],
  ['after', '"chatEvents":|"DraftFinished"|"complete"'],
])('a finished answer is no draft in a page that receives its end %s it reads the chat again', async (_, held) => {
  const server = await startChat('q', 'a');
  /** While the socket is paused, the events of the chat exceed the catch-up limit. Events of drafts arrive later. */
  let isHeld = false;
  const later: (() => void)[] = [];
  class Socket extends WebSocket {
    override emit(event: string, ...args: unknown[]): boolean {
      const text = String(args[0]);
      if (!isHeld || !new RegExp(held).test(text)) return super.emit(event, ...args);
      if (!text.includes('chatEvents')) later.push(() => super.emit(event, ...args));
      return true;
    }
  }
  const [here, tab] = [openTab(server).thread('c'), await openFarTab(server, { webSocket: Socket })];
  const there = tab.thread('c', { farBehind: 2, pageSize: 4 });
  await Promise.all([here.open(), there.open()]);
  const [end, beside] = [valueOf(await here.write()), valueOf(await here.write({ parentId: 'q' }))];
  for (const writer of [end, beside]) writer.append('words');
  await there.when(({ drafts }) => drafts.length === 2 && drafts.every(({ chunks }) => chunks.length === 1));
  isHeld = true;
  tab.network.swallow();
  await there.when(({ status }) => status === 'away');
  // One draft is at the end of the thread, the other is an unread version.
  await beside.finish();
  await here.switchBranch('main');
  await end.finish();
  for (const text of ['more', 'and', 'yet', 'further']) await sendTexts(server.tab, text);
  tab.network.restore();
  await there.when(({ thread }) => thread.at(-1)?.text === 'further');
  isHeld = false;
  for (const deliver of later) deliver();
  await there.when(({ drafts }) => drafts.length === 0);
  expect(shown(there)).toBe('more and yet further');
  expect(tab.requests.filter((name) => name === 'OpenThread')).toHaveLength(2);
});

test('a refused append fails the draft, which can end with given content', async () => {
  const { tab, ask } = await startChat('q');
  const writer = await DraftWriter.start(tab.parley, { chatId: 'c' });
  writer.append('a', JSON.parse('['.repeat(500) + ']'.repeat(500)));
  for (const failed of [writer.flush(), writer.finish()]) {
    await expect(failed).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  }
  expect(writer.signal.reason).toMatchObject({ code: 'INVALID_INPUT' });
  await writer.finish('all of it');
  expect(await ask('{ chat(id: "c") { lastMessage { text } } }')).toMatchObject({
    data: { chat: { lastMessage: { text: 'all of it' } } },
  });
});

test('a subclass of DraftWriter writes the answers of its store', async () => {
  class OwnWriter extends DraftWriter {}
  const { tab } = await startChat('q');
  const store = tab.thread('c', { writer: OwnWriter });
  await store.open();
  expect(valueOf(await store.write())).toBeInstanceOf(OwnWriter);
});
