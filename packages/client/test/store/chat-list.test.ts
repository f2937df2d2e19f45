/** The reads of a chat list, one at a time. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { startListening } from '../../../../test/support/server/listening-server.js';
import { ChatList } from '../../src/chats/chat-list.js';
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
