/** Deletes the rows of a chat in steps of bounded size. */
import { MAX_INT } from '../../conversation/bounds.js';
import type { Transaction } from '../../database/connection/connection.js';
import type { Dialect } from '../../database/dialects/dialect.js';
import type { NextRows, Removals, RemovedRange, RemovedRows } from '../../database/removals.js';
import { partsOf, REMOVED_TABLES, tablesWith, type NumberedTable } from '../../conversation/table-rules.js';

/** Rows per step in all tables, message_texts excluded. */
export const ROWS_PER_STEP = 1000;
/** Bytes per step of messages' data, or of parts; a single larger one is deleted alone. */
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
    remove: (range: NextRows) => Promise<RemovedRange> = (range) => removeNewest(tx, sql, table, range),
  ) => {
    if (remaining === 0) return;
    const { count, firstSeq, areAll } = await remove({ chatId, before: from[table], remaining });
    rows[table] = count;
    position[table] = firstSeq;
    // The next table waits until this one is empty.
    remaining = areAll ? remaining - count : 0;
  };
  for (const table of tablesWith({ removal: 'few' })) rows[table] = await tx.run(sql.deleteRowsOfChat(table, chatId));
  remaining = await removeParted(tx, sql, chatId, remaining, rows);
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
 * Deletes rows with their parts.
 * @returns the rows left in this step: none until all are deleted
 */
export async function removeParted(
  tx: Transaction,
  sql: Dialect,
  chatId: string,
  remaining: number,
  rows: RemovedRows,
): Promise<number> {
  for (const table of tablesWith({ removal: 'parts' })) {
    for (const { id, bytes } of await tx.rows<{ id: string; bytes: number }>(
      sql.partedRows(table, chatId, remaining),
    )) {
      if (remaining <= 0) return 0;
      // The parts of a row have similar sizes.
      const atOnce = Math.ceil((remaining * BYTES_PER_STEP) / Math.max(bytes, BYTES_PER_STEP));
      const count = await removeParts(tx, sql, table, { chatId, id }, atOnce);
      rows[partsOf(table).table] += count;
      if (count === atOnce) return 0;
      rows[table] += await tx.run(sql.deleteParted(table, { chatId, id }));
      remaining -= count + 1;
    }
  }
  return Math.max(0, remaining);
}

export const removeParts: Removals['removeParts'] = async (tx, sql, table, key, atMost) => {
  const [last] = await tx.rows<{ position: number | null }>(sql.nthPart(table, key, atMost));
  return last?.position == null ? 0 : await tx.run(sql.deleteParts(table, key, last.position));
};

/** @returns the start of the next step, and whether any rows are left */
export const removeNewest: Removals['removeNewest'] = async (tx, sql, table, { chatId, before, remaining }) => {
  const [last] = await tx.rows<{ seq: number }>(sql.nthNewest(table, chatId, before, remaining));
  const firstSeq = last?.seq ?? 0;
  const count = await tx.run(sql.deleteRange(table, chatId, firstSeq, before));
  return { count, firstSeq, areAll: last === undefined };
};

async function removeMessages(
  tx: Transaction,
  sql: Dialect,
  { chatId, before, remaining }: NextRows,
): Promise<RemovedRange & { texts: number }> {
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
