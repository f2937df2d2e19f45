/** Upgrades of databases from before search existed. */
import sql, { join, raw } from 'sql-template-tag';
import { describe, expect, it, onTestFinished } from 'vitest';
import { messagePreview, messageText } from '../../../src/conversation/text/message-text.js';
import type { Connection, Transaction } from '../../../src/database/connection/connection.js';
import { openPostgresql } from '../../../src/database/drivers/postgresql.js';
import { openSqliteFile } from '../../../src/database/drivers/sqlite.js';
import { parseDatabaseUrl } from '../../../src/database/connection/database-url.js';
import { connect } from '../../../src/database/opening/open.js';
import { bringSearchUpToDate, isSearchUpToDate } from '../../../src/database/writing/search-index.js';
import { bundled, migrate, provider } from '../../support/database/migrations.js';
import { save, userMessage } from '../../support/chats/operations.js';
import { openParley } from '../../support/server/parley.js';
import { find } from '../../support/chats/search.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { endingIn } from '../../support/database/watched-connection.js';

/** More messages than two steps index. */
const MESSAGES = 250;
const idOf = (n: number) => `m${String(n).padStart(3, '0')}`;
const ids = Array.from({ length: MESSAGES }, (_, n) => idOf(n));

/** Texts of every form: each has a unique word and a common word. */
function dataOf(n: number): unknown {
  const text = `common word${n}`;
  return [text, { content: text }, { parts: [{ type: 'text', text }] }][n % 3];
}

/** Opens a database without migrations. */
async function openWithoutMigration(url: string): Promise<Connection> {
  const parsed = parseDatabaseUrl(url);
  const connection = await (parsed.provider === 'sqlite'
    ? openSqliteFile(parsed.path, {})
    : openPostgresql(parsed, {}));
  onTestFinished(() => connection.close());
  return connection;
}

/** A row with the columns of that version. */
async function insertAsThen(
  tx: Transaction,
  row: Record<string, string | number | boolean | null>,
  table: 'chats' | 'messages' | 'branches' = 'messages',
): Promise<void> {
  const columns = raw(
    Object.keys(row)
      .map((name) => `"${name}"`)
      .join(', '),
  );
  await tx.run(sql`INSERT INTO ${raw(table)} (${columns}) VALUES (${join(Object.values(row))})`);
}

/** A database with the migration 0001_init only, and a chat with one chain. */
async function oldDatabase(): Promise<{ url: string; connection: Connection }> {
  const url = temporaryDatabaseUrl();
  await migrate(url, bundled.slice(0, 1));
  const connection = await openWithoutMigration(url);
  const [chatId, createdAt] = ['c', 1];
  const messages = ids.map((id, n) => {
    const data = dataOf(n);
    const preview = messagePreview(messageText(data));
    const place = { parentId: n === 0 ? null : idOf(n - 1), depth: n, seq: n + 1, siblingIndex: 0, jumpId: idOf(0) };
    return { id, chatId, name: 'user', type: 'message', createdAt, preview, data: JSON.stringify(data), ...place };
  });
  await connection.write(chatId, async (tx) => {
    const chat = {
      id: chatId,
      userId: 'local',
      title: null,
      metadata: '{}',
      createdAt,
      updatedAt: createdAt,
      version: 1,
    };
    await insertAsThen(tx, chat, 'chats');
    for (const message of messages) await insertAsThen(tx, message);
    const isActive = provider === 'sqlite' ? 1 : true;
    const branch = { id: 'b', chatId, name: 'main', headMessageId: ids.at(-1)!, isActive, createdAt, seq: 1 };
    await insertAsThen(tx, branch, 'branches');
  });
  return { url, connection };
}

/** Old and new messages are found by their common word and by their own words. */
async function expectAllFound(databaseUrl: string): Promise<void> {
  const parley = await openParley({ databaseUrl });
  await save(parley, { chatId: 'c', messages: [userMessage('new', 'common new')] });
  expect((await find(parley, 'common')).sort()).toEqual([...ids, 'new']);
  for (const n of [0, 99, 100, 101, 199, 200, MESSAGES - 1]) expect(await find(parley, `word${n}`)).toEqual([idOf(n)]);
}

/** A connection that reports the number of each transaction before its begin. */
function watched(connection: Connection, begin: (nth: number) => Promise<void>): Connection {
  let count = 0;
  return {
    ...connection,
    write: async (key, work) => {
      await begin(++count);
      return connection.write(key, work);
    },
  };
}

const indexed = ({ read }: Connection) =>
  read((db) =>
    db.rows<{ id: number; messageId: string }>(sql`SELECT "id", "messageId" FROM "message_texts" ORDER BY "messageId"`),
  );

describe('a database from before search existed', () => {
  it('is completely searchable after its migration', async () => {
    const { url } = await oldDatabase();
    const { applied, connection } = await connect(url, { migrate: true });
    await connection.close();
    expect(applied).toEqual(bundled.slice(1).map(({ name }) => name));
    await expectAllFound(url);
  });

  // The first transaction checks for another index; steps follow; the last one records completion.
  it.each([
    [1, 0],
    [3, 100],
    [4, 200],
    [5, MESSAGES],
  ])('continues indexing after a process was stopped in transaction %i', async (nth, count) => {
    const { url, connection } = await oldDatabase();
    await migrate(url);
    await expect(bringSearchUpToDate(endingIn(connection, nth))).rejects.toThrow('ended');
    const before = await indexed(connection);
    expect(before.map(({ messageId }) => messageId)).toEqual(ids.slice(0, count));
    expect(await isSearchUpToDate(connection)).toBe(false);
    await expect(connect(url, { migrate: false, isReadOnly: provider === 'sqlite' })).rejects.toThrow(
      'not every message is indexed for search by this version of Parley; run `npm run migrate`',
    );

    await bringSearchUpToDate(connection);
    expect((await indexed(connection)).slice(0, count)).toEqual(before);
    expect(await isSearchUpToDate(connection)).toBe(true);
    await expectAllFound(url);
  });

  it('is indexed without chats that another instance deletes meanwhile', async () => {
    const { url, connection } = await oldDatabase();
    await migrate(url);
    // The second one writes a step that has been read.
    const deleting = watched(connection, async (nth) => {
      if (nth === 2) await connection.write('c', (tx) => tx.run(sql`DELETE FROM "chats" WHERE "id" = 'c'`));
    });
    await bringSearchUpToDate(deleting);
    expect(await indexed(connection)).toEqual([]);
    expect(await isSearchUpToDate(connection)).toBe(true);
  });

  it('is indexed once by any number of concurrent processes', async () => {
    const { url, connection } = await oldDatabase();
    await migrate(url);
    const others = await Promise.all(Array.from({ length: 3 }, () => openWithoutMigration(url)));
    await Promise.all([connection, ...others].map((each) => bringSearchUpToDate(each)));
    expect((await indexed(connection)).map(({ messageId }) => messageId)).toEqual(ids);
    await expectAllFound(url);
  });

  it('is indexed again if another version of the analyzer has indexed it', async () => {
    const { url, connection } = await oldDatabase();
    await migrate(url);
    await bringSearchUpToDate(connection);
    await connection.write('index', async (tx) => {
      await tx.run(sql`UPDATE "message_texts" SET "terms" = ' other ', "length" = 1`);
      await tx.run(sql`UPDATE "search_index" SET "analyzer" = 0`);
    });
    await bringSearchUpToDate(connection);
    await expectAllFound(url);
  });

  it('loses the previews and words of hidden messages, which were saved with them', async () => {
    const { url, connection } = await oldDatabase();
    const data = JSON.stringify({ parts: [{ type: 'text', text: 'secret' }], metadata: { hidden: true } });
    await connection.write('c', (tx) =>
      tx.run(sql`UPDATE messages SET "data" = ${data}, "preview" = 'secret' WHERE "id" IN (${idOf(0)}, ${idOf(120)})`),
    );
    await (await connect(url, { migrate: true })).connection.close();
    const parley = await openParley({ databaseUrl: url });
    expect(await find(parley, 'secret')).toEqual([]);
    const graph = await parley.ask('{ chat(id: "c") { graph { nodes { id content } } } }');
    const nodes = ids.map((id, n) => ({ id, content: [0, 120].includes(n) ? '' : messageText(dataOf(n)) }));
    expect(graph).toEqual({ data: { chat: { graph: { nodes } } } });
  });
});

describe('a database without authors of messages and without runs', () => {
  it('sets authors by the events or else by the owner, and runs by the parents', async () => {
    const url = temporaryDatabaseUrl();
    const isBefore = bundled.findIndex(({ name }) => name.endsWith('_message_authors'));
    await migrate(url, bundled.slice(0, isBefore));
    const connection = await openWithoutMigration(url);
    // In each chat: messages 1 and 2 by its owner, 3 by an admin, 4 without an author.
    for (const chatId of ['a', 'b']) {
      const moves = [
        { actorId: `owner of ${chatId}`, firstSeq: 1, lastSeq: 2 },
        { actorId: 'somebody else', firstSeq: 3, lastSeq: 2 },
        { actorId: 'admin', firstSeq: 3, lastSeq: 3 },
      ];
      const events = moves.map(({ actorId, ...seqs }, n) => {
        const payload = JSON.stringify({ branchId: 'x', previousHeadId: null, headId: 'y', ...seqs });
        return { chatId, seq: n + 1, type: 'BranchHeadMoved' as const, actorId, payload, createdAt: 1 };
      });
      await connection.write(chatId, async (tx) => {
        const times = { createdAt: 1, updatedAt: 1 };
        const owner = { userId: `owner of ${chatId}`, title: null, metadata: '{}', version: moves.length };
        await insertAsThen(tx, { id: chatId, ...owner, ...times }, 'chats');
        for (const seq of [1, 2, 3, 4]) {
          await insertAsThen(tx, {
            ...{
              id: `${chatId}${seq}`,
              chatId,
              parentId: seq === 1 ? null : `${chatId}1`,
              depth: Math.min(seq - 1, 1),
              seq,
            },
            ...{
              siblingIndex: Math.max(seq - 2, 0),
              jumpId: `${chatId}1`,
              name: 'user',
              type: 'message',
              createdAt: 1,
            },
            ...{ preview: 'p', data: `"text ${seq}"` },
          });
        }
        await tx.run(connection.sql.insert('chat_events', events));
      });
    }
    const before = await connection.read((db) => db.rows<object>(sql`SELECT * FROM messages ORDER BY "id"`));
    await migrate(url);
    const after = await connection.read((db) => db.rows<object>(sql`SELECT * FROM messages ORDER BY "id"`));
    const authors = ['a', 'b'].flatMap((id) => [`owner of ${id}`, `owner of ${id}`, 'admin', `owner of ${id}`]);
    expect(after).toEqual(
      before.map((message, n) => ({ ...message, createdBy: authors[n], contentHash: null, usage: null })),
    );
    const runs = await connection.read((db) =>
      db.rows<object>(sql`SELECT * FROM message_runs ORDER BY "chatId", "seq"`),
    );
    expect(runs).toEqual(['a', 'b'].flatMap((chatId) => [3, 4].map((seq) => ({ chatId, seq, parentSeq: 1 }))));
  });
});
