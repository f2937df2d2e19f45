/** Followers of the chat list in one process: wakes notify them, and a sweep replaces lost wakes. */
import sql from 'sql-template-tag';
import { beforeEach, describe, expect, it } from 'vitest';
import { createChat } from '../../src/conversation/chats.js';
import { DatabaseUnavailableError } from '../../src/conversation/errors.js';
import type { ListReads } from '../../src/conversation/log-reads.js';
import { DatabaseStore } from '../../src/database/store/database-store.js';
import { ANN, BOB, openChatLists, take } from './chat-list-fixture.js';

const HOUR_MS = 3_600_000;

/** A promise that a test settles. */
function barrier() {
  let release = () => {};
  const opened = new Promise<void>((settle) => (release = settle));
  return { opened, release };
}

const lists = openChatLists();
const { statements, create, change, remove, transfer, open, expectSilent } = lists;
let chatId = '';
beforeEach(() => void (chatId = lists.chatId()));

describe('a wake', () => {
  it('during the read of the initial chats is published', async () => {
    const initial = barrier();
    const { changedSince, chatStatuses } = lists.reads();
    const { list, follow } = open({
      reads: {
        ...lists.reads(),
        changedSince: (...range) => initial.opened.then(() => changedSince(...range)),
        chatStatuses: (keys) => opening.then(() => chatStatuses(keys)),
      },
    });
    await create();
    const opening = follow('ann');
    list.wake({ chatId, version: 3 });
    initial.release();
    expect(await take(await opening)).toEqual([[chatId, 'CREATED', 3]]);
  });

  it('during the read of its chat leads to another read, for the highest version', async () => {
    const [found, returned] = [barrier(), barrier()];
    const chatStatuses: ListReads['chatStatuses'] = async (keys) => {
      const rows = await lists.reads().chatStatuses(keys);
      found.release();
      await returned.opened;
      return rows;
    };
    const { list, follow } = open({ reads: { ...lists.reads(), chatStatuses } });
    await create();
    const stream = await follow('ann');
    await change();
    list.wake({ chatId, version: 4 });
    await found.opened;
    await change();
    for (const version of [4, 5, 4]) list.wake({ chatId, version });
    const first = take(stream);
    returned.release();
    expect(await first).toEqual([[chatId, 'CHANGED', 4]]);
    expect(await take(stream)).toEqual([[chatId, 'CHANGED', 5]]);
  });

  it('beyond 10,000 unread ones displaces the oldest, which a sweep finds', async () => {
    const asked: string[] = [];
    const begun = barrier();
    const chatStatuses: ListReads['chatStatuses'] = async (keys) => {
      asked.push(...keys.map((key) => key.chatId));
      await begun.opened;
      return lists.reads().chatStatuses(keys);
    };
    const { list, follow } = open({ reads: { ...lists.reads(), chatStatuses } });
    await follow('ann');
    for (let n = 0; n <= 10_001; n++) list.wake({ chatId: `${chatId}-${n}`, version: 3 });
    begun.release();
    await list.sweep();
    expect(asked).toHaveLength(10_001);
    expect(asked).not.toContain(`${chatId}-1`);
  });

  it('publishes nothing for a missing chat', async () => {
    const { list, errors, follow } = open();
    const stream = await follow(null);
    list.wake({ chatId: 'missing', version: 1_000_000 });
    await create();
    list.wake({ chatId, version: 1_000_000 });
    expect(await take(stream)).toEqual([[chatId, 'CREATED', 3]]);
    list.wake({ chatId, version: 1_000_000 });
    await expectSilent(list, stream);
    expect(errors).toEqual([]);
  });

  it('reports an old chat as changed, and an imported one with old times as new', async () => {
    const old = new DatabaseStore(lists.connection(), { clock: () => Date.now() - HOUR_MS });
    await createChat(old, ANN, { id: chatId });
    const { list, follow } = open();
    const stream = await follow('ann');
    await change();
    list.wake({ chatId, version: 4 });
    expect(await take(stream)).toEqual([[chatId, 'CHANGED', 4]]);
    const imported = `${chatId}-imported`;
    await create(imported);
    await lists.setUpdatedAt(sql`"id" = ${imported}`, 1_000);
    list.wake({ chatId: imported, version: 3 });
    expect(await take(stream)).toEqual([[imported, 'CREATED', 3]]);
  });
});

describe('a transferred chat', () => {
  it('several transfers without notifications reach all owners', async () => {
    const { list, follow } = open();
    const old = new DatabaseStore(lists.connection(), { clock: () => Date.now() - HOUR_MS });
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
  it('publishes changes without a wake once, and no earlier changes', async () => {
    const [deleted, created] = [`${chatId}-deleted`, `${chatId}-created`];
    for (const id of [chatId, deleted]) await create(id);
    const { list, follow } = open();
    const stream = await follow('ann');
    await change();
    await create(created);
    await remove(deleted);
    await list.sweep();
    expect((await take(stream, 3)).sort()).toEqual([
      [chatId, 'CHANGED', 4],
      [created, 'CREATED', 3],
      [deleted, 'REMOVED', 4],
    ]);
    statements.length = 0;
    await list.sweep();
    // New and deleted chats.
    expect(statements).toHaveLength(2);
    list.wake({ chatId, version: 4 });
    list.wake({ chatId: deleted, version: 4 });
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
    const date = (time: number) => lists.setUpdatedAt(sql`"id" LIKE ${`${chatId}-%`}`, time);
    await date(Date.UTC(9999));
    const all = await follow(null);
    statements.length = 0;
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

  it('removes a deleted chat from the list of all', async () => {
    const { list, follow } = open();
    await create();
    const all = await follow(null);
    await remove();
    await list.sweep();
    expect(await take(all)).toEqual([[chatId, 'REMOVED', 4]]);
  });

  it('repeats a failed read', async () => {
    const unavailable = new DatabaseUnavailableError('unavailable');
    let isUnavailable = false;
    const chatStatuses: ListReads['chatStatuses'] = async (keys) => {
      if (isUnavailable) throw unavailable;
      return lists.reads().chatStatuses(keys);
    };
    const { list, errors, follow } = open({ reads: { ...lists.reads(), chatStatuses } });
    const stream = await follow('ann');
    await create();
    await lists.setUpdatedAt(sql`"id" = ${chatId}`, 1_000);
    isUnavailable = true;
    list.wake({ chatId, version: 3 });
    await expect.poll(() => errors, { interval: 5 }).toEqual([unavailable]);
    isUnavailable = false;
    await list.sweep();
    expect(await take(stream)).toEqual([[chatId, 'CREATED', 3]]);
  });

  it('after the list was closed ignores reads from before', async () => {
    const [found, returned] = [barrier(), barrier()];
    const unavailable = new DatabaseUnavailableError('unavailable');
    let isFailing = true;
    let isHeld = false;
    const chatStatuses: ListReads['chatStatuses'] = async (keys) => {
      if (isFailing) throw unavailable;
      if (!isHeld) return lists.reads().chatStatuses(keys);
      const rows = await lists.reads().chatStatuses(keys);
      found.release();
      await returned.opened;
      return rows;
    };
    const { list, errors, follow } = open({ reads: { ...lists.reads(), chatStatuses } });
    const other = `${chatId}-other`;
    for (const id of [chatId, other]) await create(id);
    await follow('ann');
    await change();
    list.wake({ chatId, version: 4 });
    await expect.poll(() => errors, { interval: 5 }).toEqual([unavailable]);
    list.close();
    isFailing = false;
    await expectSilent(list, await follow('ann'));
    isHeld = true;
    await change(other);
    list.wake({ chatId: other, version: 4 });
    await found.opened;
    list.close();
    returned.release();
    await change(other);
    await expectSilent(list, await follow('ann'));
  });
});
