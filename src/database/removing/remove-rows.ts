/** Deletes the rows of a chat in steps of bounded size. */
import { MAX_INT } from '../../conversation/bounds.js';
import type { Draft } from '../../conversation/drafts/draft.js';
import type { Transaction } from '../connection/connection.js';
import type { Dialect } from '../dialects/dialect.js';
import type { RemovedRows } from '../../conversation/erasure.js';
import { REMOVED_TABLES, tablesWith, type NumberedTable } from '../../conversation/table-rules.js';

/** Rows per step in all tables, message_texts excluded. */
export const ROWS_PER_STEP = 1000;
/** Bytes per step of messages' data, or of drafts; a single larger one is deleted alone. */
const BYTES_PER_STEP = 2 * 1024 * 1024;

/** The seq per table from which rows are deleted: all at or above. */
export type Position = Record<NumberedTable, number>;

/** Above every seq. */
export const END = MAX_INT;
export const BEGINNING = Object.fromEntries(tablesWith({ removal: 'seq' }).map((table) => [table, END])) as Position;

export interface RemovedStep {
  rows: RemovedRows;
  /** The start of the next step. Without it, PostgreSQL would scan all deleted rows for the newest one. */
  position: Position;
  /** Whether the chat is deleted. */
  isDone: boolean;
}

export function noRows(): RemovedRows {
  return Object.fromEntries(REMOVED_TABLES.map((table) => [table, 0])) as RemovedRows;
}

export function addRows(sum: RemovedRows, rows: RemovedRows): void {
  for (const table of Object.keys(rows) as (keyof RemovedRows)[]) sum[table] += rows[table];
}

/**
 * Deletes the next rows of a chat, then the chat: references to messages first, then messages from newest to oldest.
 * Children precede parents, so an existing message always has a complete path.
 */
export async function removeRows(
  tx: Transaction,
  sql: Dialect,
  chatId: string,
  from: Position = BEGINNING,
): Promise<RemovedStep> {
  const rows = noRows();
  const position = { ...from };
  let remaining = ROWS_PER_STEP;
  const take = async (
    table: NumberedTable,
    remove: (range: NextRows) => Promise<Removed> = (range) => removeNewest(tx, sql, table, range),
  ) => {
    if (remaining === 0) return;
    const { count, firstSeq, areAll } = await remove({ chatId, before: from[table], remaining });
    rows[table] = count;
    position[table] = firstSeq;
    // The next table waits until this one is empty.
    remaining = areAll ? remaining - count : 0;
  };
  for (const table of tablesWith({ removal: 'few' })) rows[table] = await tx.run(sql.deleteRowsOfChat(table, chatId));
  remaining = await removeDrafts(tx, sql, chatId, remaining, rows);
  for (const table of tablesWith({ removal: 'seq' })) {
    if (table !== 'messages' && table !== 'chat_events') await take(table);
  }
  await take('messages', async (range) => {
    const messages = await removeMessages(tx, sql, range);
    rows.message_texts = messages.texts;
    return messages;
  });
  await take('chat_events');
  // Messages outlive no entry of their ids, whose release is a commit of its own: it waits for the commit of this step.
  const mayRelease = tx.directory === undefined || rows.messages === 0;
  if (remaining === 0 || !mayRelease) return { rows, position, isDone: false };
  // First: entries that outlive the chat would keep their ids from other chats.
  await tx.directory?.release(chatId);
  for (const table of tablesWith({ hasChats: true })) rows[table] = await tx.run(sql.deleteRowsOfChat(table, chatId));
  // Includes entries indexed for search meanwhile.
  rows.chats = await tx.run(sql.deleteChat(chatId));
  return { rows, position, isDone: true };
}

/**
 * Deletes drafts with their pieces.
 * @returns the rows left in this step: none until all are deleted
 */
export async function removeDrafts(
  tx: Transaction,
  sql: Dialect,
  chatId: string,
  remaining: number,
  rows: RemovedRows,
): Promise<number> {
  const drafts = await tx.rows<Pick<Draft, 'id' | 'bytes'>>(sql.draftsToRemove(chatId, remaining));
  for (const { id, bytes } of drafts) {
    if (remaining <= 0) return 0;
    // Appends of a draft have similar sizes.
    const pieces = Math.ceil((remaining * BYTES_PER_STEP) / Math.max(bytes, BYTES_PER_STEP));
    const [last] = await tx.rows<{ endOffset: number | null }>(sql.nthPiece({ chatId, id }, pieces));
    const count = last?.endOffset == null ? 0 : await tx.run(sql.deletePieces({ chatId, id }, last.endOffset));
    rows.draft_chunks += count;
    if (count === pieces) return 0;
    rows.drafts += await tx.run(sql.deleteDraft({ chatId, id }));
    remaining -= count + 1;
  }
  return Math.max(0, remaining);
}

/** The rows of a chat with the highest seqs below one, at most `remaining`. */
interface NextRows {
  chatId: string;
  before: number;
  remaining: number;
}

interface Removed {
  count: number;
  firstSeq: number;
  /** Whether these are the last rows. */
  areAll: boolean;
}

/** @returns the start of the next step, and whether any rows are left */
export async function removeNewest(
  tx: Transaction,
  sql: Dialect,
  table: NumberedTable,
  { chatId, before, remaining }: NextRows,
): Promise<Removed> {
  const [last] = await tx.rows<{ seq: number }>(sql.nthNewest(table, chatId, before, remaining));
  const firstSeq = last?.seq ?? 0;
  const count = await tx.run(sql.deleteRange(table, chatId, firstSeq, before));
  return { count, firstSeq, areAll: last === undefined };
}

async function removeMessages(
  tx: Transaction,
  sql: Dialect,
  { chatId, before, remaining }: NextRows,
): Promise<Removed & { texts: number }> {
  const [newest] = await tx.rows<{ seq: number }>(sql.nthNewest('messages', chatId, before, 1));
  if (newest === undefined) return { count: 0, texts: 0, firstSeq: before, areAll: true };
  const lastSeq = newest.seq;
  const firstSeq = beginningOf(
    await tx.rows<Size>(sql.messageSizes({ chatId, firstSeq: lastSeq - remaining + 1, lastSeq })),
  );
  const texts = await tx.run(sql.deleteTexts({ chatId, firstSeq, lastSeq }));
  const count = await tx.run(sql.deleteRange('messages', chatId, firstSeq, before));
  // Seqs are consecutive from 1.
  return { count, texts, firstSeq, areAll: firstSeq === 1 && count < remaining };
}

interface Size {
  seq: number;
  bytes: number;
}

/** The seq from which the newest messages fit the size limit. */
function beginningOf(sizes: readonly Size[]): number {
  let bytes = 0;
  let firstSeq = Number.POSITIVE_INFINITY;
  for (const size of [...sizes].reverse()) {
    bytes += size.bytes;
    if (bytes > BYTES_PER_STEP && firstSeq !== Number.POSITIVE_INFINITY) break;
    firstSeq = size.seq;
  }
  return firstSeq;
}
