/** The rows themselves, past every rule: what the database alone refuses. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '../../src/database/opening/connection.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/temporary-database.js';

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.remove());

beforeEach(async () => {
  await run((tx) => tx.chat.deleteMany());
  for (const chatId of ['a', 'b']) {
    const times = { createdAt: 0, updatedAt: 0, version: 1 };
    await run((tx) => tx.chat.create({ data: { id: chatId, userId: 'u', metadata: '{}', ...times } }));
    await insertMessage({ id: `${chatId}1`, chatId, seq: 1 });
    await insertMessage({ id: `${chatId}2`, chatId, parentId: `${chatId}1`, seq: 2 });
    await insertBranch({ id: `${chatId}-main`, chatId, name: 'main', headMessageId: `${chatId}2`, isActive: true });
    await insertCheckpoint({ id: `${chatId}-check`, chatId, name: 'check', messageId: `${chatId}1` });
    await insertEvent({ chatId, seq: 1 });
    await insertText({ messageId: `${chatId}1`, chatId });
  }
});

function run<T>(statement: (tx: Transaction) => Promise<T>): Promise<T> {
  return database.connection.write('rows', statement);
}

const insertMessage = (row: { id: string; chatId: string; parentId?: string; seq: number; siblingIndex?: number }) =>
  run((tx) => {
    const rest = { name: 'user', type: 'message', createdAt: 0, depth: 0, siblingIndex: 0, preview: '', data: '""' };
    return tx.message.create({ data: { jumpId: row.id, ...rest, ...row } });
  });
const insertBranch = (row: {
  id: string;
  chatId: string;
  name: string;
  headMessageId?: string;
  isActive?: boolean;
  seq?: number;
}) => run((tx) => tx.branch.create({ data: { isActive: false, createdAt: 0, seq: 1, ...row } }));
const insertCheckpoint = (row: { id: string; chatId: string; name: string; messageId: string; seq?: number }) =>
  run((tx) => tx.checkpoint.create({ data: { createdAt: 0, seq: 2, ...row } }));
const insertEvent = (row: { chatId: string; seq: number }) =>
  run((tx) =>
    tx.chatEvent.create({ data: { type: 'ChatUpdated', actorId: 'u', payload: '{}', createdAt: 0, ...row } }),
  );
const insertText = (row: { messageId: string; chatId: string }) =>
  run((tx) => tx.messageText.create({ data: { name: 'u', createdAt: 0, seq: 1, length: 0, terms: '', ...row } }));

const FOREIGN = { code: 'P2003' };
/** A key that is there already. A database tells the columns or the name of the index. */
const taken = (table: string, columns: string[], index = `${table}_${columns.join('_')}_key`) => ({
  code: 'P2002',
  meta: {
    driverAdapterError: {
      cause: {
        constraint: expect.toSatisfy(isOneOf([{ fields: columns }, { index }], index.endsWith('_pkey'))) as unknown,
      },
    },
  },
});
/** SQL Server makes the names of its primary keys up. */
const isOneOf = (told: object[], isPrimaryKey: boolean) => (constraint: { index?: string }) =>
  told.map((each) => JSON.stringify(each)).includes(JSON.stringify(constraint)) ||
  (isPrimaryKey && constraint.index?.startsWith('PK_') === true);

describe('the database refuses', () => {
  it.each(['b1', 'nowhere'])('a parent that is not in the chat: %s', async (parentId) => {
    await expect(insertMessage({ id: 'a3', chatId: 'a', parentId, seq: 3 })).rejects.toMatchObject(FOREIGN);
  });

  it.each(['b1', 'nowhere'])('a head that is not in the chat: %s', async (headMessageId) => {
    const branch = { id: 'x', chatId: 'a', name: 'x', headMessageId, seq: 9 };
    await expect(insertBranch(branch)).rejects.toMatchObject(FOREIGN);
    await expect(
      run((tx) => tx.branch.updateMany({ where: { chatId: 'a' }, data: { headMessageId } })),
    ).rejects.toMatchObject(FOREIGN);
  });

  it.each(['b1', 'nowhere'])('a checkpoint on a message that is not in the chat: %s', async (messageId) => {
    const checkpoint = { id: 'x', chatId: 'a', name: 'x', messageId, seq: 9 };
    await expect(insertCheckpoint(checkpoint)).rejects.toMatchObject(FOREIGN);
    await expect(
      run((tx) => tx.checkpoint.updateMany({ where: { chatId: 'a' }, data: { messageId } })),
    ).rejects.toMatchObject(FOREIGN);
  });

  it('a second active branch', async () => {
    const second = { id: 'x', chatId: 'a', name: 'x', seq: 9 };
    const twoActive = taken('branches', ['chatId'], 'branches_one_active_per_chat');
    const activate = (id: string, isActive: boolean) =>
      run((tx) => tx.branch.updateMany({ where: { id }, data: { isActive } }));
    await expect(insertBranch({ ...second, isActive: true })).rejects.toMatchObject(twoActive);
    await insertBranch(second);
    await expect(activate('x', true)).rejects.toMatchObject(twoActive);
    await activate('a-main', false);
    await activate('x', true);
  });

  it('a name twice in a chat, though not one that differs in case, in an accent or in a space', async () => {
    const branch = { id: 'x', chatId: 'a', seq: 9 };
    await expect(insertBranch({ ...branch, name: 'main' })).rejects.toMatchObject(
      taken('branches', ['chatId', 'name']),
    );
    const checkpoint = { id: 'x', chatId: 'a', messageId: 'a2', seq: 9 };
    await expect(insertCheckpoint({ ...checkpoint, name: 'check' })).rejects.toMatchObject(
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
    await expect(insertMessage({ id: 'x', chatId: 'a', siblingIndex: 1, seq: 2 })).rejects.toMatchObject(
      taken('messages', ['chatId', 'seq']),
    );
    await expect(insertBranch({ id: 'x', chatId: 'a', name: 'x', seq: 1 })).rejects.toMatchObject(
      taken('branches', ['chatId', 'seq']),
    );
    await expect(insertCheckpoint({ id: 'x', chatId: 'a', name: 'x', messageId: 'a1', seq: 2 })).rejects.toMatchObject(
      taken('checkpoints', ['chatId', 'seq']),
    );
    await expect(insertEvent({ chatId: 'a', seq: 1 })).rejects.toMatchObject(
      taken('chat_events', ['chatId', 'seq'], 'chat_events_pkey'),
    );
  });

  it('two children of one message in the same place', async () => {
    await expect(
      insertMessage({ id: 'x', chatId: 'a', parentId: 'a1', siblingIndex: 0, seq: 3 }),
    ).rejects.toMatchObject(taken('messages', ['chatId', 'parentId', 'siblingIndex']));
  });

  it('two roots in the same place', async () => {
    const root = { id: 'x', chatId: 'a', seq: 3 };
    await expect(insertMessage({ ...root, siblingIndex: 0 })).rejects.toMatchObject(
      taken('messages', ['chatId', 'siblingIndex'], 'messages_roots_chatId_siblingIndex'),
    );
    await insertMessage({ ...root, siblingIndex: 1 });
  });

  it('a message id twice, in whichever chat, though not one that differs in case', async () => {
    const message = { chatId: 'b', siblingIndex: 1, seq: 9 };
    await expect(insertMessage({ ...message, id: 'a1' })).rejects.toMatchObject(
      taken('messages', ['id'], 'messages_pkey'),
    );
    await insertMessage({ ...message, id: 'A1' });
  });

  it('the words of one message twice', async () => {
    await expect(insertText({ messageId: 'a1', chatId: 'b' })).rejects.toMatchObject(
      taken('message_texts', ['messageId']),
    );
  });

  it('rows of a chat that is not there', async () => {
    const lost = { chatId: 'nowhere', seq: 1 };
    await expect(insertMessage({ ...lost, id: 'x' })).rejects.toMatchObject(FOREIGN);
    await expect(insertBranch({ ...lost, id: 'x', name: 'x' })).rejects.toMatchObject(FOREIGN);
    await expect(insertCheckpoint({ ...lost, id: 'x', name: 'x', messageId: 'a1' })).rejects.toMatchObject(FOREIGN);
    await expect(insertEvent(lost)).rejects.toMatchObject(FOREIGN);
    await expect(insertText({ messageId: 'x', chatId: 'nowhere' })).rejects.toMatchObject(FOREIGN);
  });

  it.each(['a1', 'a2'])('the removal of a message that others point at: %s', async (id) => {
    await expect(run((tx) => tx.message.deleteMany({ where: { id } }))).rejects.toMatchObject(FOREIGN);
  });
});

describe('removing a chat', () => {
  it('leaves nothing of it in any table, and all of the others', async () => {
    const ofChat = async (chatId: string) =>
      Object.values(await database.allRows()).map(
        (rows) => rows.filter((row) => ('chatId' in row ? row.chatId : row.id) === chatId).length,
      );
    const [of, other] = [await ofChat('a'), await ofChat('b')];
    expect(of).not.toContain(0);

    await run((tx) => tx.chat.deleteMany({ where: { id: 'a' } }));

    expect(await ofChat('a')).toEqual(of.map(() => 0));
    expect(await ofChat('b')).toEqual(other);
  });
});
