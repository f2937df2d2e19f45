/** Deleted chats in the database: their removal, and restorations at the same moment. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { deleteChat, restoreChat } from '../../../src/features/deletion/delete-chat.js';
import { appendToDraft } from '../../../src/features/drafts/change-draft.js';
import { startDraft } from '../../../src/features/drafts/start-draft.js';
import { eraseUser } from '../../../src/features/deletion/erasure.js';
import { removeDeletionRecords, removeDueChats } from '../../../src/features/deletion/recovery.js';
import { finishRemovals } from '../../../src/features/deletion/removal.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { VIEWER, writeChain } from '../../support/chats/large-chats.js';
import { databaseForEach } from '../../support/database/database-scope.js';
import { withRecovery } from './with-recovery.js';
import { endingIn, watchedConnection } from '../../support/database/watched-connection.js';

const DAY_MS = 24 * 60 * 60_000;
/** More than one step removes. */
const LENGTH = 1_100;
const ALWAYS = { signal: new AbortController().signal };

const database = databaseForEach();
let now = Date.now();
const storeOn = (connection = database.connection) => new DatabaseStore(withRecovery(connection), { clock: () => now });
const removeDue = () => removeDueChats(database.connection, now, ALWAYS);
const chatIds = async () => (await database.allRows()).chats.map(({ id }) => id);
beforeEach(async () => {
  now = Date.now();
});
describe('a deleted chat', () => {
  it('is removed when its time has come, in steps', async () => {
    const store = storeOn();
    await writeChain(store, 'c', LENGTH);
    await createChat(store, VIEWER, { id: 'stays' });
    await deleteChat(store, VIEWER, 'c');
    now += 7 * DAY_MS;
    await removeDue();
    expect(await chatIds()).toEqual(['c', 'stays']);
    now += 1;
    await removeDue();
    const { chats, messages, events } = await database.allRows();
    expect([chats.map(({ id }) => id), messages.length]).toEqual([['stays'], 0]);
    expect(events.map(({ chatId }) => chatId)).toEqual(['stays', 'stays', 'stays']);
    await expect(restoreChat(store, VIEWER, 'c', 7)).rejects.toThrow('can be restored for 7 days');
  });

  it('stays while an older removal is finished, also one that has its id', async () => {
    const store = storeOn();
    await writeChain(store, 'c', 2);
    await deleteChat(store, VIEWER, 'c');
    await finishRemovals(database.connection);
    await expect(createChat(store, VIEWER, { id: 'c' })).rejects.toThrow('it was deleted; restore it');
    expect((await restoreChat(store, VIEWER, 'c', 7)).title).toBeNull();
    expect((await database.allRows()).messages.length).toBe(2);
  });

  it('is restored or removed, when both happen at the same moment', async () => {
    const store = storeOn();
    for (let round = 0; round < 10; round++) {
      const id = `c${round}`;
      await writeChain(store, id, 2);
      await deleteChat(store, VIEWER, id);
      now += 7 * DAY_MS + 1;
      const [restored] = await Promise.all([
        restoreChat(storeOn(), VIEWER, id, 7).then(
          () => true,
          () => false,
        ),
        removeDue(),
        removeDue(),
      ]);
      const { chats, messages } = await database.allRows();
      expect(chats.filter((chat) => chat.id === id).length).toBe(restored ? 1 : 0);
      expect(messages.filter(({ chatId }) => chatId === id).length).toBe(restored ? 2 : 0);
      expect((await store.chat(id)) !== null).toBe(restored);
    }
  });

  it('is removed by the next sweep after a removal that was interrupted', async () => {
    await writeChain(storeOn(), 'c', LENGTH);
    await deleteChat(storeOn(), VIEWER, 'c');
    now += 8 * DAY_MS;
    await expect(removeDueChats(endingIn(database.connection, 2), now, ALWAYS)).rejects.toThrow('ended');
    expect(await storeOn().deletedChat('c')).toBeNull();
    await finishRemovals(database.connection);
    expect(await chatIds()).toEqual([]);
  });

  it('is removed also when an earlier one cannot be removed', async () => {
    for (const id of ['a', 'b']) {
      await createChat(storeOn(), VIEWER, { id });
      await deleteChat(storeOn(), VIEWER, id);
      now += 1;
    }
    now += 8 * DAY_MS;
    const failures: string[] = [];
    const onFailure = ({ message }: Error) => void failures.push(message);
    await removeDueChats(endingIn(database.connection, 1), now, { ...ALWAYS, onFailure });
    expect([failures, await chatIds()]).toEqual([['Chat "a" cannot be removed'], ['a']]);
  });

  it('is removed in no further step after the abort signal', async () => {
    await writeChain(storeOn(), 'c', LENGTH);
    await deleteChat(storeOn(), VIEWER, 'c');
    now += 8 * DAY_MS;
    const controller = new AbortController();
    let steps = 0;
    const connection = watchedConnection(database.connection, () => {
      steps++;
      controller.abort();
    });
    await removeDueChats(connection, now, controller);
    expect(steps).toBe(1);
    expect(await chatIds()).toEqual(['c']);
  });

  it('loses its drafts, in steps', async () => {
    const { connection } = database;
    const store = storeOn();
    await createChat(store, VIEWER, { id: 'c' });
    await startDraft(store, VIEWER, { chatId: 'c', id: 'd' });
    await appendToDraft(store, VIEWER, { chatId: 'c', id: 'd', offset: 0, chunks: ['x'] });
    await connection.write('pieces', async (tx) => {
      for (let n = 1; n < LENGTH; n++) {
        const chunk = { draftId: 'd', startOffset: n, endOffset: n + 1, chunks: '["x"]', chatId: 'c' };
        await tx.run(connection.sql.insertRows('draft_chunks', [chunk]));
      }
    });
    let steps = 0;
    await deleteChat(storeOn(watchedConnection(connection, () => void steps++)), VIEWER, 'c');
    const { drafts, pieces } = await database.allRows();
    expect([steps, drafts, pieces]).toEqual([2, [], []]);
    await restoreChat(store, VIEWER, 'c', 7);
    await startDraft(store, VIEWER, { chatId: 'c', id: 'd' });
  });

  it('has a record for the configured time', async () => {
    const store = storeOn();
    await createChat(store, VIEWER, { id: 'c' });
    await deleteChat(store, VIEWER, 'c', { permanently: true });
    const records = async () => {
      await removeDeletionRecords(database.connection, now, DAY_MS);
      const { read, sql } = database.connection;
      return (await read((db) => db.rows(sql.deletionOf('c')))).length;
    };
    now += DAY_MS;
    expect(await records()).toBe(1);
    now += 1;
    expect(await records()).toBe(0);
  });

  it('is removed with its user', async () => {
    const store = storeOn();
    await writeChain(store, 'c', 2);
    await deleteChat(store, VIEWER, 'c');
    const { removed } = await eraseUser(database.connection, VIEWER.userId);
    expect(removed).toMatchObject({ chats: 1, messages: 2 });
    expect(await chatIds()).toEqual([]);
  });

  it('keeps the state of an interrupted import', async () => {
    const store = storeOn();
    await writeChain(store, 'c', 2);
    const open = { userId: VIEWER.userId, holder: 'h', expiresAt: 1, afterSeq: 1 };
    await store.change('c', VIEWER.userId, async (_locked, change) => void (change.openImport = open));
    await deleteChat(store, VIEWER, 'c');
    await restoreChat(store, VIEWER, 'c', 7);
    const found = await store.change('c', VIEWER.userId, (locked) => locked.openImport());
    expect(found).toMatchObject({ userId: VIEWER.userId, afterSeq: 1, deletedAt: null });
    expect(found!.expiresAt).toBeLessThan(now);
  });
});
