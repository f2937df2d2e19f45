/** Followers of the chat list in one process: wakes notify them, and a sweep replaces lost wakes. */
import sql from 'sql-template-tag';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createChat, deleteChat, transferChat, updateChat } from '../../src/conversation/chats.js';
import { DatabaseUnavailableError, TooSlowError } from '../../src/conversation/errors.js';
import type { ListReads } from '../../src/conversation/list-reads.js';
import { createListReads } from '../../src/database/reading/list-reads.js';
import { DatabaseStore } from '../../src/database/writing/database-store.js';
import { ChatList } from '../../src/events/chat-list.js';
import type { ListStream } from '../../src/events/list-stream.js';
import type { Following } from '../../src/events/following.js';
import { tableAt } from '../support/database/all-rows.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

const HOUR_MS = 3_600_000;
const ANN = { userId: 'ann', isAdmin: false };
const ROOT = { userId: 'root', isAdmin: true };
const BOB = { userId: 'bob', isAdmin: false };

let database: TemporaryDatabase;
let statements: string[] = [];
let reads: ListReads;
beforeAll(async () => {
  database = await temporaryDatabase((text) => statements.push(text));
  reads = createListReads(database.connection);
});
afterAll(() => database.remove());

let chatId = '';
let count = 0;
beforeEach(() => void (chatId = `c${count++}`));

/** Changes are published when the test wakes the list. */
const create = (id = chatId, viewer = ANN) => createChat(database.store, viewer, { id });
const change = (id = chatId, viewer = ANN) => updateChat(database.store, viewer, { id, title: String(count++) });
const remove = (id = chatId, viewer = ANN) => deleteChat(database.store, viewer, id);

const transfer = (id: string, userId: string) => transferChat(database.store, ROOT, { id, userId });

const setUpdatedAt = (id: string, time: number) =>
  sql`UPDATE ${tableAt(database.url, 'chats')} SET "updatedAt" = ${time} WHERE "id" = ${id}`;

function open(options: { reads?: ListReads; capacity?: number } = {}) {
  const errors: unknown[] = [];
  const list = new ChatList({ reads, sweepIntervalMs: HOUR_MS, onError: (error) => errors.push(error), ...options });
  onTestFinished(() => list.close());
  const follow = (userId: string | null, more: Partial<Following> = {}) =>
    list.follow(userId, { startAt: null, position: 0, isOver: false, ...more });
  return { list, errors, follow };
}

const take = async (stream: ListStream, length = 1) => {
  const taken: [string, string, number][] = [];
  while (taken.length < length) {
    const { value } = await stream.next();
    taken.push([value!.chatId, value!.kind, value!.version]);
  }
  return taken;
};

/** Expects no update of a stream: its next update is of another chat. */
async function expectSilent(list: ChatList, stream: ListStream, viewer = ANN): Promise<void> {
  const id = `silence-${count++}`;
  await create(id, viewer);
  list.wake({ chatId: id, version: 3 });
  expect(await take(stream)).toEqual([[id, 'CREATED', 3]]);
}

describe('a wake', () => {
  it('notifies the owner and followers of all chats only', async () => {
    const { list, follow } = open();
    const [anns, all, bobs] = [await follow('ann'), await follow(null), await follow('bob')];
    await create();
    list.wake({ chatId, version: 3 });
    expect(await take(anns)).toEqual([[chatId, 'CREATED', 3]]);
    await change();
    list.wake({ chatId, version: 4 });
    expect(await take(anns)).toEqual([[chatId, 'CHANGED', 4]]);
    await remove();
    list.wake({ chatId, version: 5 });
    expect(await take(anns)).toEqual([[chatId, 'REMOVED', 5]]);
    // A chat that has changed again meanwhile has no separate update.
    expect(await take(all, 2)).toEqual([
      [chatId, 'CREATED', 3],
      [chatId, 'REMOVED', 5],
    ]);
    await expectSilent(list, bobs, BOB);
  });

  it('costs one statement for any number of followers and wakes', async () => {
    const { list, follow } = open();
    await create();
    const streams = await Promise.all(Array.from({ length: 200 }, (_, n) => follow(n % 2 === 0 ? 'ann' : null)));
    await change();
    statements = [];
    for (let n = 0; n < 3; n++) list.wake({ chatId, version: 4 });
    const told = await Promise.all(streams.map((stream) => take(stream)));
    expect(told).toEqual(streams.map(() => [[chatId, 'CHANGED', 4]]));
    list.wake({ chatId, version: 4 });
    await expectSilent(list, streams[0]!);
    expect(statements.filter((text) => text.includes('transferredAt'))).toHaveLength(2);
  });

  it('costs nothing without followers', async () => {
    const { list } = open();
    await create();
    statements = [];
    list.wake({ chatId, version: 3 });
    await list.sweep();
    expect(statements).toEqual([]);
  });

  it('a wake for a missing chat publishes nothing', async () => {
    const { list, errors, follow } = open();
    const stream = await follow(null);
    list.wake({ chatId: 'nobody', version: 1_000_000 });
    await create();
    list.wake({ chatId, version: 1_000_000 });
    expect(await take(stream)).toEqual([[chatId, 'CREATED', 3]]);
    list.wake({ chatId, version: 1_000_000 });
    await expectSilent(list, stream);
    expect(errors).toEqual([]);
  });

  it('reports an old chat as changed, and an imported one with old times as new', async () => {
    const old = new DatabaseStore(database.connection, { clock: () => Date.now() - HOUR_MS });
    await createChat(old, ANN, { id: chatId });
    const { list, follow } = open();
    const stream = await follow('ann');
    await change();
    list.wake({ chatId, version: 4 });
    expect(await take(stream)).toEqual([[chatId, 'CHANGED', 4]]);
    const imported = `${chatId}-imported`;
    await create(imported);
    await database.connection.write(imported, (tx) => tx.run(setUpdatedAt(imported, 1_000)));
    list.wake({ chatId: imported, version: 3 });
    expect(await take(stream)).toEqual([[imported, 'CREATED', 3]]);
  });
});

describe('a transferred chat', () => {
  it('is removed for the former owner, created for the new one, and changed for followers of all chats', async () => {
    const { list, follow } = open();
    await create();
    const [anns, bobs, all, others] = [
      await follow('ann'),
      await follow('bob'),
      await follow(null),
      await follow('eve'),
    ];
    await transfer(chatId, 'bob');
    list.wake({ chatId, version: 4 });
    expect(await take(anns)).toEqual([[chatId, 'REMOVED', 4]]);
    expect(await take(bobs)).toEqual([[chatId, 'CREATED', 4]]);
    expect(await take(all)).toEqual([[chatId, 'CHANGED', 4]]);
    await change(chatId, BOB);
    list.wake({ chatId, version: 5 });
    expect(await take(bobs)).toEqual([[chatId, 'CHANGED', 5]]);
    await expectSilent(list, anns);
    await expectSilent(list, others, { userId: 'eve', isAdmin: false });
  });

  it('several transfers without notifications reach all owners', async () => {
    const { list, follow } = open();
    const old = new DatabaseStore(database.connection, { clock: () => Date.now() - HOUR_MS });
    await createChat(old, ANN, { id: chatId });
    const [anns, bobs, eves] = [await follow('ann'), await follow('bob'), await follow('eve')];
    await transfer(chatId, 'bob');
    await transfer(chatId, 'eve');
    await change(chatId, { userId: 'eve', isAdmin: false });
    await list.sweep();
    expect(await take(anns)).toEqual([[chatId, 'REMOVED', 6]]);
    expect(await take(bobs)).toEqual([[chatId, 'REMOVED', 6]]);
    expect(await take(eves)).toEqual([[chatId, 'CREATED', 6]]);
  });
});

describe('a sweep', () => {
  it('finds changes without a wake once, and no earlier ones', async () => {
    const [gone, made] = [`${chatId}-gone`, `${chatId}-made`];
    for (const id of [chatId, gone]) await create(id);
    const { list, follow } = open();
    const stream = await follow('ann');
    await change();
    await create(made);
    await remove(gone);
    await list.sweep();
    expect((await take(stream, 3)).sort()).toEqual([
      [chatId, 'CHANGED', 4],
      [gone, 'REMOVED', 4],
      [made, 'CREATED', 3],
    ]);
    statements = [];
    await list.sweep();
    // New and deleted chats.
    expect(statements).toHaveLength(2);
    list.wake({ chatId, version: 4 });
    list.wake({ chatId: gone, version: 4 });
    await expectSilent(list, stream);
  });

  it('reads more chats than one batch', async () => {
    const { list, follow } = open();
    const stream = await follow('eve');
    const ids = Array.from({ length: 600 }, (_, n) => `${chatId}-${n}`);
    await Promise.all(ids.map((id) => create(id, { userId: 'eve', isAdmin: false })));
    await list.sweep();
    expect((await take(stream, ids.length)).map(([id]) => id).sort()).toEqual(ids.sort());
  });

  it('ignores chats that an import has dated centuries later', async () => {
    const { list, follow } = open();
    await Promise.all(Array.from({ length: 600 }, (_, n) => create(`${chatId}-${n}`)));
    const date = (time: number) =>
      database.connection.write(chatId, (tx) =>
        tx.run(
          sql`UPDATE ${tableAt(database.url, 'chats')} SET "updatedAt" = ${time} WHERE "id" LIKE ${`${chatId}-%`}`,
        ),
      );
    await date(Date.UTC(9999));
    const all = await follow(null);
    statements = [];
    await list.sweep();
    expect(statements.filter((text) => text.includes('transferredAt'))).toEqual([]);
    await expectSilent(list, all);
    await date(1);
  });

  it('distinguishes a chat that was deleted and created again', async () => {
    const { list, follow } = open();
    await create();
    const [anns, bobs] = [await follow('ann'), await follow('bob')];
    for (let n = 0; n < 3; n++) await change();
    list.wake({ chatId, version: 6 });
    expect(await take(anns)).toEqual([[chatId, 'CHANGED', 6]]);
    await remove();
    await create(chatId, BOB);
    await list.sweep();
    expect(await take(anns)).toEqual([[chatId, 'REMOVED', 3]]);
    expect(await take(bobs)).toEqual([[chatId, 'CREATED', 3]]);
  });

  it('repeats a failed read', async () => {
    const away = new DatabaseUnavailableError('unavailable');
    let isAway = false;
    const standings: ListReads['standings'] = async (keys) => {
      if (isAway) throw away;
      return reads.standings(keys);
    };
    const { list, errors, follow } = open({ reads: { ...reads, standings } });
    const stream = await follow('ann');
    await create();
    await database.connection.write(chatId, (tx) => tx.run(setUpdatedAt(chatId, 1_000)));
    isAway = true;
    list.wake({ chatId, version: 3 });
    await expect.poll(() => errors, { interval: 5 }).toEqual([away]);
    isAway = false;
    await list.sweep();
    expect(await take(stream)).toEqual([[chatId, 'CREATED', 3]]);
  });
});

describe('a stream', () => {
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

  it('fails if it lacks more chats than are kept; a stream that waits for other chats does not', async () => {
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

  it('receives its own chats despite many changes of other users', async () => {
    const { list, follow } = open({ capacity: 3 });
    const EVE = { userId: `eve-${chatId}`, isAdmin: false };
    const change = async (id: string, viewer = ANN) => {
      await create(id, viewer);
      list.wake({ chatId: id, version: 3 });
    };
    const flood = async () => {
      for (let n = 0; n < 5; n++) await change(`${chatId}-${count++}`);
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
      for (let told = chatId; told !== `${chatId}-last`;) told = (await take(stream))[0]![0];
    }
  });

  it('ends at once when it is closed, also while it waits', async () => {
    const { follow } = open();
    const stream = await follow('ann');
    const waiting = stream.next();
    expect(await stream.return()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it('continues where another stream stopped, with the changes between them', async () => {
    const { list, follow } = open();
    const following: Following = { startAt: null, position: 0, isOver: false, until: () => null };
    const first = await list.follow('ann', following);
    expect(await first.next()).toEqual({ done: true, value: undefined });
    await create();
    statements = [];
    list.wake({ chatId, version: 3 });
    await list.sweep();
    // A change takes longer than a read.
    await create(`${chatId}-other`, BOB);
    expect(statements.filter((text) => /transferredAt|AS "at"/.test(text))).toEqual([]);
    const next = await follow('ann', { startAt: following.position });
    expect(await take(next)).toEqual([[chatId, 'CREATED', 3]]);
  });

  it('fails when the database becomes unavailable, also at its start', async () => {
    const lost = new DatabaseUnavailableError('lost');
    const { list, follow } = open();
    const waiting = (await follow('ann')).next();
    list.lose(lost);
    await expect(waiting).rejects.toBe(lost);
    expect(await take(await followAndCreate(list, follow))).toEqual([[chatId, 'CREATED', 3]]);
    const away = open({ reads: { ...reads, changedSince: () => Promise.reject(lost) } });
    await expect(away.follow('ann')).rejects.toBe(lost);
  });
});

async function followAndCreate(list: ChatList, follow: (userId: string) => Promise<ListStream>): Promise<ListStream> {
  const stream = await follow('ann');
  await create();
  list.wake({ chatId, version: 3 });
  return stream;
}
