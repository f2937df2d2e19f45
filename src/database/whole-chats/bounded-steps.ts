/** The rows of a chat in foreign-key order, in steps of one short transaction each. */
import type { WholeChat } from '../../conversation/whole-chat.js';
import type { NewChat } from '../../conversation/change.js';
import { TurnBudget } from '../../scheduler/turn-budget.js';
import { slices, type Rows, type RowStep } from './chat-steps.js';
import { storedEvents } from '../writing/write-change.js';
import { rowOf } from '../writing/write-messages.js';

/** Rows per transaction. On SQLite, indexing this many messages for search takes about 0.2 s. */
export const ROWS_PER_STEP = 500;
/** Bytes of message data and event payloads per transaction, except a single larger row. */
const BYTES_PER_STEP = 1024 * 1024;
/** SQL Server takes 2,100 values in one statement, and a row has 7 columns. */
const ROWS_PER_STATEMENT = 250;

/** The rows of one transaction, one table per element. */
export type BoundedStep = RowStep[];

export async function* boundedSteps(pieces: AsyncIterable<RowStep>): AsyncGenerator<BoundedStep> {
  const { yieldIfDue } = new TurnBudget();
  let step: BoundedStep = [];
  let [rows, bytes] = [0, 0];
  for await (const piece of pieces) {
    for (const row of piece.rows) {
      await yieldIfDue();
      const size = sizeOf(row);
      if (rows === ROWS_PER_STEP || (rows > 0 && bytes + size > BYTES_PER_STEP)) {
        yield step;
        [step, rows, bytes] = [[], 0, 0];
      }
      const last = step.at(-1);
      if (last?.table !== piece.table || last.rows.length === ROWS_PER_STATEMENT) {
        step.push({ table: piece.table, rows: [row] } as RowStep);
      } else (last.rows as Rows[keyof Rows][]).push(row);
      rows++;
      bytes += size;
    }
  }
  if (rows > 0) yield step;
}

export async function isLarge(pieces: AsyncIterable<RowStep>): Promise<boolean> {
  const steps = boundedSteps(pieces);
  await steps.next();
  const { done } = await steps.next();
  await steps.return(undefined);
  return done !== true;
}

/** @param written the seqs of the newest written message and event */
export async function* rowsOf(whole: WholeChat, written = { messages: 0, events: 0 }): AsyncGenerator<RowStep> {
  if (whole.fork != null) yield { table: 'chat_forks', rows: [whole.fork] };
  yield* messagesAfter(whole, written.messages);
  for (const rows of slices(whole.branches)) yield { table: 'branches', rows };
  for (const rows of slices(whole.checkpoints)) yield { table: 'checkpoints', rows };
  for await (const rows of whole.events()) {
    for (const fresh of slices(rows.filter(({ seq }) => seq > written.events))) {
      yield { table: 'chat_events', rows: fresh };
    }
  }
}

/** @param afterSeq only messages with a higher seq */
export async function* messagesAfter(whole: WholeChat, afterSeq: number): AsyncGenerator<RowStep> {
  for await (const rows of whole.messages()) {
    const fresh = rows.filter(({ seq }) => seq > afterSeq);
    if (fresh.length > 0) yield { table: 'messages', rows: fresh };
  }
}

/** The rows of a new chat. Values of imported messages are computed when their rows are read. */
export function wholeOf(change: NewChat): WholeChat {
  const { chat, messages, branches } = change;
  return {
    chat,
    messageCount: messages.length,
    branches: [...branches.values()],
    checkpoints: [],
    fork: change.fork,
    async *messages() {
      for (const message of messages)
        yield [{ ...rowOf(message), parentSeq: message.parentSeq, sources: message.sources }];
    },
    async *events() {
      yield* slices(storedEvents(change));
    },
  };
}

function sizeOf(row: Rows[keyof Rows]): number {
  return ('data' in row ? row.data.length : 'payload' in row ? row.payload.length : 0) + 200;
}
