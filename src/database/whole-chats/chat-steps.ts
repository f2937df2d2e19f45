import type {
  Branch,
  Chat,
  Checkpoint,
  SourceHash,
  SourceMessage,
  StoredEvent,
  StoredMessage,
} from '../../conversation/model.js';
import type { CopiedTable, TablesWith } from '../../conversation/table-rules.js';
import type { SeqRange } from '../../conversation/reads.js';
import type { Row } from '../../conversation/tables.js';
import { boundedPieces } from '../../system/bounded-pieces.js';
import type { EventRow } from '../reading/rows.js';
import type { ChatState, Reading } from './chat-state.js';

interface StepRows extends Record<TablesWith<{ copy: 'steps' }>, object> {
  chats: Chat;
  chat_members: Row<'chat_members'>;
  messages: StoredMessage;
  message_files: Row<'message_files'>;
  branches: Branch;
  checkpoints: Checkpoint;
  chat_events: StoredEvent;
  drafts: Row<'drafts'>;
  draft_chunks: Row<'draft_chunks'>;
}

export type Rows = StepRows & { [T in CopiedTable]: Row<T> };

export type Table = keyof Rows;

/** At least one row of one table. */
export type RowStep = { [T in Table]: { readonly table: T; readonly rows: readonly Rows[T][] } }[Table];

export const MESSAGES_PER_STEP = 500;
/** Bytes of message data per step, except a single larger message. */
const BYTES_PER_STEP = 4 * 1024 * 1024;
/** Rows without data per statement: SQL Server takes 2,100 values, and they have 7 columns. */
const ROWS_PER_STEP = 250;

export async function* eventsOf(from: Reading, { chat }: Pick<ChatState, 'chat'>): AsyncGenerator<StoredEvent[]> {
  for (const range of ranges(chat.version, ROWS_PER_STEP)) {
    const rows = await from.read((db) => db.rows<EventRow>(from.sql.events([{ chatId: chat.id, ...range }])));
    if (rows.length > 0) yield rows.map(toStoredEvent);
  }
}

/** Up to the chat's length in the state. Without digests, which each database computes: see fill-digests.ts. */
export async function* messagesOf(
  { sql, read }: Reading,
  { chat, lastMessageSeq }: Pick<ChatState, 'chat' | 'lastMessageSeq'>,
): AsyncGenerator<StoredMessage[]> {
  const chatId = chat.id;
  for (const { firstSeq, lastSeq } of ranges(lastMessageSeq, MESSAGES_PER_STEP)) {
    const sizes = await read((db) =>
      db.rows<{ seq: number; bytes: number }>(sql.messageSizes({ chatId, firstSeq, lastSeq })),
    );
    for (const some of boundedPieces(sizes, ({ bytes }) => bytes, BYTES_PER_STEP)) {
      const piece = { firstSeq: some[0]?.seq ?? 0, lastSeq: some.at(-1)?.seq ?? 0 };
      const [rows, sources, hashes] = await read(async (db) => [
        await db.rows<Omit<StoredMessage, 'sources'>>(sql.wholeMessages(chatId, piece.firstSeq, piece.lastSeq)),
        await db.rows<SourceMessage & { of: number }>(sql.sourcesInRange({ chatId, ...piece })),
        await db.rows<SourceHash & { of: number }>(sql.sourceHashesInRange({ chatId, ...piece })),
      ]);
      if (rows.length > 0) yield withSources(rows, sources, hashes);
    }
  }
}

function withSources(
  rows: readonly Omit<StoredMessage, 'sources'>[],
  found: readonly (SourceMessage & { of: number })[],
  hashes: readonly (SourceHash & { of: number })[],
): StoredMessage[] {
  const sources = byMessage(found, ({ id, seq }): SourceMessage => ({ id, seq }));
  const sourceHashes = byMessage(hashes, ({ position, hash }): SourceHash => ({ position, hash }));
  return rows.map((row) => ({
    ...row,
    contentHash: null,
    usage: null,
    sources: sources.get(row.seq) ?? [],
    sourceHashes: sourceHashes.get(row.seq) ?? [],
  }));
}

function byMessage<Row extends { of: number }, T>(rows: readonly Row[], convert: (row: Row) => T): Map<number, T[]> {
  const lists = new Map<number, T[]>();
  for (const row of rows) {
    const list = lists.get(row.of);
    if (list === undefined) lists.set(row.of, [convert(row)]);
    else list.push(convert(row));
  }
  return lists;
}

function toStoredEvent({ chatId, seq, type, actorId, payload, createdAt }: EventRow): StoredEvent {
  // Written by ChatChange only, which types them.
  const known = type as StoredEvent['type'];
  return { chatId, seq, type: known, actorId, payload, createdAt };
}

/** Ranges of seqs from 1 to a seq, both ends inclusive. */
export function* ranges(last: number, size: number): Generator<Omit<SeqRange, 'chatId'>> {
  for (let firstSeq = 1; firstSeq <= last; firstSeq += size) {
    yield { firstSeq, lastSeq: Math.min(firstSeq + size - 1, last) };
  }
}

/** The rows of one statement. */
export const slices = <T>(rows: readonly T[]): Generator<T[]> => boundedPieces(rows, () => 1, ROWS_PER_STEP);
