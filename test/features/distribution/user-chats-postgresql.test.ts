/** Lists of users in the distributed form, which read copies of chats by owner. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createChat, updateChat } from '../../../src/conversation/chats.js';
import { deleteChat, restoreChat } from '../../../src/features/deletion/delete-chat.js';
import { eraseUser } from '../../../src/features/deletion/erasure.js';
import { recoverable } from '../../../src/features/deletion/recovery.js';
import { forkChat } from '../../../src/features/forks/fork-chat.js';
import { membersOf } from '../../../src/conversation/access/ownership.js';
import { addMember, transferChat } from '../../../src/features/members/members.js';
import type { Chat } from '../../../src/conversation/model.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { postgresqlInShards } from '../../../src/features/distribution/in-shards.js';
import { UserChatTable } from '../../../src/features/distribution/user-chats.js';
import type { Connection, Queryable } from '../../../src/database/connection/connection.js';
import { openDatabase, type OpenDatabase } from '../../../src/database/opening/open.js';
import type { SourceConversation } from '@parley/interchange/server';
import { importConversation } from '../../../src/features/imports/conversations/import-conversation.js';
import { partitionedDatabase, touchedPartitions, type PartitionedDatabase } from './partitioned-schema.js';

const ANN = { userId: 'ann', isAdmin: false };
const BOB = { userId: 'bob', isAdmin: false };
const ADMIN = { userId: 'admin', isAdmin: true };
const MINUTE = 60_000;
const NEVER = new AbortController().signal;
const ALL = { after: null, before: null };

let partitioned: PartitionedDatabase;
let database: OpenDatabase;
let direct: Queryable;
let table: UserChatTable;
const warnings: string[] = [];
const sqlOfChats = postgresqlInShards();
const sqlOfCopies = postgresqlInShards({ isComplete: true });

beforeAll(async () => {
  partitioned = await partitionedDatabase();
  const { client, url } = partitioned;
  direct = {
    rows: async <T extends object>({ text, values }: { text: string; values: readonly unknown[] }) =>
      (await client.query<T>(text, [...values])).rows,
    run: async ({ text, values }) => (await client.query(text, [...values])).rowCount ?? 0,
  };
  table = new UserChatTable(direct);
  database = await openDatabase({
    url,
    hooksOf: (connection) => [recoverable(connection, 60 * MINUTE)],
    log: (line) => warnings.push(line),
  });
});
afterAll(async () => {
  await database.store.close();
  await partitioned.remove();
});
beforeEach(async () => {
  for (const name of ['chats', 'chat_imports', 'user_chats']) await partitioned.client.query(`DELETE FROM ${name}`);
  await table.sweep(sqlOfChats, NEVER);
  warnings.length = 0;
});

const filterOf = (userId: string) => ({ userId, metadata: [] });
async function listed(of: typeof sqlOfChats, userId: string) {
  const rows = await direct.rows<Chat>(of.chats(filterOf(userId), ALL, 'newest', 100));
  return rows.map((chat) => ({ ...chat, members: membersOf(chat) }));
}
const titles = async (userId: string) => (await listed(sqlOfCopies, userId)).map(({ title }) => title);
const change = (text: string) => partitioned.client.query(text);
const save = (chatId: string, text = 'x') =>
  saveMessages(database.store, ANN, { chatId, messages: [{ name: 'user', content: { text } }] });
const expectSame = async () => {
  for (const userId of ['ann', 'bob'])
    expect(await listed(sqlOfCopies, userId)).toEqual(await listed(sqlOfChats, userId));
};
const TEXT = { role: 'user', parts: [{ type: 'text', text: 'x' }] } as const;
const conversation = (title: string): SourceConversation => ({
  details: {},
  original: {},
  warnings: [],
  source: 'test',
  conversationId: 'old',
  title,
  createdAt: 1000,
  updatedAt: 2000,
  activeNode: 'n',
  nodes: [
    { id: 'n', parentId: null, createdAt: 1000, content: () => ({ ...TEXT, original: {}, fingerprinted: title }) },
  ],
});

describe('a list of a user', () => {
  it('touches one partition, in pages and for its count', async () => {
    const range = { after: { updatedAt: 5, id: 'a' }, before: null };
    for (const statement of [
      sqlOfCopies.chats(filterOf('ann'), ALL, 'newest', 20),
      sqlOfCopies.chats({ ...filterOf('ann'), updatedAfter: 1 }, range, 'oldest', 20),
      sqlOfCopies.chatCount(filterOf('ann')),
    ]) {
      expect((await touchedPartitions(partitioned.client, statement)).size).toBe(1);
    }
    const all = sqlOfChats.chats(filterOf('ann'), ALL, 'newest', 20);
    expect((await touchedPartitions(partitioned.client, all)).size).toBe(8);
  });

  it('equals that of the chats after each change', async () => {
    const { store } = database;
    for (const id of ['a', 'b', 'c', 'd']) await createChat(store, ANN, { id, title: id, metadata: { id } });
    await expectSame();
    await save('a');
    expect(await titles('ann')).toEqual(['a', 'd', 'c', 'b']);
    await updateChat(store, ANN, { id: 'b', title: 'new', metadata: null });
    await addMember(store, ANN, { chatId: 'c', userId: 'bob', role: 'WRITER' });
    await expectSame();
    await transferChat(store, ANN, { id: 'c', userId: 'bob' });
    expect(await titles('bob')).toEqual(['c']);
    await deleteChat(store, ANN, 'b');
    await expectSame();
    await restoreChat(store, ANN, 'b', 7);
    await forkChat(store, ANN, { chatId: 'a', title: 'fork' });
    await importConversation(store, 'ann', conversation('imported'));
    await expectSame();
    expect(await titles('ann')).toEqual(['fork', 'new', 'a', 'd', 'imported']);
    await transferChat(store, ADMIN, { id: 'c', userId: 'ann' });
    await deleteChat(store, ANN, 'd', { permanently: true });
    await expectSame();
    await createChat(store, ANN, { id: 'd', title: 'again' });
    await expectSame();
    expect(warnings).toEqual([]);
  });

  it('is read from the chats until all are copied', async () => {
    await createChat(database.store, ANN, { id: 'a', title: 'a' });
    await change('DELETE FROM user_chats');
    let sweep: (() => Promise<void>) | undefined;
    const hooksOf = ({ sql, scope: { form } }: Connection) => {
      sweep = () => form!.lists!.sweep(sql, NEVER);
      return [];
    };
    const opened = await openDatabase({ url: partitioned.url, hooksOf });
    const page = { first: 10, after: null, last: null, before: null };
    const read = async () => (await opened.reads.chatPage(filterOf('ann'), page)).rows.map(({ title }) => title);
    expect(await read()).toEqual(['a']);
    await sweep?.();
    expect(await read()).toEqual(['a']);
    await change(`UPDATE user_chats SET "title" = 'copy' WHERE "userId" = 'ann'`);
    expect(await read()).toEqual(['copy']);
    await opened.store.close();
  });
});

describe('a change whose copy fails', () => {
  it('succeeds with a warning, and is copied by a later sweep, also an import with an old time', async () => {
    const { store } = database;
    for (const id of ['a', 'b']) await createChat(store, ANN, { id, title: id });
    await change(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no copies'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON user_chats FOR EACH ROW WHEN (NEW."isListed") EXECUTE FUNCTION refuse()`);
    await save('a');
    await createChat(store, ANN, { id: 'c', title: 'c' });
    await importConversation(store, 'ann', conversation('imported'));
    await change('DROP FUNCTION refuse CASCADE');
    expect(warnings.join()).toContain('Lists of users lack a change until the next sweep: no copies');
    expect(await titles('ann')).toEqual(['b', 'a']);
    await table.sweep(sqlOfChats, NEVER, Date.now() + MINUTE);
    expect(await titles('ann')).toEqual(['c', 'a', 'b']);
    await table.sweep(sqlOfChats, NEVER, Date.now() + 10 * MINUTE);
    expect(await titles('ann')).toEqual(['c', 'a', 'b', 'imported']);
    await expectSame();
  });

  it('shows a chat again that did not leave its owner after all', async () => {
    const chat = await createChat(database.store, ANN, { id: 'a', title: 'a' });
    await table.leave(chat);
    expect(await titles('ann')).toEqual([]);
    await table.sweep(sqlOfChats, NEVER, Date.now() + 2 * MINUTE);
    expect(await titles('ann')).toEqual([]);
    await table.sweep(sqlOfChats, NEVER, Date.now() + 10 * MINUTE);
    await expectSame();
  });
});

describe('a copy', () => {
  it('replaces none of a later version', async () => {
    const chat = await createChat(database.store, ANN, { id: 'a', title: 'first' });
    await updateChat(database.store, ANN, { id: 'a', title: 'second' });
    await table.list([chat]);
    expect(await titles('ann')).toEqual(['second']);
  });

  it('that arrives late does not show a chat that was transferred or deleted', async () => {
    const { store } = database;
    await createChat(store, ANN, { id: 'a' });
    const { chat: given } = await addMember(store, ANN, { chatId: 'a', userId: 'bob', role: 'WRITER' });
    const deleted = await createChat(store, ANN, { id: 'b' });
    await transferChat(store, ANN, { id: 'a', userId: 'bob' });
    await deleteChat(store, ANN, 'b');
    await table.list([given, deleted]);
    expect(await titles('ann')).toEqual([]);
  });

  it('is deleted with its chat, and keeps nothing of its content meanwhile', async () => {
    await createChat(database.store, ANN, { id: 'a', title: 'secret', metadata: { secret: 1 } });
    await addMember(database.store, ANN, { chatId: 'a', userId: 'bob', role: 'READER' });
    await deleteChat(database.store, ANN, 'a', { permanently: true });
    const rows = async () => (await change(`SELECT * FROM user_chats WHERE "userId" <> ''`)).rows as object[];
    expect(await rows()).toMatchObject([{ id: 'a', title: null, metadata: {}, members: null }]);
    await table.sweep(sqlOfChats, NEVER, Date.now() + 10 * MINUTE);
    expect(await rows()).toEqual([]);
  });

  it('names no erased user', async () => {
    await createChat(database.store, ANN, { id: 'a' });
    await addMember(database.store, ANN, { chatId: 'a', userId: 'bob', role: 'READER' });
    await createChat(database.store, BOB, { id: 'b' });
    await eraseUser(database.connection, 'bob');
    expect((await change(`SELECT * FROM user_chats WHERE "userId" = 'bob' OR "members" LIKE '%bob%'`)).rows).toEqual(
      [],
    );
    await expectSame();
  });

  it.each(['WRITER', 'userId'])('stays when another user is erased: %s', async (userId) => {
    await createChat(database.store, ANN, { id: 'a', title: 'a' });
    await addMember(database.store, ANN, { chatId: 'a', userId: 'carl', role: 'WRITER' });
    await eraseUser(database.connection, userId);
    expect(await titles('ann')).toEqual(['a']);
    await expectSame();
  });
});

it('the first sweep copies all chats, in pages, and continues where another one ended', async () => {
  await change(`INSERT INTO chats ("id", "userId", "metadata", "createdAt", "updatedAt", "version")
    SELECT 'c' || n, 'ann', '{}', n, n * 1000000, 1 FROM generate_series(1, 1200) n`);
  await change('DELETE FROM user_chats');
  const ending = new AbortController();
  let pages = 0;
  const interrupted = new UserChatTable({
    ...direct,
    rows: (statement) => {
      if (statement.text.includes('deleted_chats') && ++pages === 2) ending.abort();
      return direct.rows(statement);
    },
  });
  await interrupted.sweep(sqlOfChats, ending.signal);
  const count = async () => {
    const { rows } = await change(`SELECT count(*)::int AS "n" FROM user_chats WHERE "isListed"`);
    return (rows as { n: number }[])[0]?.n;
  };
  expect([await count(), interrupted.isComplete]).toEqual([1000, false]);
  pages = 0;
  await interrupted.sweep(sqlOfChats, NEVER);
  expect([await count(), interrupted.isComplete, pages]).toEqual([1200, true, 1]);
});
