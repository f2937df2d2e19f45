/** A chat has one reader for all wakes: duplicate, wrong and missing notifications have no effect on followers. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createChat, updateChat } from '../../src/conversation/chats.js';
import { deleteChat } from '../../src/features/deletion/delete-chat.js';
import { DatabaseUnavailableError } from '../../src/conversation/errors.js';
import type { LogReads } from '../../src/conversation/log-reads.js';
import { createLogReads } from '../../src/database/reading/log-reads.js';
import { Feeds } from '../../src/events/feeds.js';
import type { Following } from '../../src/events/following.js';
import type { LogStream } from '../../src/events/log-stream.js';
import { followHead } from '../../src/events/head-updates.js';
import { openLog } from '../../src/events/open-log.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

const VIEWER = { userId: 'u', isAdmin: false };
const HOUR_MS = 3_600_000;

let database: TemporaryDatabase;
let statements: string[] = [];
let log: LogReads;
/** Runs at the start of every read of the log. */
let disturb: () => void = () => {};
beforeAll(async () => {
  database = await temporaryDatabase((sql) => statements.push(sql));
  const reads = createLogReads(database.connection);
  log = {
    ...reads,
    eventsAfter: async (...args) => {
      disturb();
      return reads.eventsAfter(...args);
    },
  };
});
afterAll(() => database.remove());

let chatId = '';
let count = 0;
beforeEach(async () => {
  disturb = () => {};
  chatId = `c${count++}`;
  await createChat(database.store, VIEWER, { id: chatId });
});

/** A change without a notification. */
const change = (id = chatId) => updateChat(database.store, VIEWER, { id, title: String(count++) });

function openFeeds(reads = log) {
  const errors: unknown[] = [];
  const feeds = new Feeds({ log: reads, sweepIntervalMs: HOUR_MS, onError: (error) => errors.push(error) });
  const open = (after: number | null = null, id = chatId) => {
    const following: Following = { startAt: null, position: 0, isOver: false };
    return openLog(feeds, VIEWER, { chatId: id, after }, following);
  };
  return { feeds, errors, open };
}

const seqs = async (stream: LogStream, length: number) => {
  const taken: number[] = [];
  while (taken.length < length) {
    const { value } = await stream.next();
    taken.push(value!.seq);
  }
  return taken;
};

/** Whether a stream has no event ready: settled promises resolve first. */
async function isSilent(stream: LogStream): Promise<boolean> {
  const next = stream.next().then(() => false);
  await log.logStates([chatId]);
  await log.logStates([chatId]);
  return Promise.race([next, Promise.resolve(true)]);
}

it('a subscription that opens its stream again does not follow a later chat with the same id', async () => {
  const { feeds } = openFeeds();
  const following: Following = { startAt: null, position: 0, isOver: false };
  const openAgain = () => openLog(feeds, VIEWER, { chatId, after: null }, following);
  await (await openAgain()).return();
  await deleteChat(database.store, VIEWER, chatId);
  await createChat(database.store, VIEWER, { id: chatId });
  await openAgain();
  expect(feeds.size).toBe(0);
});

describe('a wake', () => {
  it('reads an event once for all followers of the chat', async () => {
    const { feeds, open } = openFeeds();
    const streams = await Promise.all(Array.from({ length: 50 }, () => open()));
    await change();
    statements = [];
    feeds.wake({ chatId, version: 4 });
    expect(await Promise.all(streams.map((stream) => seqs(stream, 1)))).toEqual(streams.map(() => [4]));
    expect(statements).toHaveLength(1);
    for (const stream of streams) await stream.return();
    expect(feeds.size).toBe(0);
  });

  it('a wake for a known version, another chat or a missing version publishes nothing', async () => {
    const { feeds, errors, open } = openFeeds();
    const stream = await open();
    feeds.wake({ chatId, version: 3 });
    feeds.wake({ chatId: 'nobody', version: 9 });
    feeds.wake({ chatId, version: 1_000_000 });
    expect(await isSilent(stream)).toBe(true);
    await change();
    // The feed is at the notified version, and not beyond.
    await feeds.sweep();
    expect(await seqs(await open(3), 1)).toEqual([4]);
    expect(errors).toEqual([]);
  });

  it('during another read is not lost', async () => {
    const { feeds, open } = openFeeds();
    const stream = await open();
    await change();
    disturb = () => {
      disturb = () => {};
      feeds.wake({ chatId, version: 5 });
    };
    const next = seqs(stream, 2);
    // The second event exists when the read checks for more.
    await change();
    feeds.wake({ chatId, version: 4 });
    expect(await next).toEqual([4, 5]);
  });

  it('at the moment in which a read ends is not lost, either', async () => {
    const oneByOne: LogReads = { ...log, eventsAfter: (id, after) => log.eventsAfter(id, after, 1) };
    for (let ticks = 0; ticks < 8; ticks++) {
      const { feeds, open } = openFeeds(oneByOne);
      const stream = await open();
      const { position } = stream.following;
      await change();
      await change();
      const both = stream.next().then(async (first) => {
        // One of these ticks is that moment.
        for (let n = 0; n < ticks; n++) await Promise.resolve();
        feeds.wake({ chatId, version: position + 2 });
        return [first.value!.seq, ...(await seqs(stream, 1))];
      });
      feeds.wake({ chatId, version: position + 1 });
      expect(await both).toEqual([position + 1, position + 2]);
    }
  });

  it('that is lost is replaced by the sweep, with one statement for all chats', async () => {
    const { feeds, open } = openFeeds();
    const ids = [chatId, `${chatId}-b`, `${chatId}-c`];
    for (const id of ids.slice(1)) await createChat(database.store, VIEWER, { id });
    const streams = await Promise.all(ids.map((id) => open(null, id)));
    for (const id of ids) await change(id);
    statements = [];
    await feeds.sweep();
    expect(await Promise.all(streams.map((stream) => seqs(stream, 1)))).toEqual([[4], [4], [4]]);
    expect(statements.filter((sql) => sql.includes('deletedBy'))).toHaveLength(1);
    expect(statements).toHaveLength(1 + ids.length);
    statements = [];
    await feeds.sweep();
    expect(statements).toHaveLength(1);
  });
});

describe('a read that fails', () => {
  it('is repeated by the next sweep; the unavailable database is reported', async () => {
    const { feeds, errors, open } = openFeeds();
    const stream = await open();
    await change();
    const away = new DatabaseUnavailableError('unavailable');
    disturb = () => {
      throw away;
    };
    feeds.wake({ chatId, version: 4 });
    expect(await isSilent(stream)).toBe(true);
    expect(errors).toEqual([away]);
    disturb = () => {};
    const again = await open(3);
    await feeds.sweep();
    expect(await seqs(again, 1)).toEqual([4]);
  });
});

describe('a stream', () => {
  it('many simultaneous new followers cost one read of their chats', async () => {
    const { open } = openFeeds();
    statements = [];
    await Promise.all(Array.from({ length: 200 }, () => open()));
    expect(statements).toHaveLength(1);
  });

  it('a follower that lags far reads the log, and does not delay others', async () => {
    const { feeds, open } = openFeeds();
    const [slow, quick] = [await open(), await open()];
    // More events than are kept for nearly current followers.
    const CHANGES = 1_200;
    for (let n = 0; n < CHANGES; n++) await change();
    feeds.wake({ chatId, version: 3 + CHANGES });
    const all = Array.from({ length: CHANGES }, (_, n) => n + 4);
    expect(await seqs(quick, CHANGES)).toEqual(all);
    expect(await seqs(slow, CHANGES)).toEqual(all);
  });
});

describe('a followed branch', () => {
  it('ends when its chat is deleted while a follower joins', async () => {
    const { feeds, open } = openFeeds();
    const meanwhile: LogReads = {
      ...log,
      headNow: async (...args) => {
        await deleteChat(database.store, VIEWER, chatId);
        return log.headNow(...args);
      },
    };
    const updates = await followHead(meanwhile, await open(2), { chatId, branchName: 'main', isResumed: true });
    expect(await updates.next()).toEqual({ done: true, value: undefined });
    expect(feeds.size).toBe(0);
  });
});

describe('a chat that is deleted and created again', () => {
  it('is new to a later follower, also without a notification of its end', async () => {
    const { open } = openFeeds();
    const old = await open();
    for (let n = 0; n < 4; n++) await change();
    await deleteChat(database.store, VIEWER, chatId);
    await createChat(database.store, VIEWER, { id: chatId });
    const fromNow = await open();
    const whole = await open(0);
    for (let n = 0; n < 4; n++) await change();
    const again = await open(0);
    expect(await seqs(again, 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await seqs(whole, 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await seqs(fromNow, 4)).toEqual([4, 5, 6, 7]);
    expect((await old.next()).value).toMatchObject({ type: 'ChatDeleted', seq: 8 });
  });

  it('differs from the feed of the former chat, after any notifications', async () => {
    const { feeds, open } = openFeeds();
    const stream = await open();
    await change();
    await deleteChat(database.store, VIEWER, chatId);
    await createChat(database.store, VIEWER, { id: chatId });
    for (let n = 0; n < 5; n++) await change();
    feeds.wake({ chatId, version: 8 });
    expect((await stream.next()).value).toMatchObject({ type: 'ChatDeleted', seq: 5 });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(await seqs(await open(0), 8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('ends for a follower of the former chat', async () => {
    const { feeds, open } = openFeeds();
    const stream = await open();
    const old: Following = { startAt: 3, position: 3, isOver: false, deletedAt: null };
    await stream.return();
    await deleteChat(database.store, VIEWER, chatId);
    await createChat(database.store, VIEWER, { id: chatId });
    for (let n = 0; n < 5; n++) await change();
    const resumed = await openLog(feeds, VIEWER, { chatId, after: null }, old);
    expect((await resumed.next()).value).toMatchObject({ type: 'ChatDeleted', seq: 4 });
    expect(old.isOver).toBe(true);
  });
});
