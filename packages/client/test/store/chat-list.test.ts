/** The reads of a chat list, one at a time. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startListening } from '../../../../test/support/server/listening-server.js';
import { ChatList, EditableChatList } from '../../src/chats/editable-chat-list.js';
import { ChatChanges, CreateChat, UpdateChat, type ChatChangesSubscription } from '../../src/generated/operations.js';
import { openTab } from '../open-parley.js';

/** A filtered list of three chats that shows the first one; its later reads wait for the test. */
async function openList() {
  const server = await startListening();
  const { parley: other } = openTab(server);
  for (const id of ['a', 'b', 'c']) await other.run(CreateChat, { input: { id, title: 'Porto' } });
  const held: (() => void)[] = [];
  let isHeld = false;
  const { parley, cut } = openTab(server, {
    fetch: async (url, init) => {
      if (isHeld && (init?.body as string).includes('ListChats')) await new Promise<void>((go) => held.push(go));
      return fetch(url, init);
    },
  });
  const list = new ChatList(parley, 1, { title: 'Porto' });
  onTestFinished(list.subscribe(() => {}));
  const ids = () => list.getState().chats.map(({ id }) => id);
  await expect.poll(ids).toEqual(['c']);
  isHeld = true;
  /** Sends the held reads and later ones to the server. */
  const release = () => {
    isHeld = false;
    held.forEach((go) => go());
  };
  const rename = (id: string) => other.run(UpdateChat, { input: { chatId: id, title: `Porto of ${id}` } });
  return { list, ids, held, release, rename, cut };
}

test('a next page that is requested during a refresh is read after it', async () => {
  const { list, ids, held, release, rename } = await openList();
  await rename('a');
  await expect.poll(() => held).toHaveLength(1);
  const more = list.loadMore();
  expect(held).toHaveLength(1);
  release();
  await more;
  expect(ids()).toEqual(['a', 'c']);
});

test('a new connection replaces the reads of the old one', async () => {
  const { list, ids, held, release, rename, cut } = await openList();
  await rename('b');
  await expect.poll(() => held).toHaveLength(1);
  const more = list.loadMore();
  cut();
  await expect.poll(() => held).toHaveLength(2);
  held[1]!();
  await expect.poll(ids).toEqual(['b']);
  release();
  await more;
  await list.loadMore();
  expect(ids()).toEqual(['b', 'c']);
});

test('changes that arrive together are one state, and the list keeps as many chats as were requested', async () => {
  const server = await startListening();
  const { parley: other } = openTab(server);
  const create = async (first: number, last: number) => {
    for (let n = first; n <= last; n++) await other.run(CreateChat, { input: { id: `c${n}` } });
  };
  await create(1, 5);
  const { parley, requests, hold, release } = openTab(server);
  const list = new ChatList(parley, 3);
  let states = 0;
  onTestFinished(list.subscribe(() => states++));
  const ids = () => list.getState().chats.map(({ id }) => id);
  await expect.poll(ids).toEqual(['c5', 'c4', 'c3']);
  const arrived = new Promise<void>((resolve) => {
    const next = ({ chatChanges: { chatId } }: ChatChangesSubscription) => chatId === 'c40' && resolve();
    onTestFinished(parley.follow(ChatChanges, {}, { next }));
  });
  hold();
  await create(6, 40);
  // The time of a batch does not pass.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  [states, requests.length] = [0, 0];
  release();
  await arrived;
  expect(states).toBe(0);
  await expect.poll(ids).toEqual(['c40', 'c39', 'c38']);
  expect(states).toBeLessThanOrEqual(2);
  expect(requests).toEqual([]);
  vi.useRealTimers();
  await list.loadMore();
  expect(ids()).toEqual(['c40', 'c39', 'c38', 'c37', 'c36', 'c35']);
  await list.loadMore();
  expect(ids().at(-1)).toBe('c32');
  expect(list.getState().hasMore).toBe(true);
});

test('a newer change by another client remains after the response to an own change', async () => {
  const server = await startListening();
  const { parley: other } = openTab(server);
  await other.run(CreateChat, { input: { id: 'a', title: 'Porto' } });
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let report = () => {};
  const saved = new Promise<void>((resolve) => (report = resolve));
  let receive = () => {};
  const arrived = new Promise<void>((resolve) => (receive = resolve));
  class Socket extends WebSocket {
    constructor(address: string, protocol: string) {
      super(address, protocol);
      this.addEventListener('message', ({ data }) => (data as string).includes('Faro') && receive());
    }
  }
  const { parley } = openTab(server, {
    webSocket: Socket,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (!(init?.body as string).includes('UpdateChat')) return response;
      report();
      await released;
      return response;
    },
  });
  const list = new EditableChatList(parley);
  onTestFinished(list.subscribe(() => {}));
  const titles = () => list.getState().chats.map(({ title }) => title);
  await expect.poll(titles).toEqual(['Porto']);
  // The time of a batch does not pass.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const renamed = list.rename('a', 'Braga');
  await saved;
  await other.run(UpdateChat, { input: { chatId: 'a', title: 'Faro' } });
  await arrived;
  release();
  await renamed;
  expect(titles()).toEqual(['Faro']);
});
