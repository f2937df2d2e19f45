/** Retention by the server and by users. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createChat, updateChat } from '../../../src/conversation/chats.js';
import { DatabaseUnavailableError, UpgradeRequiredError } from '../../../src/conversation/errors.js';
import type { Connection } from '../../../src/database/connection/connection.js';
import { connect } from '../../../src/database/opening/open.js';
import { finishRemovals } from '../../../src/features/deletion/removal.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { expiredChats, removeExpired } from '../../../src/features/retention/expired-chats.js';
import { setRetention, UserRetentions } from '../../../src/features/retention/retention.js';
import { deletionStatements } from '../../../src/features/deletion/statements.js';
import { withRecovery } from '../deletion/with-recovery.js';
import { writeChain } from '../../support/chats/large-chats.js';
import { watchedConnection } from '../../support/database/watched-connection.js';
import { databaseForEach } from '../../support/database/database-scope.js';

const DAY_MS = 24 * 60 * 60_000;
const viewer = (userId: string) => ({ userId, isAdmin: false });

const database = databaseForEach();
let now = Date.now();
const changes: string[] = [];
const by = (serverDays: number | null = null) => new UserRetentions(database.connection, serverDays);
const storeOn = (recoveryDays = 0) =>
  new DatabaseStore(withRecovery(database.connection, recoveryDays), {
    clock: () => now,
    onChange: ({ chatId, version }) => changes.push(`${chatId} ${version}`),
  });
/** A connection whose transactions of a chat fail. */
const failingFor = (connection: Connection, chatId: string, error = () => new Error('no transaction')): Connection => {
  const failing: Connection['write'] = (key, ...others) => {
    if (key === chatId) throw error();
    return connection.write(key, ...others);
  };
  return { ...connection, write: failing };
};
const expired = async (serverDays: number | null) => {
  const found: string[] = [];
  for await (const { id, days } of expiredChats(by(serverDays), now)) found.push(`${id} ${days}`);
  return found;
};
const expire = async (store: DatabaseStore, serverDays: number) => {
  const removed: string[] = [];
  for await (const { id } of removeExpired(by(serverDays), store)) removed.push(id);
  return removed;
};
beforeEach(async () => {
  now = Date.now();
  changes.length = 0;
  for (const userId of ['ann', 'bob']) await createChat(storeOn(), viewer(userId), { id: userId });
});
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
    await setRetention(by(), viewer('ann'), { days: 3 });
    await setRetention(by(), viewer('bob'), { days: 9 });
    now += 4 * DAY_MS;
    expect(await expired(null)).toEqual(['ann 3']);
    expect(await expired(5)).toEqual(['ann 3']);
    now += 2 * DAY_MS;
    expect(await expired(null)).toEqual(['ann 3']);
    expect(await expired(5)).toEqual(['ann 5', 'bob 5']);
    await setRetention(by(), viewer('ann'), { days: null });
    expect(await expired(null)).toEqual([]);
  });

  it('has one of the values that servers set at the same moment', async () => {
    const servers = await Promise.all(['a', 'b', 'c'].map(() => connect(database.url, { migrate: false })));
    const stores = servers.map(({ connection }) => new UserRetentions(connection, null));
    for (let round = 0; round < 5; round++) {
      const userId = `u${round}`;
      await Promise.all(stores.map((store, n) => setRetention(store, viewer(userId), { days: n + 1 })));
      const { sql, read } = by();
      const rows = await read((db) => db.rows<{ days: number }>(sql.retentionOf(userId)));
      expect([rows.length, [1, 2, 3].includes(rows[0]!.days)]).toEqual([1, true]);
    }
    for (const { connection } of servers) await connection.close();
  });

  it('reads any number of chats and users in steps', async () => {
    for (let n = 0; n < 105; n++) await createChat(storeOn(), viewer(`u${n}`), { id: `c${n}` });
    for (let n = 0; n < 105; n++) await setRetention(by(), viewer(`u${n}`), { days: 1 });
    now += 2 * DAY_MS;
    expect((await expired(1)).length).toBe(107);
    expect((await expired(null)).length).toBe(105);
    expect(new Set(await expired(null)).size).toBe(105);
  });

  it('deletes chats as deleteChat does: recoverable, or at once', async () => {
    await updateChat(storeOn(), viewer('bob'), { id: 'bob', title: 'newer' });
    now += 2 * DAY_MS;
    changes.length = 0;
    expect((await expire(storeOn(7), 1)).sort()).toEqual(['ann', 'bob']);
    expect(changes.sort()).toEqual(['ann 4', 'bob 5']);
    expect(await storeOn().deletedChat('ann')).toMatchObject({ userId: 'ann', deletedAt: now });
    const { sql, read } = database.connection;
    const { rowsNaming } = deletionStatements(sql.differences);
    const [row] = await read((db) => db.rows<{ actorId: string }>(rowsNaming('deleted_chats', 'retention', '', 9)));
    expect(row).toMatchObject({ id: 'ann' });
    await createChat(storeOn(), viewer('ann'), { id: 'third' });
    now += 2 * DAY_MS;
    expect(await expire(storeOn(), 1)).toEqual(['third']);
    expect((await database.allRows()).chats.map(({ id }) => id)).toEqual(['ann', 'bob']);
  });

  it('keeps a chat that changes after the sweep has read it', async () => {
    now += 2 * DAY_MS;
    const sweep = removeExpired(by(1), storeOn());
    expect((await sweep.next()).value).toMatchObject({ id: 'ann' });
    await updateChat(storeOn(), viewer('bob'), { id: 'bob', title: 'changed' });
    expect((await sweep.next()).done).toBe(true);
  });

  it('keeps the chats of a user that changes the setting during the sweep', async () => {
    await createChat(storeOn(), viewer('ann'), { id: 'second' });
    await setRetention(by(), viewer('ann'), { days: 1 });
    now += 2 * DAY_MS;
    const sweep = removeExpired(by(), storeOn());
    expect((await sweep.next()).value).toMatchObject({ id: 'ann' });
    await setRetention(by(), viewer('ann'), { days: null });
    expect((await sweep.next()).done).toBe(true);
  });

  it('goes on after a chat that cannot be deleted', async () => {
    await createChat(storeOn(), viewer('cid'), { id: 'cid' });
    now += 2 * DAY_MS;
    const failing = new DatabaseStore(failingFor(database.connection, 'ann'), { clock: () => now });
    const failures: unknown[] = [];
    const onFailure = ({ message, cause }: Error) => void failures.push([message, (cause as Error).message]);
    const removed: string[] = [];
    for await (const { id } of removeExpired(by(1), failing, { onFailure })) removed.push(id);
    expect(removed).toEqual(['bob', 'cid']);
    expect(failures).toEqual([['Chat "ann" cannot be removed', 'no transaction']]);
    await expect(removeExpired(by(1), failing).next()).rejects.toThrow('no transaction');
  });

  it.each([
    ['unavailable database', () => new DatabaseUnavailableError('no answer')],
    ['newer version', () => new UpgradeRequiredError('0099')],
  ])('ends at a %s, which fails all chats', async (_, error) => {
    now += 2 * DAY_MS;
    const failing = new DatabaseStore(failingFor(database.connection, 'ann', error), { clock: () => now });
    const sweep = removeExpired(by(1), failing, { onFailure: () => {} });
    await expect(sweep.next()).rejects.toThrow(error().message);
  });

  it('ends between two steps of a removal at the signal, and the rest follows with the next one', async () => {
    const length = 1_100;
    await writeChain(storeOn(), 'long', length);
    now += 2 * DAY_MS;
    const controller = new AbortController();
    const watched = watchedConnection(database.connection, () => controller.abort());
    const store = new DatabaseStore(watched, { clock: () => now });
    const isDue = ({ id }: { id: string }) => id === 'long';
    expect(await store.remove('long', 'retention', { isDue, signal: controller.signal })).not.toBeNull();
    const { length: remaining } = (await database.allRows()).messages;
    expect([remaining > 0, remaining < length]).toEqual([true, true]);
    await finishRemovals(database.connection);
    expect((await database.allRows()).messages).toEqual([]);
  });

  it('stops at the signal', async () => {
    now += 2 * DAY_MS;
    const controller = new AbortController();
    for await (const { id } of removeExpired(by(1), storeOn(), controller)) {
      expect(id).toBe('ann');
      controller.abort();
    }
    expect((await database.allRows()).chats.map(({ id }) => id)).toEqual(['bob']);
  });
});
