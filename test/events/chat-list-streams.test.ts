/** Streams of the chat list: slow, closed, continued and failed ones. */
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { DatabaseUnavailableError, TooSlowError } from '../../src/conversation/errors.js';
import type { ChatList } from '../../src/events/chat-list.js';
import type { ListStream } from '../../src/events/list-changes.js';
import type { Following } from '../../src/events/following.js';
import { ANN, BOB, openChatLists, take } from './chat-list-fixture.js';

const lists = openChatLists();
const { statements, unique, create, change, transfer, open, expectSilent } = lists;
let chatId = '';
beforeEach(() => void (chatId = lists.chatId()));

it('a slow follower receives all created and deleted chats, and each changed chat once in its newest state', async () => {
  const { list, follow } = open();
  const [slow, quick] = [await follow('ann'), await follow('ann')];
  const other = `${chatId}-other`;
  await create();
  await create(other);
  for (const id of [chatId, other]) {
    list.wake({ chatId: id, version: 3 });
    await take(quick);
  }
  for (let version = 4; version < 50; version++) {
    await change();
    list.wake({ chatId, version });
    expect(await take(quick)).toEqual([[chatId, 'CHANGED', version]]);
  }
  await transfer(other, 'bob');
  list.wake({ chatId: other, version: 4 });
  await take(quick);
  await change(other, BOB);
  list.wake({ chatId: other, version: 5 });
  await expectSilent(list, quick);
  expect(await take(slow, 4)).toEqual([
    [chatId, 'CREATED', 3],
    [other, 'CREATED', 3],
    [chatId, 'CHANGED', 49],
    [other, 'REMOVED', 4],
  ]);
});

it('a stream fails if it lacks more chats than are kept; one that waits for other chats does not', async () => {
  const { list, follow } = open({ capacity: 3 });
  const [slow, quick, bobs] = [await follow('ann'), await follow('ann'), await follow('bob')];
  const waiting = take(bobs);
  for (let n = 0; n < 5; n++) {
    await create(`${chatId}-${n}`);
    list.wake({ chatId: `${chatId}-${n}`, version: 3 });
    await take(quick);
  }
  await expect(slow.next()).rejects.toThrow(TooSlowError);
  await create(chatId, BOB);
  list.wake({ chatId, version: 3 });
  expect(await waiting).toEqual([[chatId, 'CREATED', 3]]);
});

it('a stream receives the chats of its user despite many changes of other users', async () => {
  const { list, follow } = open({ capacity: 3 });
  const EVE = { userId: `eve-${chatId}`, isAdmin: false };
  const change = async (id: string, viewer = ANN) => {
    await create(id, viewer);
    list.wake({ chatId: id, version: 3 });
  };
  const flood = async () => {
    for (let n = 0; n < 5; n++) await change(unique(`${chatId}-`));
    await list.sweep();
  };
  const early = await follow(EVE.userId);
  await flood();
  await change(chatId, EVE);
  await flood();
  const late = await follow(EVE.userId);
  await flood();
  await change(`${chatId}-last`, EVE);
  await flood();
  expect((await take(early))[0]).toEqual([chatId, 'CREATED', 3]);
  for (const stream of [early, late]) {
    for (let received = chatId; received !== `${chatId}-last`;) received = (await take(stream))[0]![0];
  }
});

it('a stream ends at once when it is closed, also while it waits', async () => {
  const { follow } = open();
  const stream = await follow('ann');
  const waiting = stream.next();
  expect(await stream.return()).toEqual({ done: true, value: undefined });
  expect(await waiting).toEqual({ done: true, value: undefined });
});

it('a stream continues where another stream stopped, with the changes between them', async () => {
  const { list, follow } = open();
  const following: Following = { startAt: null, position: 0, isOver: false, until: () => null };
  const first = await list.follow('ann', following);
  expect(await first.next()).toEqual({ done: true, value: undefined });
  await create();
  statements.length = 0;
  list.wake({ chatId, version: 3 });
  await list.sweep();
  // A change takes longer than a read.
  await create(`${chatId}-other`, BOB);
  expect(statements.filter((text) => /transferredAt|AS "at"/.test(text))).toEqual([]);
  const next = await follow('ann', { startAt: following.position });
  expect(await take(next)).toEqual([[chatId, 'CREATED', 3]]);
});

it('a stream fails when the database becomes unavailable, also at its start', async () => {
  const lost = new DatabaseUnavailableError('lost');
  const { list, follow } = open();
  const waiting = (await follow('ann')).next();
  list.lose(lost);
  await expect(waiting).rejects.toBe(lost);
  expect(await take(await followAndCreate(list, follow))).toEqual([[chatId, 'CREATED', 3]]);
  const failing = open({ reads: { ...lists.reads(), changedSince: () => Promise.reject(lost) } });
  await expect(failing.follow('ann')).rejects.toBe(lost);
});

it('a list is kept for five seconds after its last stream, and then read again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { follow } = open();
  const readsAtStart = async () => {
    statements.length = 0;
    const streams = [await follow('ann'), await follow('ann')];
    for (const stream of streams) await stream.return();
    return statements.filter((text) => text.includes('AS "at"')).length;
  };
  expect(await readsAtStart()).toBe(2);
  vi.advanceTimersByTime(4_999);
  expect(await readsAtStart()).toBe(0);
  vi.advanceTimersByTime(5_000);
  expect(await readsAtStart()).toBe(2);
});

async function followAndCreate(list: ChatList, follow: (userId: string) => Promise<ListStream>): Promise<ListStream> {
  const stream = await follow('ann');
  await create();
  list.wake({ chatId, version: 3 });
  return stream;
}
