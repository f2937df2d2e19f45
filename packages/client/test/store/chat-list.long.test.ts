/** A chat list of more chats than a page of the server. */
import { expect, onTestFinished, test } from 'vitest';
import { startListening } from '../../../../test/support/server/listening-server.js';
import { ChatList } from '../../src/chats/chat-list.js';
import { operation } from '../../src/client.js';
import { CreateChat } from '../../src/generated/operations.js';
import { openTab } from '../open-parley.js';

test('a list of more chats than a page of the server is read again whole', async () => {
  const server = await startListening();
  const { parley: other, parley } = openTab(server);
  const mutation = operation<unknown, object>(
    `mutation CreateChats { ${Array.from({ length: 17 }, (_, n) => `c${n}: createChat(input: { title: "${n}" }) { __typename }`).join(' ')} }`,
  );
  for (let n = 0; n < 59; n++) await other.run(mutation, {});
  const list = new ChatList(parley, 1_001);
  onTestFinished(list.subscribe(() => {}));
  const length = () => list.getState().chats.length;
  await expect.poll(length).toBe(1_001);
  await other.run(CreateChat, { input: { id: 'new' } });
  await expect.poll(() => list.getState().chats[0]?.id).toBe('new');
  await list.loadMore();
  expect([length(), list.getState().hasMore]).toEqual([1_004, false]);
  expect(new Set(list.getState().chats).size).toBe(1_004);
});
