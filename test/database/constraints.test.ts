/** Constraints of the database, without the rules of src/conversation. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { parseDatabaseUrl } from '../../src/database/connection/database-url.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tableAt, type AllRows } from '../support/database/all-rows.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.remove());

beforeEach(async () => {
  await run(sql`DELETE FROM ${table('chats')}`);
  for (const chatId of ['a', 'b']) {
    const times = { createdAt: 0, updatedAt: 0, version: 1 };
    await insert('chats', { id: chatId, userId: 'u', metadata: '{}', ...times });
    await insertMessage({ id: `${chatId}1`, chatId, seq: 1 });
    await insertMessage({ id: `${chatId}2`, chatId, parentId: `${chatId}1`, seq: 2 });
    await insertBranch({ id: `${chatId}-main`, chatId, name: 'main', headMessageId: `${chatId}2`, isActive: 1 });
    await insertCheckpoint({ id: `${chatId}-check`, chatId, name: 'check', messageId: `${chatId}1` });
    await insertEvent({ chatId, seq: 1 });
    await insertText({ messageId: `${chatId}1`, chatId });
    await insertDraft({ id: `${chatId}-draft`, chatId, branchId: `${chatId}-main` });
    await insert('message_runs', { chatId, seq: 2, parentSeq: 1 });
    await insert('message_sources', { chatId, seq: 2, position: 0, sourceSeq: 1 });
    // Without the chat, as a server of an older version.
    await insert('draft_chunks', { draftId: `${chatId}-draft`, startOffset: 0, endOffset: 1, chunks: '["x"]' });
  }
});

const table = (name: string) => tableAt(database.url, name);
const run = (statement: Sql) => database.connection.write('rows', (tx) => tx.run(statement));
const insert = (name: string, row: Record<string, string | number>) => {
  const columns = raw(
    Object.keys(row)
      .map((column) => `"${column}"`)
      .join(),
  );
  return run(sql`INSERT INTO ${table(name)} (${columns}) VALUES (${join(Object.values(row))})`);
};

const insertMessage = (row: { id: string; chatId: string; parentId?: string; seq: number; siblingIndex?: number }) => {
  const rest = { name: 'user', type: 'message', createdAt: 0, depth: 0, siblingIndex: 0, preview: '', data: '""' };
  return insert('messages', { jumpId: row.id, createdBy: 'u', ...rest, ...row });
};
const insertBranch = (row: {
  id: string;
  chatId: string;
  name: string;
  headMessageId?: string;
  isActive?: 0 | 1;
  seq?: number;
}) => insert('branches', { isActive: 0, createdAt: 0, seq: 1, ...row });
const insertCheckpoint = (row: { id: string; chatId: string; name: string; messageId: string; seq?: number }) =>
  insert('checkpoints', { createdAt: 0, seq: 2, ...row });
const insertEvent = (row: { chatId: string; seq: number }) =>
  insert('chat_events', { type: 'ChatUpdated', actorId: 'u', payload: '{}', createdAt: 0, ...row });
const insertText = (row: { messageId: string; chatId: string }) =>
  insert('message_texts', { name: 'u', createdAt: 0, seq: 1, length: 0, terms: '', ...row });
const insertDraft = (row: { id: string; chatId: string; branchId: string }) => {
  const rest = { onConflict: 'FORK', name: 'assistant', idleTimeout: 60, startedBy: 'u', startedAt: 0, updatedAt: 0 };
  return insert('drafts', { length: 1, bytes: 4, ...rest, ...row });
};

/** A missing row, of which databases report no details. */
const ofForeignKey = (error: { code: string; number?: number }) =>
  ['SQLITE_CONSTRAINT_FOREIGNKEY', '23503'].includes(error.code) || error.number === 547;
/** A duplicate key. Databases report the columns or the name of the index. */
const taken = (name: string, columns: string[], index = `${name}_${columns.join('_')}_key`) =>
  function ofKey(error: Error): boolean {
    const [, reported = ''] = /(?:failed: |constraint ["']|index ["'])([^"']+)/.exec(error.message) ?? [];
    // SQL Server makes the names of its primary keys up.
    const isReported = reported.startsWith('PK_')
      ? index.endsWith('_pkey')
      : [columns.map((column) => `${name}.${column}`).join(', '), index].includes(reported);
    return isReported && database.connection.sql.failure(error) === 'duplicate';
  };

describe('the database refuses', () => {
  it.each(['b1', 'nowhere'])('a parent that is not in the chat: %s', async (parentId) => {
    await expect(insertMessage({ id: 'a3', chatId: 'a', parentId, seq: 3 })).rejects.toSatisfy(ofForeignKey);
  });

  it.each(['b1', 'nowhere'])('a head that is not in the chat: %s', async (headMessageId) => {
    const branch = { id: 'x', chatId: 'a', name: 'x', headMessageId, seq: 9 };
    await expect(insertBranch(branch)).rejects.toSatisfy(ofForeignKey);
    const update = sql`UPDATE ${table('branches')} SET "headMessageId" = ${headMessageId} WHERE "chatId" = 'a'`;
    await expect(run(update)).rejects.toSatisfy(ofForeignKey);
  });

  it.each(['b1', 'nowhere'])('a checkpoint on a message that is not in the chat: %s', async (messageId) => {
    const checkpoint = { id: 'x', chatId: 'a', name: 'x', messageId, seq: 9 };
    await expect(insertCheckpoint(checkpoint)).rejects.toSatisfy(ofForeignKey);
    const update = sql`UPDATE ${table('checkpoints')} SET "messageId" = ${messageId} WHERE "chatId" = 'a'`;
    await expect(run(update)).rejects.toSatisfy(ofForeignKey);
  });

  it.each([2, 3])('a source that is not an earlier message: %s', async (sourceSeq) => {
    const refused = ['SQLITE_CONSTRAINT_CHECK', 'SQLITE_CONSTRAINT_FOREIGNKEY', '23514'];
    await expect(insert('message_sources', { chatId: 'a', seq: 2, position: 1, sourceSeq })).rejects.toSatisfy(
      (error: { code: string; number?: number }) => refused.includes(error.code) || error.number === 547,
    );
  });

  it('a source twice, and sources of a missing message', async () => {
    const source = { chatId: 'a', seq: 2, position: 1, sourceSeq: 1 };
    await expect(insert('message_sources', source)).rejects.toSatisfy(
      taken('message_sources', ['chatId', 'sourceSeq', 'seq']),
    );
    await expect(insert('message_sources', { ...source, seq: 3 })).rejects.toSatisfy(ofForeignKey);
  });

  it('a second active branch', async () => {
    const second = { id: 'x', chatId: 'a', name: 'x', seq: 9 };
    const twoActive = taken('branches', ['chatId'], 'branches_one_active_per_chat');
    const activate = (id: string, isActive: 0 | 1) =>
      run(sql`UPDATE ${table('branches')} SET "isActive" = ${isActive} WHERE "id" = ${id}`);
    await expect(insertBranch({ ...second, isActive: 1 })).rejects.toSatisfy(twoActive);
    await insertBranch(second);
    await expect(activate('x', 1)).rejects.toSatisfy(twoActive);
    await activate('a-main', 0);
    await activate('x', 1);
  });

  it('a name twice in a chat, though not one that differs in case, in an accent or in a space', async () => {
    const branch = { id: 'x', chatId: 'a', seq: 9 };
    await expect(insertBranch({ ...branch, name: 'main' })).rejects.toSatisfy(taken('branches', ['chatId', 'name']));
    const checkpoint = { id: 'x', chatId: 'a', messageId: 'a2', seq: 9 };
    await expect(insertCheckpoint({ ...checkpoint, name: 'check' })).rejects.toSatisfy(
      taken('checkpoints', ['chatId', 'name']),
    );
    const others = (name: string) => [name.toUpperCase(), name.replace(/[ae]/, '$&\u0301'), ` ${name}`];
    for (const [n, name] of others('main').entries()) {
      await insertBranch({ ...branch, id: name, name, seq: 9 + n });
    }
    for (const [n, name] of others('check').entries()) {
      await insertCheckpoint({ ...checkpoint, id: name, name, seq: 9 + n });
    }
  });

  it('a seq twice in a chat', async () => {
    await expect(insertMessage({ id: 'x', chatId: 'a', siblingIndex: 1, seq: 2 })).rejects.toSatisfy(
      taken('messages', ['chatId', 'seq']),
    );
    await expect(insertBranch({ id: 'x', chatId: 'a', name: 'x', seq: 1 })).rejects.toSatisfy(
      taken('branches', ['chatId', 'seq']),
    );
    await expect(insertCheckpoint({ id: 'x', chatId: 'a', name: 'x', messageId: 'a1', seq: 2 })).rejects.toSatisfy(
      taken('checkpoints', ['chatId', 'seq']),
    );
    await expect(insertEvent({ chatId: 'a', seq: 1 })).rejects.toSatisfy(
      taken('chat_events', ['chatId', 'seq'], 'chat_events_pkey'),
    );
  });

  it('two children of one message in the same place', async () => {
    await expect(insertMessage({ id: 'x', chatId: 'a', parentId: 'a1', siblingIndex: 0, seq: 3 })).rejects.toSatisfy(
      taken('messages', ['chatId', 'parentId', 'siblingIndex']),
    );
  });

  it('two roots in the same place', async () => {
    const root = { id: 'x', chatId: 'a', seq: 3 };
    const inIndex = taken('messages', ['chatId', 'siblingIndex'], 'messages_roots_chatId_siblingIndex');
    const inKey = taken('messages', ['chatId', 'parentId', 'siblingIndex']);
    // Two NULLs are equal in a unique key of SQL Server, which may report the key or the index.
    const isSqlServer = parseDatabaseUrl(database.url).provider === 'sqlserver';
    await expect(insertMessage({ ...root, siblingIndex: 0 })).rejects.toSatisfy(
      (error: Error) => inIndex(error) || (isSqlServer && inKey(error)),
    );
    await insertMessage({ ...root, siblingIndex: 1 });
  });

  it('a message id twice, in whichever chat, though not one that differs in case', async () => {
    const message = { chatId: 'b', siblingIndex: 1, seq: 9 };
    await expect(insertMessage({ ...message, id: 'a1' })).rejects.toSatisfy(taken('messages', ['id'], 'messages_pkey'));
    await insertMessage({ ...message, id: 'A1' });
  });

  it('the words of one message twice', async () => {
    await expect(insertText({ messageId: 'a1', chatId: 'b' })).rejects.toSatisfy(taken('message_texts', ['messageId']));
  });

  it('rows of a chat that is not there', async () => {
    const lost = { chatId: 'nowhere', seq: 1 };
    await expect(insertMessage({ ...lost, id: 'x' })).rejects.toSatisfy(ofForeignKey);
    await expect(insertBranch({ ...lost, id: 'x', name: 'x' })).rejects.toSatisfy(ofForeignKey);
    await expect(insertCheckpoint({ ...lost, id: 'x', name: 'x', messageId: 'a1' })).rejects.toSatisfy(ofForeignKey);
    await expect(insertEvent(lost)).rejects.toSatisfy(ofForeignKey);
    await expect(insertText({ messageId: 'x', chatId: 'nowhere' })).rejects.toSatisfy(ofForeignKey);
  });

  it.each(['a1', 'a2'])('the removal of a message that others point at: %s', async (id) => {
    await expect(run(sql`DELETE FROM ${table('messages')} WHERE "id" = ${id}`)).rejects.toSatisfy(ofForeignKey);
  });
});

describe('removing a chat', () => {
  it('leaves nothing of it in any table, and all of the others', async () => {
    const chatOf = (row: AllRows[keyof AllRows][number]) => {
      if ('draftId' in row) return row.draftId.replace('-draft', '');
      return 'chatId' in row ? row.chatId : row.id;
    };
    const ofChat = async (chatId: string) =>
      Object.values(await database.allRows()).map(
        (rows: AllRows[keyof AllRows]) => rows.filter((row) => chatOf(row) === chatId).length,
      );
    const [of, other] = [await ofChat('a'), await ofChat('b')];
    expect(of).not.toContain(0);

    await run(sql`DELETE FROM ${table('chats')} WHERE "id" = 'a'`);

    expect(await ofChat('a')).toEqual(of.map(() => 0));
    expect(await ofChat('b')).toEqual(other);
  });
});

it('chunks of servers of an older version get the chat of their draft', async () => {
  const chunks = () =>
    database.connection.read((db) =>
      db.rows<{ chatId: string }>(sql`SELECT "chatId" FROM ${table('draft_chunks')} WHERE "draftId" = 'a-draft'`),
    );
  expect(await chunks()).toEqual([{ chatId: 'a' }]);
  const piece = { draftId: 'a-draft', startOffset: 1, endOffset: 2, chunks: '["x"]', chatId: 'a' };
  await database.connection.write('a', (tx) => tx.run(database.connection.sql.insertRows('draft_chunks', [piece])));
  expect(await chunks()).toEqual([{ chatId: 'a' }, { chatId: 'a' }]);
});
