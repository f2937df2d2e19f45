/** The reads of a chat list, one at a time. */
import { expect, onTestFinished, test } from 'vitest';
import { startListening } from '../../../../test/support/server/listening-server.js';
import { ChatList } from '../../src/chats/chat-list.js';
import { CreateChat, UpdateChat } from '../../src/generated/operations.js';
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
