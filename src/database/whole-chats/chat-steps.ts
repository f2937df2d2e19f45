/** All rows of a chat in batches, table by table in the order that foreign keys require. */
import type { Draft, DraftPiece } from '../../conversation/drafts/draft.js';
import type {
  Branch,
  Chat,
  Checkpoint,
  SourceHash,
  SourceMessage,
  StoredEvent,
  StoredMessage,
} from '../../conversation/model.js';
import { membersOf } from '../../conversation/members/ownership.js';
import type { Row } from '../../conversation/tables.js';
import type { EventRow } from '../reading/rows.js';
import type { ChatState, Reading } from './chat-state.js';

export type StoredPiece = DraftPiece & { draftId: string; chatId: string };

export interface Rows {
  chats: Chat;
  chat_members: Row<'chat_members'>;
  messages: StoredMessage;
  message_files: Row<'message_files'>;
  branches: Branch;
  checkpoints: Checkpoint;
  chat_events: StoredEvent;
  chat_forks: Row<'chat_forks'>;
  drafts: Draft;
  draft_chunks: StoredPiece;
}

export type Table = keyof Rows;

/** At least one row of one table. */
export type RowStep = { [T in Table]: { readonly table: T; readonly rows: readonly Rows[T][] } }[Table];

const MESSAGES_PER_STEP = 500;
/** Bytes of message data per step, except a single larger message. */
const BYTES_PER_STEP = 4 * 1024 * 1024;
/** Rows without data per statement: SQL Server takes 2,100 values, and they have 7 columns. */
const ROWS_PER_STEP = 250;
/** Pieces of drafts per step: each is at most as large as an append. */
const PIECES_PER_STEP = 16;

/**
 * @param state the bounds of the read: later rows are left out. After a deletion rows are missing; callers must check
 * with isThere
 */
export async function* chatSteps(from: Reading, state: ChatState): AsyncGenerator<RowStep> {
  const { chat, branches, checkpoints, drafts } = state;
  yield { table: 'chats', rows: [chat] };
  const forks = await from.read((db) => db.rows<Row<'chat_forks'>>(from.sql.forkOf(chat.id)));
  if (forks.length > 0) yield { table: 'chat_forks', rows: forks };
  const members = membersOf(chat).map((member) => ({ chatId: chat.id, ...member }));
  // Databases have different orders of texts.
  members.sort((one, other) => (one.userId < other.userId ? -1 : 1));
  if (members.length > 0) yield { table: 'chat_members', rows: members };
  for await (const rows of messagesOf(from, state)) yield { table: 'messages', rows };
  for await (const rows of referencesOf(from, state)) yield { table: 'message_files', rows };
  for (const rows of slices(branches)) yield { table: 'branches', rows };
  for (const rows of slices(checkpoints)) yield { table: 'checkpoints', rows };
  for await (const rows of eventsOf(from, state)) yield { table: 'chat_events', rows };
  if (drafts.length > 0) yield { table: 'drafts', rows: drafts };
  for (const draft of drafts) for await (const rows of pieces(from, draft)) yield { table: 'draft_chunks', rows };
}

/** In the order of messages, which is the same on every database. */
async function* referencesOf(
  { sql, read }: Reading,
  { chat, lastMessageSeq }: ChatState,
): AsyncGenerator<Row<'message_files'>[]> {
  const [first] = await read((db) => db.rows(sql.firstMessageFile(chat.id)));
  if (first === undefined) return;
  for (const range of ranges(lastMessageSeq, MESSAGES_PER_STEP)) {
    const rows = await read((db) => db.rows<Row<'message_files'>>(sql.messageFilesOf({ chatId: chat.id, ...range })));
    yield* slices(rows);
  }
}

export async function* eventsOf(from: Reading, { chat }: Pick<ChatState, 'chat'>): AsyncGenerator<StoredEvent[]> {
  for (const range of ranges(chat.version, ROWS_PER_STEP)) {
    const rows = await from.read((db) => db.rows<EventRow>(from.sql.events([{ chatId: chat.id, ...range }])));
    if (rows.length > 0) yield rows.map(toStoredEvent);
  }
}

/** Up to the draft's length in the state. */
async function* pieces({ sql, read }: Reading, draft: Draft): AsyncGenerator<StoredPiece[]> {
  for (let after = 0; after < draft.length;) {
    const from = after;
    const rows = await read((db) => db.rows<DraftPiece>(sql.draftPieces(draft, from, PIECES_PER_STEP)));
    const found = rows.filter(({ endOffset }) => endOffset <= draft.length);
    if (found.length === 0) return;
    yield found.map((piece) => ({ draftId: draft.id, ...piece, chatId: draft.chatId }));
    after = found.at(-1)?.endOffset ?? draft.length;
  }
}

/** Up to the chat's length in the state. Without digests, which each database computes: see fill-digests.ts. */
export async function* messagesOf(
  { sql, read }: Reading,
  { chat, lastMessageSeq }: Pick<ChatState, 'chat' | 'lastMessageSeq'>,
): AsyncGenerator<StoredMessage[]> {
  const chatId = chat.id;
  for (const { firstSeq, lastSeq } of ranges(lastMessageSeq, MESSAGES_PER_STEP)) {
    const sizes = await read((db) => db.rows<Size>(sql.messageSizes({ chatId, firstSeq, lastSeq })));
    for (const piece of messagePieces(sizes)) {
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

interface Size {
  seq: number;
  bytes: number;
}

/** A range of seqs, both ends inclusive. */
interface Range {
  firstSeq: number;
  lastSeq: number;
}

/** From 1 to a seq. */
function* ranges(last: number, size: number): Generator<Range> {
  for (let firstSeq = 1; firstSeq <= last; firstSeq += size) {
    yield { firstSeq, lastSeq: Math.min(firstSeq + size - 1, last) };
  }
}

/** Splits messages into ranges of bounded size. */
function* messagePieces(sizes: readonly Size[]): Generator<Range> {
  let range: Range | undefined;
  let total = 0;
  for (const { seq, bytes } of sizes) {
    if (range !== undefined && total + bytes > BYTES_PER_STEP) {
      yield range;
      range = undefined;
      total = 0;
    }
    range = { firstSeq: range?.firstSeq ?? seq, lastSeq: seq };
    total += bytes;
  }
  if (range !== undefined) yield range;
}

/** The rows of one statement. */
export function* slices<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STEP) yield rows.slice(start, start + ROWS_PER_STEP);
}
