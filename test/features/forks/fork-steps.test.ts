/** Forks that are too large for one transaction. */
import { beforeAll, describe, expect, it } from 'vitest';
import { deleteChat } from '../../../src/features/deletion/delete-chat.js';
import { forkChat } from '../../../src/features/forks/fork-chat.js';
import type { ConversationStore } from '../../../src/conversation/store.js';
import type { Connection } from '../../../src/database/connection/connection.js';
import { createReads } from '../../../src/database/reading/reads.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { endLeases, killedIn } from '../imports/steps/stepped-imports.js';
import { expectVerified } from '../../support/chats/forks.js';
import { VIEWER, writeChain } from '../../support/chats/large-chats.js';
import { allRows } from '../../support/database/all-rows.js';
import { databaseForAll } from '../../support/database/database-scope.js';
import { endingIn, watchedConnection } from '../../support/database/watched-connection.js';

/** More messages than a step has. */
const LENGTH = 2_100;

const database = databaseForAll();
beforeAll(async () => {
  await writeChain(database.store, 'c', LENGTH);
});
const fork = (store: ConversationStore, id: string) => forkChat(store, VIEWER, { chatId: 'c', id, wholeGraph: true });

/** The stored chats with their owners. */
const chats = async () =>
  (await allRows(database.connection, database.url)).chats.map(({ id, userId }) => `${id} of ${userId}`);

describe('a large fork', () => {
  it('is hidden until all is copied', async () => {
    const seen: unknown[] = [];
    const reads = createReads(database.connection);
    const watched = watchedConnection(database.connection, async () => {
      seen.push(await reads.chats(['fork']), await reads.chatCount({ userId: 'u', metadata: [] }));
    });
    await fork(new DatabaseStore(watched), 'fork');
    expect(seen).toEqual([1, 2, 3, 4, 5].flatMap(() => [[null], 1]));
    expect(await reads.messageCounts(['fork'])).toEqual([LENGTH]);
    await database.store.remove('fork', 'u');
  });

  it('that fails is removed at once', async () => {
    await expect(fork(new DatabaseStore(endingIn(database.connection, 3)), 'fork')).rejects.toThrow('ended');
    expect(await chats()).toEqual(['c of u']);
  });

  it('of a killed process is never visible, and can be repeated', async () => {
    await expect(fork(killedIn(database, 3).store, 'fork')).rejects.toThrow('killed');
    expect(await chats()).toEqual(['c of u', 'fork of ']);
    await endLeases(database);
    await fork(database.store, 'fork');
    expect(await chats()).toEqual(['c of u', 'fork of u']);
    await expectVerified(database.url);
  });

  it('of a chat that is deleted meanwhile is refused', async () => {
    let transactions = 0;
    const write: Connection['write'] = async (...change) => {
      if (++transactions === 3) await deleteChat(database.store, VIEWER, 'c');
      return database.connection.write(...change);
    };
    const store = new DatabaseStore({ ...database.connection, write });
    await expect(fork(store, 'late')).rejects.toThrow('Chat "c" not found');
    expect(await chats()).toEqual(['fork of u']);
  });
});
