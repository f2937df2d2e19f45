/** A chat whose import was killed: it is hidden until the import is repeated. */
import sql from 'sql-template-tag';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createChat, upsertChat } from '../../../../src/conversation/chats.js';
import { saveMessages } from '../../../../src/conversation/saving/save.js';
import { ChatArchive } from '../../../../src/features/exports/archive.js';
import type { Connection } from '../../../../src/database/connection/connection.js';
import { connect } from '../../../../src/database/opening/open.js';
import { eraseUser } from '../../../../src/features/deletion/erasure.js';
import { finishRemovals } from '../../../../src/features/deletion/removal.js';
import { DatabaseStore } from '../../../../src/database/store/database-store.js';
import { tableAt } from '../../../support/database/all-rows.js';
import { VIEWER } from '../../../support/chats/large-chats.js';
import { expectUnreachable } from '../../../support/chats/unreachable-chat.js';
import { openParley } from '../../../support/server/parley.js';
import { isDistributed } from '../../../support/database/database-kind.js';
import {
  adopt,
  countIn,
  endLeases,
  killedIn,
  message,
  messagesIn,
  open,
  setLeases,
  shareLargeChat,
} from './stepped-imports.js';

const DAY_MS = 24 * 60 * 60 * 1000;

const largeChat = shareLargeChat();

describe('a hidden chat', () => {
  /** All messages are written, and the lease is valid. */
  async function hiddenChat(url?: string) {
    const { source, whole } = largeChat();
    const database = url === undefined ? await open() : { url, ...(await connect(url, { migrate: true })) };
    if (url !== undefined) onTestFinished(() => database.connection.close());
    await expect(adopt(killedIn(database, 6), whole)).rejects.toThrow('killed');
    expect(await messagesIn(database)).toBe(1_300);
    return {
      url: database.url,
      connection: database.connection,
      store: new DatabaseStore(database.connection),
      source,
      whole,
    };
  }

  it('is not found by any query', async () => {
    const parley = await openParley();
    const { connection, whole } = await hiddenChat(parley.databaseUrl);
    await expectUnreachable(parley, { branchId: whole.branches[0]!.id, checkpointId: whole.checkpoints[0]!.id });
    const exported = [];
    for await (const chats of new ChatArchive(connection).chats({ userId: null, since: null })) exported.push(chats);
    expect([exported, await new ChatArchive(connection).read('c', null)]).toEqual([[], null]);
  });

  it('is not removed with interrupted deletions until a day after the end of its lease', async () => {
    const hidden = await hiddenChat();
    await finishRemovals(hidden.connection);
    await setLeases(hidden, Date.now() - DAY_MS + 60_000);
    await finishRemovals(hidden.connection);
    expect(await messagesIn(hidden)).toBe(1_300);
    await setLeases(hidden, Date.now() - DAY_MS - 1);
    await finishRemovals(hidden.connection);
    const tables = ['chats', 'messages', 'branches', 'chat_events', 'message_texts', 'chat_imports'];
    expect(await hidden.connection.read((db) => countIn(db, hidden.url, tables))).toBe(0);
  });

  // The distributed form has no triggers, and no older servers.
  it.skipIf(isDistributed)('is not locked by the statement of older servers that removes chats', async () => {
    const { connection, url } = await hiddenChat();
    const statement = sql`UPDATE ${tableAt(url, 'chats')} SET "userId" = '' WHERE "id" = 'c' AND "userId" = ''`;
    expect(await connection.write('a test', (tx) => tx.run(statement))).toBe(0);
  });

  it('reserves its ids while its lease is valid, and releases them afterwards', async () => {
    const hidden = await hiddenChat();
    const { store } = hidden;
    await expect(createChat(store, VIEWER, { id: 'c' })).rejects.toThrow('exists');
    await createChat(store, VIEWER, { id: 'other' });
    const save = () => saveMessages(store, VIEWER, { chatId: 'other', messages: [message('c-0')] });
    await expect(save()).rejects.toThrow('c-0');
    await endLeases(hidden);
    await save();
    expect(await messagesIn(hidden)).toBe(1);
    expect(await upsertChat(store, VIEWER, { id: 'c' })).toMatchObject({ created: true });
  });

  it('is removed when its owner is erased', async () => {
    const hidden = await hiddenChat();
    await eraseUser(hidden.connection, VIEWER.userId);
    expect(await messagesIn(hidden)).toBe(0);
  });

  it('is not written by a second import while the first one runs', async () => {
    const hidden = await hiddenChat();
    let now = Date.now() + 30_000;
    const read: Connection['read'] = async (query) => {
      const result = await hidden.connection.read(query);
      await setLeases(hidden, (now += 1_000));
      return result;
    };
    const second = adopt({ connection: { ...hidden.connection, read } }, hidden.whole);
    await expect(second).rejects.toThrow('another import is writing chat "c"');
  });

  it('is completed by a second import after the first one has stopped', async () => {
    const hidden = await hiddenChat();
    let reads = 0;
    const read: Connection['read'] = async (query) => {
      const result = await hidden.connection.read(query);
      if (++reads === 6) await endLeases(hidden);
      return result;
    };
    const second = await adopt({ connection: { ...hidden.connection, read } }, hidden.whole);
    expect(second).toEqual({ result: 'imported', firstSeq: 1 });
  });

  it('can be searched only by its owner after its publication', async () => {
    const hidden = await hiddenChat();
    await endLeases(hidden);
    await adopt(hidden, hidden.whole);
    const { candidates } = hidden.connection.sql;
    const found = async (userId: string) => {
      const request = { index: [], userId, chatIds: null, names: null, before: null, limit: 2_000 };
      return (await hidden.connection.read((db) => db.rows(candidates(request)))).length;
    };
    expect([await found(VIEWER.userId), await found('somebody')]).toEqual([1_300, 0]);
  });
});
