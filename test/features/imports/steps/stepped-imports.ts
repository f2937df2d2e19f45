/** Chats that are too large for one transaction, and imports that are killed between transactions. */
import sql, { raw } from 'sql-template-tag';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { WholeChat } from '../../../../src/conversation/whole-chat.js';
import { createCheckpoint } from '../../../../src/conversation/branches/checkpoints.js';
import { adopterOf } from '../../../../src/features/imports/parley/adopt-chat.js';
import { ChatArchive } from '../../../../src/features/exports/archive.js';
import type { Connection, Queryable } from '../../../../src/database/connection/connection.js';
import { DatabaseStore } from '../../../../src/database/store/database-store.js';
import { tableAt } from '../../../support/database/all-rows.js';
import { VIEWER, writeBranches } from '../../../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../../support/database/temporary-database.js';
import { watchedConnection } from '../../../support/database/watched-connection.js';
import { conversation } from '../readers/chatgpt-export.js';

export const MAX_ROWS_PER_STEP = 500;

/** A chain with a second answer to every hundredth message. */
export function exportOf(length: number) {
  const nodes = Array.from({ length }, (_, n) => [
    n === 0 ? 'n0' : `n${n} < n${n - 1}`,
    ...(n % 100 === 50 ? [`fork${n} < n${n - 1}`] : []),
  ]);
  return conversation(nodes.flat(), { current_node: `n${length - 1}` });
}

/** Opens a new database until the end of the test. */
export async function open(): Promise<TemporaryDatabase> {
  const database = await temporaryDatabase();
  onTestFinished(() => database.remove());
  return database;
}

/** The same database, of a process that is killed in its nth transaction. */
export function killedIn<Database extends { connection: Connection }>(database: Database, last: number) {
  const connection = watchedConnection(database.connection, (nth) => {
    if (nth >= last) throw new Error('killed');
  });
  return { ...database, connection, store: new DatabaseStore(connection) };
}

export async function setLeases({ connection, url }: Pick<TemporaryDatabase, 'connection' | 'url'>, expiresAt: number) {
  const statement = sql`UPDATE ${tableAt(url, 'chat_imports')} SET "expiresAt" = ${expiresAt}`;
  await connection.write('a test', (tx) => tx.run(statement));
}

export const endLeases = (database: Pick<TemporaryDatabase, 'connection' | 'url'>) =>
  setLeases(database, Date.now() - 1);

export interface LargeChat {
  source: TemporaryDatabase;
  whole: WholeChat;
}

/** A chat with 1,300 messages, 601 branches, a checkpoint and 1,205 events, exported from another database. */
async function writeLargeChat(): Promise<LargeChat> {
  const source = await temporaryDatabase();
  await writeBranches(source.store, 'c', 600, 700);
  await createCheckpoint(source.store, VIEWER, { chatId: 'c', name: 'here' });
  return { source, whole: await wholeIn(source) };
}

/** Writes it for one test, which may change it. */
export async function largeChat(): Promise<LargeChat> {
  const chat = await writeLargeChat();
  onTestFinished(() => chat.source.remove());
  return chat;
}

/** Writes it once for the tests of the calling file, which must not change it. */
export function shareLargeChat(): () => LargeChat {
  let chat: LargeChat;
  beforeAll(async () => {
    chat = await writeLargeChat();
  });
  afterAll(() => chat.source.remove());
  return () => chat;
}

export async function wholeIn({ connection }: TemporaryDatabase): Promise<WholeChat> {
  const whole = await new ChatArchive(connection).read('c', null);
  if (whole === null) throw new Error('there is no chat c');
  return whole;
}

export const adopt = ({ connection }: { connection: Connection }, whole: WholeChat) => adopterOf(connection)(whole);

/** All rows, without generated ids of texts. */
export async function rowsOf(database: TemporaryDatabase) {
  const { texts, ...rows } = await database.allRows();
  return { ...rows, texts: texts.map(({ id: _, ...text }) => text) };
}

export async function countIn(db: Queryable, url: string, tables: string[]): Promise<number> {
  const all = tables.map((table) => `(SELECT count(*) FROM ${tableAt(url, table).sql})`).join(' + ');
  const [row] = await db.rows<{ total: number }>(sql`SELECT ${raw(all)} AS "total"`);
  return Number(row!.total);
}

export const messagesIn = ({ connection, url }: Pick<TemporaryDatabase, 'connection' | 'url'>) =>
  connection.read((db) => countIn(db, url, ['messages']));

export const message = (id: string) => ({ id, name: 'user', content: { text: 'x' } });
