/** All rows of a chat, table by table in the order in which they can be written, a bounded number of them at a time. */
import type { Chat } from '../../conversation/model.js';
import type { Branch, ChatEvent, Checkpoint, Message } from '../../generated/sqlite/client.js';
import type { ChatState, Reading } from './chat-state.js';

export interface Rows {
  chats: Chat;
  messages: Message;
  branches: Branch;
  checkpoints: Checkpoint;
  chat_events: ChatEvent;
}

export type Table = keyof Rows;

/** Some rows of one table, at least one. */
export type Step = { [T in Table]: { readonly table: T; readonly rows: readonly Rows[T][] } }[Table];

const MESSAGES_PER_STEP = 500;
/** Of the data of a step's messages, unless that of one alone is more. */
const BYTES_PER_STEP = 4 * 1024 * 1024;
/** Rows without data, of which SQL Server takes no more in one statement: they have 7 columns, and 2,100 values. */
const ROWS_PER_STEP = 250;

/**
 * @param state what the database held at some moment: what was added since is left out. Some rows are missing when the
 * chat is deleted meanwhile; whoever takes them has to look, see isThere.
 */
export async function* chatSteps(from: Reading, state: ChatState): AsyncGenerator<Step> {
  const { chat, branches, checkpoints } = state;
  yield { table: 'chats', rows: [chat] };
  for await (const rows of messages(from, state)) yield { table: 'messages', rows };
  for (const rows of slices(branches)) yield { table: 'branches', rows };
  for (const rows of slices(checkpoints)) yield { table: 'checkpoints', rows };
  for (const seq of ranges(chat.version, ROWS_PER_STEP)) {
    const rows = await from.read((client) =>
      client.chatEvent.findMany({ where: { chatId: chat.id, seq }, orderBy: { seq: 'asc' } }),
    );
    if (rows.length > 0) yield { table: 'chat_events', rows };
  }
}

async function* messages({ sql, read }: Reading, { chat, lastMessageSeq }: ChatState): AsyncGenerator<Message[]> {
  const chatId = chat.id;
  for (const { gte: firstSeq, lte: lastSeq } of ranges(lastMessageSeq, MESSAGES_PER_STEP)) {
    const sizes = await read((client) => client.$queryRaw<Size[]>(sql.messageSizes({ chatId, firstSeq, lastSeq })));
    for (const seq of pieces(sizes)) {
      const rows = await read((client) => client.message.findMany({ where: { chatId, seq }, orderBy: { seq: 'asc' } }));
      if (rows.length > 0) yield rows;
    }
  }
}

interface Size {
  seq: number | bigint;
  bytes: number | bigint;
}

/** A range of seqs, both ends inclusive. */
interface Range {
  gte: number;
  lte: number;
}

/** From 1 to a seq. */
function* ranges(last: number, size: number): Generator<Range> {
  for (let gte = 1; gte <= last; gte += size) yield { gte, lte: Math.min(gte + size - 1, last) };
}

/** Messages cut into ranges of a bounded size. */
function* pieces(sizes: readonly Size[]): Generator<Range> {
  let range: Range | undefined;
  let total = 0;
  for (const { seq, bytes } of sizes) {
    if (range !== undefined && total + Number(bytes) > BYTES_PER_STEP) {
      yield range;
      range = undefined;
      total = 0;
    }
    range = { gte: range?.gte ?? Number(seq), lte: Number(seq) };
    total += Number(bytes);
  }
  if (range !== undefined) yield range;
}

function* slices<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STEP) yield rows.slice(start, start + ROWS_PER_STEP);
}
