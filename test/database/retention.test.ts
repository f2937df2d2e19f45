/** Retention by the server and by users. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChat, updateChat } from '../../src/conversation/chats.js';
import { setRetention } from '../../src/conversation/policies/retention.js';
import { expiredChats, removeExpired } from '../../src/database/removing/retention.js';
import { DatabaseStore } from '../../src/database/writing/database-store.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

const DAY_MS = 24 * 60 * 60_000;
const viewer = (userId: string) => ({ userId, isAdmin: false });

let database: TemporaryDatabase;
let now = Date.now();
const changes: string[] = [];
const storeOn = (retentionDays: number | null = null, recoveryMs = 0) =>
  new DatabaseStore(database.connection, {
    retentionDays,
    recoveryMs,
    clock: () => now,
    onChange: ({ chatId, version }) => changes.push(`${chatId} ${version}`),
  });
const expired = async (serverDays: number | null) => {
  const found: string[] = [];
  for await (const { id, days } of expiredChats(database.connection, { now, serverDays })) found.push(`${id} ${days}`);
  return found;
};
const expire = async (store: DatabaseStore) => {
  const removed: string[] = [];
  for await (const { id } of removeExpired(database.connection, store)) removed.push(id);
  return removed;
};
beforeEach(async () => {
  now = Date.now();
  changes.length = 0;
  database = await temporaryDatabase();
  for (const userId of ['ann', 'bob']) await createChat(storeOn(), viewer(userId), { id: userId });
});
afterEach(() => database.remove());

describe('retention', () => {
  it('keeps chats without a setting', async () => {
    now += 9_999 * DAY_MS;
    expect(await expired(null)).toEqual([]);
  });

  it('ends the given days after the last change', async () => {
    now += 2 * DAY_MS;
    expect(await expired(2)).toEqual([]);
    await updateChat(storeOn(), viewer('ann'), { id: 'ann', title: 'changed' });
    now += 1;
    expect(await expired(2)).toEqual(['bob 2']);
  });

  it('is the shorter of those of the server and the user', async () => {
    await setRetention(storeOn(), viewer('ann'), { days: 3 });
    await setRetention(storeOn(), viewer('bob'), { days: 9 });
    now += 4 * DAY_MS;
    expect(await expired(null)).toEqual(['ann 3']);
    expect(await expired(5)).toEqual(['ann 3']);
    now += 2 * DAY_MS;
    expect(await expired(null)).toEqual(['ann 3']);
    expect(await expired(5)).toEqual(['ann 5', 'bob 5']);
    await setRetention(storeOn(), viewer('ann'), { days: null });
    expect(await expired(null)).toEqual([]);
  });

  it('reads any number of chats and users in steps', async () => {
    for (let n = 0; n < 105; n++) await createChat(storeOn(), viewer(`u${n}`), { id: `c${n}` });
    for (let n = 0; n < 105; n++) await setRetention(storeOn(), viewer(`u${n}`), { days: 1 });
    now += 2 * DAY_MS;
    expect((await expired(1)).length).toBe(107);
    expect((await expired(null)).length).toBe(105);
    expect(new Set(await expired(null)).size).toBe(105);
  });

  it('deletes chats as deleteChat does: recoverable, or at once', async () => {
    await updateChat(storeOn(), viewer('bob'), { id: 'bob', title: 'newer' });
    now += 2 * DAY_MS;
    changes.length = 0;
    expect((await expire(storeOn(1, 7 * DAY_MS))).sort()).toEqual(['ann', 'bob']);
    expect(changes.sort()).toEqual(['ann 4', 'bob 5']);
    expect(await storeOn().deletedChat('ann')).toMatchObject({ userId: 'ann', deletedAt: now });
    const { sql, read } = database.connection;
    const [row] = await read((db) => db.rows<{ actorId: string }>(sql.rowsNaming('deleted_chats', 'retention', '', 9)));
    expect(row).toMatchObject({ id: 'ann' });
    await createChat(storeOn(), viewer('ann'), { id: 'third' });
    now += 2 * DAY_MS;
    expect(await expire(storeOn(1))).toEqual(['third']);
    expect((await database.allRows()).chats.map(({ id }) => id)).toEqual(['ann', 'bob']);
  });

  it('keeps a chat that changes after the sweep has read it', async () => {
    now += 2 * DAY_MS;
    const sweep = removeExpired(database.connection, storeOn(1));
    expect((await sweep.next()).value).toMatchObject({ id: 'ann' });
    await updateChat(storeOn(), viewer('bob'), { id: 'bob', title: 'changed' });
    expect((await sweep.next()).done).toBe(true);
  });

  it('keeps the chats of a user that changes the setting during the sweep', async () => {
    await createChat(storeOn(), viewer('ann'), { id: 'second' });
    await setRetention(storeOn(), viewer('ann'), { days: 1 });
    now += 2 * DAY_MS;
    const sweep = removeExpired(database.connection, storeOn());
    expect((await sweep.next()).value).toMatchObject({ id: 'ann' });
    await setRetention(storeOn(), viewer('ann'), { days: null });
    expect((await sweep.next()).done).toBe(true);
  });

  it('stops at the signal', async () => {
    now += 2 * DAY_MS;
    const controller = new AbortController();
    for await (const { id } of removeExpired(database.connection, storeOn(1), controller.signal)) {
      expect(id).toBe('ann');
      controller.abort();
    }
    expect((await database.allRows()).chats.map(({ id }) => id)).toEqual(['bob']);
  });
});
