/** Removal of large chats in steps, and interrupted removals. */
import sql, { raw } from 'sql-template-tag';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createChat, upsertChat } from '../../../src/conversation/chats.js';
import { deleteChat } from '../../../src/features/deletion/delete-chat.js';
import { createCheckpoint } from '../../../src/conversation/branches/checkpoints.js';
import { appendToDraft } from '../../../src/features/drafts/change-draft.js';
import { startDraft } from '../../../src/features/drafts/start-draft.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { tablesWith } from '../../../src/conversation/table-rules.js';
import type { Connection, Queryable } from '../../../src/database/connection/connection.js';
import { connect, openDatabase } from '../../../src/database/opening/open.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { allRows, tableAt, type AllRows } from '../../support/database/all-rows.js';
import { VIEWER, writeBranches, writeChain } from '../../support/chats/large-chats.js';
import { openParley } from '../../support/server/parley.js';
import {
  temporaryDatabase,
  temporaryDatabaseUrl,
  type TemporaryDatabase,
} from '../../support/database/temporary-database.js';
import { expectUnreachable } from '../../support/chats/unreachable-chat.js';
import { endingIn, watchedConnection } from '../../support/database/watched-connection.js';

/** More rows than one step removes. */
const LENGTH = 1_100;
const MAX_ROWS_PER_STEP = 1_000;

const ADMIN = { userId: 'admin', isAdmin: true };
const NOTHING = {
  chats: [],
  messages: [],
  runs: [],
  sources: [],
  branches: [],
  checkpoints: [],
  events: [],
  texts: [],
  drafts: [],
  pieces: [],
};

async function openTemporary(): Promise<TemporaryDatabase> {
  const database = await temporaryDatabase();
  onTestFinished(() => database.remove());
  return database;
}

/** A database with a partially deleted chat. */
async function halfRemoved(
  databaseUrl?: string,
): Promise<{ url: string; store: DatabaseStore; branchId: string; checkpointId: string }> {
  const url = databaseUrl ?? temporaryDatabaseUrl();
  const connection = await connectionTo(url);
  const store = new DatabaseStore(connection);
  await writeChain(store, 'c', LENGTH);
  const { checkpoint } = await createCheckpoint(store, VIEWER, { chatId: 'c', name: 'x' });
  const [branch] = (await rowsAt(url)).branches;
  await interruptedAt(url, 2);
  expect((await rowsAt(url)).messages.length).toBe(LENGTH - MAX_ROWS_PER_STEP + 2);
  return { url, store, branchId: branch!.id, checkpointId: checkpoint.id };
}

/** Deletes chat c, in a process that ends in its nth transaction. */
async function interruptedAt(url: string, nth: number): Promise<void> {
  const connection = await connectionTo(url);
  await expect(deleteChat(new DatabaseStore(endingIn(connection, nth)), VIEWER, 'c')).rejects.toThrow('ended');
}

async function connectionTo(url: string): Promise<Connection> {
  const { connection } = await connect(url, { migrate: true, finish: false });
  onTestFinished(() => connection.close());
  return connection;
}

describe('a chat with long drafts', () => {
  /** More than go in one step, of drafts that have as many pieces as appends. */
  async function withDrafts(): Promise<{ url: string; store: DatabaseStore; connection: Connection }> {
    const url = temporaryDatabaseUrl();
    const connection = await connectionTo(url);
    const store = new DatabaseStore(connection);
    await createChat(store, VIEWER, { id: 'c' });
    for (const id of ['d', 'e']) {
      await startDraft(store, VIEWER, { chatId: 'c', id });
      await appendToDraft(store, VIEWER, { chatId: 'c', id, offset: 0, chunks: ['x'] });
      await connection.write('pieces', async (tx) => {
        for (let n = 1; n < LENGTH; n++) {
          const chunk = { draftId: id, startOffset: n, endOffset: n + 1, chunks: '["x"]', chatId: 'c' };
          await tx.run(connection.sql.insertRows('draft_chunks', [chunk]));
        }
      });
    }
    return { url, store, connection };
  }

  it('is deleted in steps, drafts first', async () => {
    const { url, store } = await withDrafts();
    await interruptedAt(url, 2);
    expect(await rowsAt(url)).toMatchObject({
      drafts: { length: 2 },
      pieces: { length: 2 * LENGTH - MAX_ROWS_PER_STEP },
    });
    await upsertChat(store, VIEWER, { id: 'c' });
    expect(await rowsAt(url)).toMatchObject({ drafts: [], pieces: [] });
  });

  it('releases the ids of its drafts immediately', async () => {
    const { url, store } = await withDrafts();
    await interruptedAt(url, 2);
    await createChat(store, VIEWER, { id: 'other' });
    await startDraft(store, VIEWER, { chatId: 'other', id: 'd' });
    expect(await rowsAt(url)).toMatchObject({ drafts: [{ id: 'd', chatId: 'other' }], pieces: [] });
  });
});

describe('a partially removed chat', () => {
  it('is not found by any query', async () => {
    const parley = await openParley();
    const { branchId, checkpointId } = await halfRemoved(parley.databaseUrl);
    await expectUnreachable(parley, { branchId, checkpointId });
  });

  it('cannot be changed or deleted, not even by an admin', async () => {
    const { store } = await halfRemoved();
    const message = { id: 'new', name: 'user', content: { text: 'x' } };
    await expect(saveMessages(store, ADMIN, { chatId: 'c', messages: [message] })).rejects.toThrow('not found');
    await expect(deleteChat(store, ADMIN, 'c')).rejects.toThrow('not found');
  });

  it('releases its id immediately, and a new chat with that id contains none of its data', async () => {
    const { url, store } = await halfRemoved();
    expect(await upsertChat(store, VIEWER, { id: 'c' })).toMatchObject({ created: true });
    const { messages, branches, checkpoints, events, texts } = await rowsAt(url);
    expect([messages, checkpoints, texts]).toEqual([[], [], []]);
    expect([branches.length, events.map(({ seq }) => seq)]).toEqual([1, [1, 2, 3]]);
  });

  it('releases the ids of its messages immediately', async () => {
    const { url, store } = await halfRemoved();
    await createChat(store, VIEWER, { id: 'other' });
    const message = { id: 'c-0', name: 'user', content: { text: 'x' } };
    await saveMessages(store, VIEWER, { chatId: 'other', messages: [message] });
    const { messages, texts } = await rowsAt(url);
    expect([messages, texts]).toEqual([
      [expect.objectContaining({ id: 'c-0', chatId: 'other' })],
      [expect.objectContaining({ messageId: 'c-0', chatId: 'other' })],
    ]);
  });

  it('is removed by the next start', async () => {
    const { url } = await halfRemoved();
    await (await openDatabase({ url })).store.close();
    expect(await rowsAt(url)).toEqual(NOTHING);
  });

  it('is removed with the next chat that is deleted in steps', async () => {
    const { url, store } = await halfRemoved();
    await writeChain(store, 'd', LENGTH);
    await deleteChat(store, VIEWER, 'd');
    expect(await rowsAt(url)).toEqual(NOTHING);
  });
});

describe('a large chat', () => {
  it('is complete when the first step fails', async () => {
    const { url, store } = await openTemporary();
    await writeChain(store, 'c', LENGTH);
    const before = await rowsAt(url);
    await interruptedAt(url, 1);
    expect(await rowsAt(url)).toEqual(before);
  });

  it.each([
    ['chain', (store: DatabaseStore) => writeChain(store, 'c', LENGTH)],
    ['bush of branches', (store: DatabaseStore) => writeBranches(store, 'c', LENGTH, 10)],
  ])('that is a %s is removed completely, in steps of a bounded size', async (_, write) => {
    const { url, connection } = await openTemporary();
    await write(new DatabaseStore(connection));
    await createCheckpoint(new DatabaseStore(connection), VIEWER, { chatId: 'c', name: 'x' });
    const counts = [await connection.read((db) => countIn(db, url))];
    const counted = watchedConnection(connection, async (_nth, tx) => void counts.push(await countIn(tx, url)));
    await deleteChat(new DatabaseStore(counted), VIEWER, 'c');

    const removed = counts.slice(1).map((count, n) => counts[n]! - count);
    // The row of the chat itself is beyond the count.
    expect(Math.max(...removed)).toBeLessThanOrEqual(MAX_ROWS_PER_STEP + 1);
    expect(counts.at(-1)).toBe(0);
    expect(await rowsAt(url)).toEqual(NOTHING);
  });

  it('lets other changes run between two steps', async () => {
    const { connection } = await openTemporary();
    const order: string[] = [];
    const steps = watchedConnection(connection, (nth) => void order.push(`step ${nth}`));
    const store = new DatabaseStore(connection);
    await createChat(store, VIEWER, { id: 'other' });
    await writeChain(store, 'c', 2 * LENGTH);

    const deletion = deleteChat(new DatabaseStore(steps, { onChange: () => saveInOther() }), VIEWER, 'c');
    let saved: Promise<unknown> = Promise.resolve();
    function saveInOther() {
      const message = { id: 'm', name: 'user', content: { text: 'x' } };
      saved = saveMessages(store, VIEWER, { chatId: 'other', messages: [message] }).then(() => order.push('saved'));
    }
    await deletion;
    await saved;
    expect(order.indexOf('saved')).toBeGreaterThan(0);
    expect(order.indexOf('saved')).toBeLessThan(order.length - 1);
  });
});

it('two processes remove the rest of one chat together', async () => {
  const url = temporaryDatabaseUrl();
  const { store } = await openDatabase({ url, migrate: true });
  await writeChain(store, 'c', LENGTH);
  await store.close();
  await interruptedAt(url, 2);
  const opened = await Promise.all([openDatabase({ url, migrate: true }), openDatabase({ url, migrate: true })]);
  await Promise.all(opened.map((each) => each.store.close()));
  expect(await rowsAt(url)).toEqual(NOTHING);
});

/** All rows, including those that the next start removes. */
async function rowsAt(url: string): Promise<AllRows> {
  return allRows(await connectionTo(url), url);
}

/** All rows that are removed with chats, except message_texts, which are removed with their messages. */
async function countIn(db: Queryable, url: string): Promise<number> {
  const tables = ['chats', ...tablesWith({ removal: 'seq' })];
  const all = tables.map((table) => `(SELECT count(*) FROM ${tableAt(url, table).sql})`).join(' + ');
  const [row] = await db.rows<{ total: number }>(sql`SELECT ${raw(all)} AS "total"`);
  return row!.total;
}
