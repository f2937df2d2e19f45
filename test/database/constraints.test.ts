import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrateSqlite, sqlitePath } from '../../src/database/migrate.js';
import { temporaryDatabaseUrl } from '../support/temporary-folder.js';

/** The rows themselves, past every rule: what the database alone refuses. */
let database: Database.Database;

beforeEach(() => {
  const url = temporaryDatabaseUrl();
  migrateSqlite(url);
  database = new Database(sqlitePath(url));
  database.pragma('foreign_keys = ON');
  for (const chatId of ['a', 'b']) {
    insert('chats', { id: chatId, userId: 'u', metadata: '{}', createdAt: 0, updatedAt: 0, version: 1 });
    insertMessage({ id: `${chatId}1`, chatId, seq: 1 });
    insertMessage({ id: `${chatId}2`, chatId, parentId: `${chatId}1`, seq: 2 });
    insertBranch({ id: `${chatId}-main`, chatId, name: 'main', headMessageId: `${chatId}2`, isActive: 1, seq: 1 });
    insertCheckpoint({ id: `${chatId}-check`, chatId, name: 'check', messageId: `${chatId}1`, seq: 2 });
    insertEvent({ chatId, seq: 1 });
  }
});
afterEach(() => database.close());

type Row = Record<string, string | number | null>;

function insert(table: string, row: Row): void {
  const columns = Object.keys(row);
  const names = columns.map((column) => `"${column}"`).join(', ');
  const places = columns.map((column) => `@${column}`).join(', ');
  database.prepare(`INSERT INTO ${table} (${names}) VALUES (${places})`).run(row);
}

function insertMessage(row: Row): void {
  const jumpId = row['id'] ?? null;
  const rest = { name: 'user', type: 'message', createdAt: 0, depth: 0, siblingIndex: 0, preview: '', data: '""' };
  insert('messages', { parentId: null, jumpId, ...rest, ...row });
}
const insertBranch = (row: Row) => insert('branches', { headMessageId: null, isActive: 0, createdAt: 0, ...row });
const insertCheckpoint = (row: Row) => insert('checkpoints', { createdAt: 0, ...row });
const insertEvent = (row: Row) =>
  insert('chat_events', { type: 'ChatUpdated', actorId: 'u', payload: '{}', createdAt: 0, ...row });

const FOREIGN = /FOREIGN KEY constraint failed/;
const unique = (...columns: string[]) => new RegExp(`UNIQUE constraint failed: ${columns.join(', ')}$`);

describe('the database refuses', () => {
  it.each(['b1', 'nowhere'])('a parent that is not in the chat: %s', (parentId) => {
    expect(() => insertMessage({ id: 'a3', chatId: 'a', parentId, seq: 3 })).toThrow(FOREIGN);
  });

  it.each(['b1', 'nowhere'])('a head that is not in the chat: %s', (headMessageId) => {
    expect(() => insertBranch({ id: 'x', chatId: 'a', name: 'x', headMessageId, seq: 9 })).toThrow(FOREIGN);
    expect(() => database.prepare(`UPDATE branches SET "headMessageId" = ?`).run(headMessageId)).toThrow(FOREIGN);
  });

  it.each(['b1', 'nowhere'])('a checkpoint on a message that is not in the chat: %s', (messageId) => {
    expect(() => insertCheckpoint({ id: 'x', chatId: 'a', name: 'x', messageId, seq: 9 })).toThrow(FOREIGN);
    expect(() => database.prepare(`UPDATE checkpoints SET "messageId" = ?`).run(messageId)).toThrow(FOREIGN);
  });

  it('a second active branch', () => {
    const second = { id: 'x', chatId: 'a', name: 'x', seq: 9 };
    expect(() => insertBranch({ ...second, isActive: 1 })).toThrow(unique('branches.chatId'));
    insertBranch(second);
    expect(() => database.exec(`UPDATE branches SET "isActive" = 1 WHERE "id" = 'x'`)).toThrow(
      unique('branches.chatId'),
    );
    database.exec(`UPDATE branches SET "isActive" = 0 WHERE "id" = 'a-main'`);
    expect(() => database.exec(`UPDATE branches SET "isActive" = 1 WHERE "id" = 'x'`)).not.toThrow();
  });

  it('a name twice in a chat, though not one that differs in case', () => {
    const branch = { id: 'x', chatId: 'a', seq: 9 };
    expect(() => insertBranch({ ...branch, name: 'main' })).toThrow(unique('branches.chatId', 'branches.name'));
    expect(() => insertBranch({ ...branch, name: 'Main' })).not.toThrow();
    const checkpoint = { id: 'x', chatId: 'a', messageId: 'a2', seq: 9 };
    expect(() => insertCheckpoint({ ...checkpoint, name: 'check' })).toThrow(
      unique('checkpoints.chatId', 'checkpoints.name'),
    );
    expect(() => insertCheckpoint({ ...checkpoint, name: 'Check' })).not.toThrow();
  });

  it('a seq twice in a chat', () => {
    expect(() => insertMessage({ id: 'x', chatId: 'a', siblingIndex: 1, seq: 2 })).toThrow(
      unique('messages.chatId', 'messages.seq'),
    );
    expect(() => insertBranch({ id: 'x', chatId: 'a', name: 'x', seq: 1 })).toThrow(
      unique('branches.chatId', 'branches.seq'),
    );
    expect(() => insertCheckpoint({ id: 'x', chatId: 'a', name: 'x', messageId: 'a1', seq: 2 })).toThrow(
      unique('checkpoints.chatId', 'checkpoints.seq'),
    );
    expect(() => insertEvent({ chatId: 'a', seq: 1 })).toThrow(unique('chat_events.chatId', 'chat_events.seq'));
  });

  it('two children of one message in the same place', () => {
    expect(() => insertMessage({ id: 'x', chatId: 'a', parentId: 'a1', siblingIndex: 0, seq: 3 })).toThrow(
      unique('messages.chatId', 'messages.parentId', 'messages.siblingIndex'),
    );
  });

  it('two roots in the same place', () => {
    expect(() => insertMessage({ id: 'x', chatId: 'a', siblingIndex: 0, seq: 3 })).toThrow(
      unique('messages.chatId', 'messages.siblingIndex'),
    );
    expect(() => insertMessage({ id: 'x', chatId: 'a', siblingIndex: 1, seq: 3 })).not.toThrow();
  });

  it('a message id twice, in whichever chat', () => {
    expect(() => insertMessage({ id: 'a1', chatId: 'b', siblingIndex: 1, seq: 9 })).toThrow(unique('messages.id'));
  });

  it('rows of a chat that is not there', () => {
    const lost = { chatId: 'nowhere', seq: 1 };
    expect(() => insertMessage({ ...lost, id: 'x' })).toThrow(FOREIGN);
    expect(() => insertBranch({ ...lost, id: 'x', name: 'x' })).toThrow(FOREIGN);
    expect(() => insertCheckpoint({ ...lost, id: 'x', name: 'x', messageId: 'a1' })).toThrow(FOREIGN);
    expect(() => insertEvent(lost)).toThrow(FOREIGN);
  });

  it.each(['a1', 'a2'])('the removal of a message that others point at: %s', (id) => {
    expect(() => database.prepare('DELETE FROM messages WHERE "id" = ?').run(id)).toThrow(FOREIGN);
  });
});

describe('removing a chat', () => {
  it('leaves nothing of it in any table, and all of the others', () => {
    const tables = database
      .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'`)
      .pluck()
      .all() as string[];
    expect(tables.length).toBeGreaterThanOrEqual(5);
    const remains = (chatId: string) =>
      tables.filter((table) => {
        const column = table === 'chats' ? 'id' : 'chatId';
        return database.prepare(`SELECT 1 FROM "${table}" WHERE "${column}" = ?`).all(chatId).length > 0;
      });
    expect(remains('a')).toEqual(tables);

    database.exec(`DELETE FROM chats WHERE "id" = 'a'`);

    expect(remains('a')).toEqual([]);
    expect(remains('b')).toEqual(tables);
    expect(database.pragma('foreign_key_check')).toEqual([]);
  });
});
