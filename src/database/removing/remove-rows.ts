/** The rows of a chat that is removed, in steps of a bounded size. */
import { MAX_INT } from '../../conversation/bounds.js';
import type { Draft } from '../../conversation/drafts/draft.js';
import type { Transaction } from '../opening/connection.js';
import type { NumberedTable } from '../dialects/base/fragments.js';
import type { Dialect } from '../dialects/dialect.js';
import type { RemovedRows } from '../../conversation/erasure.js';

/** Of all tables together, message_texts apart. */
const ROWS_PER_STEP = 1000;
/** Of the data of a step's messages, or of its drafts, unless that of one alone is more. */
const BYTES_PER_STEP = 2 * 1024 * 1024;

/** Up to where the rows of each table, in the order of their seqs, have gone: all from here on. */
export type Position = Record<NumberedTable, number>;

/** After every seq. */
export const END = MAX_INT;
export const BEGINNING: Position = {
  messages: END,
  branches: END,
  checkpoints: END,
  chat_events: END,
  message_runs: END,
};

export interface RemovedStep {
  rows: RemovedRows;
  /** Where the next step goes on. PostgreSQL would go through all that has gone to find the newest row that is there. */
  position: Position;
  /** Whether the chat has gone. */
  isDone: boolean;
}

export function noRows(): RemovedRows {
  return {
    chats: 0,
    messages: 0,
    branches: 0,
    checkpoints: 0,
    chat_events: 0,
    message_runs: 0,
    message_texts: 0,
    drafts: 0,
    draft_chunks: 0,
  };
}

export function addRows(sum: RemovedRows, rows: RemovedRows): void {
  for (const table of Object.keys(rows) as (keyof RemovedRows)[]) sum[table] += rows[table];
}

/**
 * Removes the next rows of a chat, and the chat with the last of them: first what refers to messages, then messages, the
 * newest first. A message goes before its parent, so that a path, as long as its end is there, is there up to the root.
 */
export async function removeRows(
  tx: Transaction,
  sql: Dialect,
  chatId: string,
  from: Position = BEGINNING,
): Promise<RemovedStep> {
  const rows = noRows();
  const position = { ...from };
  let room = ROWS_PER_STEP;
  const take = async (
    table: NumberedTable,
    remove: (range: NextRows) => Promise<Removed> = (range) => removeNewest(tx, sql, table, range),
  ) => {
    if (room === 0) return;
    const { count, firstSeq, areAll } = await remove({ chatId, before: from[table], room });
    rows[table] = count;
    position[table] = firstSeq;
    // What comes after it waits until all of it has gone.
    room = areAll ? room - count : 0;
  };
  room = await removeDrafts(tx, sql, chatId, room, rows);
  await take('checkpoints');
  await take('branches');
  await take('message_runs');
  await take('messages', async (range) => {
    const messages = await removeMessages(tx, sql, range);
    rows.message_texts = messages.texts;
    return messages;
  });
  await take('chat_events');
  if (room === 0) return { rows, position, isDone: false };
  // Takes with it what was indexed for search a moment ago.
  rows.chats = await tx.run(sql.deleteChat(chatId));
  return { rows, position, isDone: true };
}

/** Removes drafts of a chat with their pieces. @returns for how many rows there is room then: none, until all have gone */
async function removeDrafts(
  tx: Transaction,
  sql: Dialect,
  chatId: string,
  room: number,
  rows: RemovedRows,
): Promise<number> {
  const drafts = await tx.rows<Pick<Draft, 'id' | 'bytes'>>(sql.draftsToRemove(chatId, room));
  for (const { id, bytes } of drafts) {
    if (room <= 0) return 0;
    // Those of an append are about as long as those of another.
    const pieces = Math.ceil((room * BYTES_PER_STEP) / Math.max(bytes, BYTES_PER_STEP));
    const [last] = await tx.rows<{ endOffset: number | null }>(sql.nthPiece(id, pieces));
    const count = last?.endOffset == null ? 0 : await tx.run(sql.deletePieces(id, last.endOffset));
    rows.draft_chunks += count;
    if (count === pieces) return 0;
    rows.drafts += await tx.run(sql.deleteDraft(id));
    room -= count + 1;
  }
  return Math.max(0, room);
}

/** Those of a chat with the highest seqs before one, `room` of them at most. */
interface NextRows {
  chatId: string;
  before: number;
  room: number;
}

interface Removed {
  count: number;
  firstSeq: number;
  /** Whether there are no more. */
  areAll: boolean;
}

/** @returns where the next step goes on, and whether there are no more */
export async function removeNewest(
  tx: Transaction,
  sql: Dialect,
  table: NumberedTable,
  { chatId, before, room }: NextRows,
): Promise<Removed> {
  const [last] = await tx.rows<{ seq: number }>(sql.nthNewest(table, chatId, before, room));
  const firstSeq = last?.seq ?? 0;
  const count = await tx.run(sql.deleteRange(table, chatId, firstSeq, before));
  return { count, firstSeq, areAll: last === undefined };
}

async function removeMessages(
  tx: Transaction,
  sql: Dialect,
  { chatId, before, room }: NextRows,
): Promise<Removed & { texts: number }> {
  const [newest] = await tx.rows<{ seq: number }>(sql.nthNewest('messages', chatId, before, 1));
  if (newest === undefined) return { count: 0, texts: 0, firstSeq: before, areAll: true };
  const lastSeq = newest.seq;
  const firstSeq = beginningOf(
    await tx.rows<Size>(sql.messageSizes({ chatId, firstSeq: lastSeq - room + 1, lastSeq })),
  );
  const texts = await tx.run(sql.deleteTexts({ chatId, firstSeq, lastSeq }));
  const count = await tx.run(sql.deleteRange('messages', chatId, firstSeq, before));
  // Numbered from 1 without a gap.
  return { count, texts, firstSeq, areAll: firstSeq === 1 && count < room };
}

interface Size {
  seq: number;
  bytes: number;
}

/** From which seq on the newest of some messages are not too much together. */
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
