/** From the rows that the database answers to the values of src/conversation. */
import type { Draft, DraftPiece, DraftStanding } from '../../conversation/drafts/draft.js';
import type { Branch, Chat, ChatEvent, Checkpoint } from '../../conversation/model.js';
import type { Dialect } from '../dialects/dialect.js';

/** As the drivers hand out integers: BIGINT as bigint. */
export type Integer = number | bigint;

export interface ChatRow extends Omit<Chat, 'createdAt' | 'updatedAt' | 'version'> {
  createdAt: Integer;
  updatedAt: Integer;
  version: Integer;
}
/** A chat with its active branch. */
export interface ChatWithBranchRow extends ChatRow, Pick<BranchRow, 'headMessageId' | 'headDepth'> {
  branchId: string | null;
  branchName: string | null;
  branchCreatedAt: Integer | null;
  branchSeq: Integer | null;
}
export interface BranchRow {
  id: string;
  chatId: string;
  name: string;
  headMessageId: string | null;
  headDepth: Integer | null;
  isActive: boolean | Integer;
  createdAt: Integer;
  seq: Integer;
}
/** A branch with what placing messages behind its head takes: see Dialect.tip. */
export interface TipRow extends BranchRow {
  lastSeq: Integer | null;
  lastIndex: Integer | null;
  ladder: string | null;
}
export interface CheckpointRow extends Omit<Checkpoint, 'createdAt' | 'seq'> {
  createdAt: Integer;
  seq: Integer;
}
export interface DraftRow extends Omit<
  Draft,
  'idleTimeout' | 'startedAt' | 'updatedAt' | 'length' | 'bytes' | 'endedAt'
> {
  idleTimeout: Integer;
  startedAt: Integer;
  updatedAt: Integer;
  length: Integer;
  bytes: Integer;
  endedAt: Integer | null;
}
export interface DraftPieceRow {
  startOffset: Integer;
  endOffset: Integer;
  chunks: string;
}
export interface EventRow {
  chatId: string;
  seq: Integer;
  type: string;
  actorId: string;
  payload: string;
  createdAt: Integer;
}
/** An event with when a chat of its id was last deleted. */
export interface LoggedRow extends EventRow {
  deletedAt: Integer | null;
}
/** An event that made or moved a branch. */
export interface HeadEventRow {
  seq: Integer;
  branchId: string;
  headId: string | null;
}
/** A chat as those see it who follow its log; nulls where there is none, or has been none. */
export interface LogStateRow {
  chatId: string;
  userId: string | null;
  version: Integer | null;
  deletedUserId: string | null;
  deletedSeq: Integer | null;
  deletedBy: string | null;
  deletedAt: Integer | null;
}
/** The same with its first event, and with one that gave it away. */
export interface StandingRow extends LogStateRow {
  madeAt: Integer | null;
  /** The payload. */
  transfer: string | null;
  transferredAt: Integer | null;
}
/** See ListedRow. */
export interface ListRow {
  chatId: string;
  userId: string | null;
  version: Integer;
  at: Integer;
  deletedAt: Integer | null;
}
export interface HeadNowRow {
  version: Integer;
  branchId: string;
  headMessageId: string | null;
}
/** A row of an answer to a list of keys: which key it answers. */
export interface Keyed {
  n: Integer;
}

export function toChat(row: ChatRow, sql: Pick<Dialect, 'metadata'>): Chat {
  const { id, userId, title, metadata } = row;
  return {
    id,
    userId,
    title,
    metadata: sql.metadata(metadata),
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
    version: Number(row.version),
  };
}

export function toBranch(row: BranchRow): Branch {
  const { id, chatId, name, headMessageId } = row;
  return {
    id,
    chatId,
    name,
    headMessageId,
    messageCount: row.headDepth === null ? 0 : Number(row.headDepth) + 1,
    isActive: Boolean(row.isActive),
    createdAt: Number(row.createdAt),
    seq: Number(row.seq),
  };
}

/** Null when the statement has missed it: SQL Server's may, while another branch becomes the active one. */
export function toActiveBranch(row: ChatWithBranchRow): Branch | null {
  const { id: chatId, branchId, branchName, headMessageId, headDepth, branchCreatedAt, branchSeq } = row;
  if (branchId === null || branchName === null || branchCreatedAt === null || branchSeq === null) return null;
  const place = { headMessageId, headDepth, createdAt: branchCreatedAt, seq: branchSeq };
  return toBranch({ id: branchId, chatId, name: branchName, isActive: true, ...place });
}

export function toCheckpoint(row: CheckpointRow): Checkpoint {
  const { id, chatId, name, messageId } = row;
  return { id, chatId, name, messageId, createdAt: Number(row.createdAt), seq: Number(row.seq) };
}

export function toEvent(row: EventRow): ChatEvent {
  const { chatId, type, actorId, payload } = row;
  const event = {
    chatId,
    seq: Number(row.seq),
    type,
    actorId,
    createdAt: Number(row.createdAt),
    payload: JSON.parse(payload) as unknown,
  };
  // Written by ChatChange alone, whose types go together.
  return event as ChatEvent;
}

export function toDraft(row: DraftRow): Draft {
  return { ...toDraftStanding(row), metadata: row.metadata };
}

export function toDraftStanding(row: Omit<DraftRow, 'metadata'>): DraftStanding {
  const { idleTimeout, startedAt, updatedAt, length, bytes, endedAt } = row;
  return {
    id: row.id,
    chatId: row.chatId,
    branchId: row.branchId,
    parentId: row.parentId,
    onConflict: row.onConflict,
    name: row.name,
    idleTimeout: Number(idleTimeout),
    startedBy: row.startedBy,
    startedAt: Number(startedAt),
    updatedAt: Number(updatedAt),
    length: Number(length),
    bytes: Number(bytes),
    stoppedBy: row.stoppedBy,
    endedAt: endedAt === null ? null : Number(endedAt),
    messageId: row.messageId,
    activation: row.activation,
    requestedBranchId: row.requestedBranchId,
    requestedHeadId: row.requestedHeadId,
  };
}

export function toPiece({ startOffset, endOffset, chunks }: DraftPieceRow): DraftPiece {
  return { startOffset: Number(startOffset), endOffset: Number(endOffset), chunks };
}

/** Rows with n, one list a key. */
export function byKey<R extends Keyed, T>(rows: readonly R[], keys: readonly unknown[], convert: (row: R) => T): T[][] {
  const lists = keys.map((): T[] => []);
  for (const row of rows) lists[Number(row.n)]?.push(convert(row));
  return lists;
}

/** One value of each key, in the order of the keys; null for those without. */
export function inOrder<K, T>(keys: readonly K[], values: readonly T[], keyOf: (value: T) => K): (T | null)[] {
  const found = new Map(values.map((value) => [keyOf(value), value]));
  return keys.map((key) => found.get(key) ?? null);
}
