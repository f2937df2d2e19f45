/** Imports that are too large for one transaction. */
import sql, { raw } from 'sql-template-tag';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WholeChat } from '../../src/conversation/archive.js';
import type { StoredEvent } from '../../src/conversation/model.js';
import { NewChat } from '../../src/conversation/change.js';
import { createChat, upsertChat } from '../../src/conversation/chats.js';
import { saveMessages } from '../../src/conversation/saving/save.js';
import { UNSET_MESSAGE_COLUMNS } from '../../src/conversation/tables.js';
import { DatabaseArchive } from '../../src/database/copy/archive.js';
import type { Connection, Queryable } from '../../src/database/opening/connection.js';
import { connect } from '../../src/database/opening/open.js';
import { eraseUser } from '../../src/database/removing/erasure.js';
import { finishRemovals } from '../../src/database/removing/removal.js';
import { DatabaseStore } from '../../src/database/writing/database-store.js';
import { createCheckpoint } from '../../src/conversation/branches/checkpoints.js';
import { tableAt } from '../support/database/all-rows.js';
import { VIEWER, writeBranches } from '../support/chats/large-chats.js';
import { openParley } from '../support/server/parley.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';
import { temporaryFile } from '../support/temporary-folder.js';
import { expectUnreachable } from '../support/chats/unreachable-chat.js';
import { watchedConnection } from '../support/database/watched-connection.js';
import { importContent, onlyChat } from './imported-chats.js';
import { conversation, nodeOf } from './readers/chatgpt-export.js';
import { exportFrom, importTo } from './exports/run-export.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_ROWS_PER_STEP = 500;
const OWNER = { userId: 'local', isAdmin: false };

/** A chain with a second answer to every hundredth message. */
function exportOf(length: number) {
  const nodes = Array.from({ length }, (_, n) => [
    n === 0 ? 'n0' : `n${n} < n${n - 1}`,
    ...(n % 100 === 50 ? [`fork${n} < n${n - 1}`] : []),
  ]);
  return conversation(nodes.flat(), { current_node: `n${length - 1}` });
}

async function open(): Promise<TemporaryDatabase> {
  const database = await temporaryDatabase();
  onTestFinished(() => database.remove());
  return database;
}

/** The same database, for a process that is killed in its nth transaction. */
function killedIn<Database extends { connection: Connection }>(database: Database, last: number) {
  const connection = watchedConnection(database.connection, (nth) => {
    if (nth >= last) throw new Error('killed');
  });
  return { ...database, connection, store: new DatabaseStore(connection) };
}

async function setLeases({ connection, url }: Pick<TemporaryDatabase, 'connection' | 'url'>, expiresAt: number) {
  const statement = sql`UPDATE ${tableAt(url, 'chat_imports')} SET "expiresAt" = ${expiresAt}`;
  await connection.write('a test', (tx) => tx.run(statement));
}

const endLeases = (database: Pick<TemporaryDatabase, 'connection' | 'url'>) => setLeases(database, Date.now() - 1);

/** A chat with 1,300 messages, 601 branches, a checkpoint and 1,205 events, as an export of another database has it. */
async function largeChat(): Promise<{ source: TemporaryDatabase; whole: WholeChat }> {
  const source = await open();
  await writeBranches(source.store, 'c', 600, 700);
  await createCheckpoint(source.store, VIEWER, { chatId: 'c', name: 'here' });
  return { source, whole: await wholeIn(source) };
}

async function wholeIn({ connection }: TemporaryDatabase): Promise<WholeChat> {
  const whole = await new DatabaseArchive(connection).read('c', null);
  if (whole === null) throw new Error('there is no chat c');
  return whole;
}

const adopt = ({ connection }: { connection: Connection }, whole: WholeChat) =>
  new DatabaseArchive(connection).adopt(whole);

/** All rows, without the ids that each database gives to texts. */
async function rowsOf(database: TemporaryDatabase) {
  const { texts, ...rows } = await database.allRows();
  return { ...rows, texts: texts.map(({ id: _, ...text }) => text) };
}

async function countIn(db: Queryable, url: string, tables: string[]): Promise<number> {
  const all = tables.map((table) => `(SELECT count(*) FROM ${tableAt(url, table).sql})`).join(' + ');
  const [row] = await db.rows<{ total: number }>(sql`SELECT ${raw(all)} AS "total"`);
  return Number(row!.total);
}

const messagesIn = ({ connection, url }: Pick<TemporaryDatabase, 'connection' | 'url'>) =>
  connection.read((db) => countIn(db, url, ['messages']));

const message = (id: string) => ({ id, name: 'user', content: { text: 'x' } });

describe('an import of a large new chat', () => {
  it.each([2, 4, 5])('that is killed in transaction %i is completed by a repeated one', async (nth) => {
    const [database, undisturbed] = [await open(), await open()];
    await importContent(undisturbed, exportOf(1_100));
    const report = await importContent(killedIn(database, nth), exportOf(1_100));
    expect(report.failures.kept).toEqual([expect.stringContaining('killed')]);
    expect(await messagesIn(database)).toBe([0, 0, 500, 1_000, 1_111][nth - 1]);
    await endLeases(database);
    const again = await importContent(database, exportOf(1_100));
    expect(again.conversations).toEqual({ imported: 1, updated: 0, unchanged: 0 });
    expect(await onlyChat(database)).toEqual(await onlyChat(undisturbed));
  });

  it.each([5, 8])('in the format of Parley is completed after transaction %i is killed', async (nth) => {
    const { source, whole } = await largeChat();
    const database = await open();
    await expect(adopt(killedIn(database, nth), whole)).rejects.toThrow('killed');
    await endLeases(database);
    const order: number[] = [];
    const counted = watchedConnection(database.connection, async (_, tx) => {
      order.push(await countIn(tx, database.url, ['messages']));
    });
    const before = await messagesIn(database);
    expect(await adopt({ connection: counted }, whole)).toEqual({ result: 'imported', firstSeq: 1 });
    // The messages that the first import has written are not written again.
    expect(Math.min(...order)).toBe(before);
    expect(await rowsOf(database)).toEqual(await rowsOf(source));
  });

  it('starts anew when the messages of the interrupted one are not those of the file', async () => {
    const database = await open();
    await importContent(killedIn(database, 4), exportOf(1_100));
    await endLeases(database);
    const changed = exportOf(1_100);
    nodeOf(changed, 'n3').message!['content'] = { content_type: 'text', parts: ['changed'] };
    await importContent(database, changed);
    const { messages } = await onlyChat(database);
    expect(messages.length).toBe(1_111);
    expect(messages[3]!.data.parts).toEqual([{ type: 'text', text: 'changed' }]);
  });

  it('takes transactions of a bounded size, and saves of others get their turn between two', async () => {
    const { whole } = await largeChat();
    const database = await open();
    await createChat(database.store, VIEWER, { id: 'other' });
    const [counts, order]: [number[], string[]] = [[], []];
    let saved: Promise<unknown> = Promise.resolve();
    const tables = ['chats', 'messages', 'branches', 'checkpoints', 'chat_events'];
    const connection = watchedConnection(database.connection, async (nth, tx) => {
      counts.push(await countIn(tx, database.url, tables));
      order.push('step');
      if (nth !== 2) return;
      const save = saveMessages(database.store, VIEWER, { chatId: 'other', messages: [message('m')] });
      saved = save.then(() => order.push('saved'));
    });
    await adopt({ connection }, whole);
    await saved;
    const written = counts.slice(1).map((count, n) => count - counts[n]!);
    // The save writes a message and an event.
    expect(Math.max(...written)).toBeLessThanOrEqual(MAX_ROWS_PER_STEP + 2);
    expect(order.indexOf('saved')).toBeGreaterThan(1);
    expect(order.indexOf('saved')).toBeLessThan(order.length - 1);
  });

  it('notifies subscribers once', async () => {
    const { whole } = await largeChat();
    const database = await open();
    const changes: unknown[] = [];
    await new DatabaseArchive(database.connection, { onChange: (change) => changes.push(change) }).adopt(whole);
    expect(changes).toEqual([{ chatId: 'c', version: whole.chat.version }]);
  });

  it('that meets the id of a message in another chat leaves nothing', async () => {
    const { whole } = await largeChat();
    const database = await open();
    await createChat(database.store, VIEWER, { id: 'other' });
    await saveMessages(database.store, VIEWER, { chatId: 'other', messages: [message('c-b599')] });
    const before = await rowsOf(database);
    expect(await adopt(database, whole)).toEqual({ result: 'taken' });
    expect(await rowsOf(database)).toEqual(before);
  });
});

it('new chats that have more than 4 MiB together are not written in one transaction', async () => {
  const database = await open();
  const large = (chatId: string) => {
    const times = { createdAt: 1, updatedAt: 1 };
    const change = new NewChat({ id: chatId, userId: 'u', title: null, metadata: '{}', ...times }, 'u', 1);
    const place = {
      ...UNSET_MESSAGE_COLUMNS,
      parentId: null,
      depth: 0,
      seq: 1,
      siblingIndex: 0,
      jumpId: `${chatId}-m`,
      parentSeq: null,
    };
    const text = { data: JSON.stringify('x'.repeat(3 * 1024 * 1024)), text: 'x', preview: 'x', createdBy: 'u' };
    change.messages.push({ id: `${chatId}-m`, chatId, name: 'user', type: 'message', createdAt: 1, ...place, ...text });
    return change;
  };
  expect(await database.store.createAll([large('a'), large('b')])).toBe(false);
  expect((await database.allRows()).chats).toEqual([]);
  expect(await database.store.createAll([large('a')])).toBe(true);
});

describe('a hidden chat', () => {
  /** All messages are written, and the lease is valid. */
  async function hiddenChat(url?: string) {
    const { source, whole } = await largeChat();
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

  it('is found by no way that leads to it', async () => {
    const parley = await openParley();
    const { connection, whole } = await hiddenChat(parley.databaseUrl);
    await expectUnreachable(parley, { branchId: whole.branches[0]!.id, checkpointId: whole.checkpoints[0]!.id });
    const exported = [];
    for await (const chats of new DatabaseArchive(connection).chats({ userId: null, since: null }))
      exported.push(chats);
    expect([exported, await new DatabaseArchive(connection).read('c', null)]).toEqual([[], null]);
  });

  it('is not removed with chats whose removal was interrupted until its lease ended a day ago', async () => {
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

  it('is not locked by the statement with which older servers remove chats', async () => {
    const { connection, url } = await hiddenChat();
    const statement = sql`UPDATE ${tableAt(url, 'chats')} SET "userId" = '' WHERE "id" = 'c' AND "userId" = ''`;
    expect(await connection.write('a test', (tx) => tx.run(statement))).toBe(0);
  });

  it('takes its ids while its lease is valid, and leaves them to others afterwards', async () => {
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

  it('is not written by a second import whose first goes on', async () => {
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

  it('is completed by a second import once the first has stopped', async () => {
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

  it('can be searched by its owner alone once it is published', async () => {
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

describe('an import of a chat that has grown', () => {
  it.each([2, 8])('is completed by a repeated one when it is killed in transaction %i', async (nth) => {
    const [database, undisturbed] = [await open(), await open()];
    for (const each of [database, undisturbed]) await importContent(each, exportOf(100));
    await importContent(undisturbed, exportOf(1_300));
    const report = await importContent(killedIn(database, nth + 1), exportOf(1_300));
    expect(report.failures.kept).toEqual([expect.stringContaining('killed')]);
    expect((await onlyChatAsItIs(database)).version).toBe(6);
    await endLeases(database);
    const again = await importContent(database, exportOf(1_300));
    expect(again.messages).toEqual({ imported: 0, updated: 1_212, changed: 0 });
    expect(await onlyChat(database)).toEqual(await onlyChat(undisturbed));
    expect((await importContent(database, exportOf(1_300))).conversations.unchanged).toBe(1);
  });

  it.each(['a0', 'a899'])(
    'gets its branches in bounded transactions, also when one is killed; main leads to %s',
    async (main) => {
      const star = (answers: number, active: string) =>
        conversation(['n0', ...Array.from({ length: answers }, (_, n) => `a${n} < n0`)], { current_node: active });
      const [database, undisturbed] = [await open(), await open()];
      for (const each of [database, undisturbed]) await importContent(each, star(10, 'a9'));
      const tables = ['branches', 'chat_events'];
      const rows: number[] = [];
      const connection = watchedConnection(undisturbed.connection, async (_, tx) => {
        rows.push(await countIn(tx, undisturbed.url, tables));
      });
      await importContent({ ...undisturbed, store: new DatabaseStore(connection) }, star(900, main));
      const written = rows.slice(1).map((total, n) => total - rows[n]!);
      expect(Math.max(...written)).toBeLessThanOrEqual(MAX_ROWS_PER_STEP);
      const steps = written.flatMap((count, n) => (count > 0 ? [n] : []));
      expect(steps.length).toBeGreaterThan(4);
      for (const nth of [steps[1]!, steps.at(-1)!]) {
        await importContent(killedIn(database, nth + 1), star(900, main));
        await endLeases(database);
      }
      await importContent(database, star(900, main));
      expect(await onlyChat(database)).toEqual(await onlyChat(undisturbed));
      expect((await importContent(database, star(900, main))).conversations.unchanged).toBe(1);
    },
  );

  it('leaves main to a user who saves meanwhile, and moves heads to each message once', async () => {
    const database = await open();
    await importContent(database, exportOf(100));
    const { id: chatId } = await onlyChat(database);
    let saved: Promise<unknown> = Promise.resolve();
    const connection = watchedConnection(database.connection, (nth) => {
      if (nth === 3) saved = saveMessages(database.store, OWNER, { chatId, messages: [message('mine')] });
    });
    await importContent({ ...database, store: new DatabaseStore(connection) }, exportOf(1_300));
    await saved;
    const chat = await onlyChat(database);
    expect(chat.branches['main']).toBe('mine');
    expect(chat.messages.length).toBe(1_314);
    // The log is that of an export, too.
    const [file, copy] = [`${temporaryFile()}.jsonl`, await open()];
    await exportFrom(database.url, file);
    expect(await importTo(copy.url, file)).toMatchObject({ code: 0, error: [] });
    expect(await onlyChat(copy)).toEqual(await onlyChat(database));
  });

  it('is refused while another one has the lease', async () => {
    const database = await open();
    await importContent(database, exportOf(100));
    await importContent(killedIn(database, 4), exportOf(1_300));
    let now = Date.now() + 30_000;
    const write: Connection['write'] = async (...request) => {
      const result = await database.connection.write(...request);
      await setLeases(database, (now += 1_000));
      return result;
    };
    const store = new DatabaseStore({ ...database.connection, write });
    const { failures } = await importContent({ ...database, store }, exportOf(1_300));
    expect(failures.kept).toEqual([expect.stringContaining('another import is writing chat')]);
  });

  it('in the format of Parley appends in steps, and is completed when it is killed', async () => {
    const source = await open();
    await writeBranches(source.store, 'c', 10, 10);
    const [before, database] = [await wholeIn(source), await open()];
    await adopt(database, before);
    for (let n = 0; n < 3; n++) {
      const messages = Array.from({ length: 400 }, (_, k) => message(`new-${n}-${k}`));
      await saveMessages(source.store, VIEWER, { chatId: 'c', messages });
    }
    const grown = await wholeIn(source);
    const [old] = (await database.allRows()).chats;
    await expect(adopt(killedIn(database, 3), grown)).rejects.toThrow('killed');
    expect([await messagesIn(database), (await database.allRows()).chats[0]]).toEqual([1_020, old]);
    expect(await adopt(database, grown)).toEqual({ result: 'updated', firstSeq: 1_021 });
    expect(await rowsOf(database)).toEqual(await rowsOf(source));
  });

  it('in the format of Parley writes only the branches that the file has changed, and 20,000 events at most', async () => {
    const { source, whole } = await largeChat();
    const database = await open();
    await adopt(database, whole);
    await saveMessages(source.store, VIEWER, { chatId: 'c', messages: [message('last')] });
    const grown = await wholeIn(source);
    const deletions: string[] = [];
    const write: Connection['write'] = (key, work) =>
      database.connection.write(key, (tx) => {
        const run: typeof tx.run = (statement) => {
          if (statement.sql.includes('DELETE')) deletions.push(statement.sql);
          return tx.run(statement);
        };
        return work({ ...tx, run });
      });
    const connection = { ...database.connection, write };
    const version = whole.chat.version + 20_001;
    await expect(adopt({ connection }, { ...grown, chat: { ...grown.chat, version } })).rejects.toThrow(
      'the file has 20001 new events, and an import adds at most 20000',
    );
    expect(await adopt({ connection }, grown)).toMatchObject({ result: 'updated' });
    expect(deletions).toHaveLength(1);
    expect(await rowsOf(database)).toEqual(await rowsOf(source));
  });

  it('in the format of Parley writes nothing when another chat has one of its ids', async () => {
    const source = await open();
    await writeBranches(source.store, 'c', 10, 10);
    const database = await open();
    await adopt(database, await wholeIn(source));
    const messages = Array.from({ length: 500 }, (_, k) => message(`new-${k}`));
    await saveMessages(source.store, VIEWER, { chatId: 'c', messages });
    await saveMessages(source.store, VIEWER, { chatId: 'c', messages: [message('last')] });
    await createChat(database.store, VIEWER, { id: 'other' });
    await saveMessages(database.store, VIEWER, { chatId: 'other', messages: [message('last')] });
    const before = await rowsOf(database);
    expect(await adopt(database, await wholeIn(source))).toEqual({ result: 'taken' });
    expect(await rowsOf(database)).toEqual(before);
  });

  it('in the format of Parley waits for the end of an interrupted import in another format', async () => {
    const database = await open();
    await importContent(database, exportOf(100));
    await importContent(killedIn(database, 4), exportOf(1_300));
    const { id: chatId } = await onlyChatAsItIs(database);
    const whole = (await new DatabaseArchive(database.connection).read(chatId, null))!;
    const events: StoredEvent[] = [];
    for await (const rows of whole.events()) events.push(...rows);
    const seq = events.length + 1;
    const last = { ...events.at(-1)!, seq, type: 'ChatUpdated' as const, payload: '{}' };
    const grown = {
      ...whole,
      chat: { ...whole.chat, version: seq },
      async *events() {
        yield [...events, last];
      },
    };
    await expect(adopt(database, grown)).rejects.toThrow('another import is writing');
    await endLeases(database);
    await expect(adopt(database, grown)).rejects.toThrow('was interrupted');
    await importContent(database, exportOf(1_300));
    expect((await onlyChat(database)).messages).toHaveLength(1_313);
  });

  it('in the format of Parley moves no head when the chat is changed meanwhile', async () => {
    const source = await open();
    await writeBranches(source.store, 'c', 10, 10);
    const database = await open();
    await adopt(database, await wholeIn(source));
    const messages = Array.from({ length: 500 }, (_, k) => message(`new-${k}`));
    await saveMessages(source.store, VIEWER, { chatId: 'c', messages });
    await saveMessages(source.store, VIEWER, { chatId: 'c', messages: [message('last')] });
    let saved: Promise<unknown> = Promise.resolve();
    const connection = watchedConnection(database.connection, (nth) => {
      if (nth === 1) saved = saveMessages(database.store, VIEWER, { chatId: 'c', messages: [message('mine')] });
    });
    expect(await adopt({ connection }, await wholeIn(source))).toMatchObject({ result: 'diverged' });
    await saved;
  });
});

/** The row of the only chat: its log may lack messages. */
async function onlyChatAsItIs(database: TemporaryDatabase) {
  return (await database.allRows()).chats[0]!;
}
