/** From the rows that the database answers to the values of src/conversation. The drivers return every number as a number. */
import type { Branch, Chat, ChatEvent, Checkpoint } from '../../conversation/model.js';
import type { Row } from '../../conversation/tables.js';
import type { Dialect } from '../dialects/dialect.js';

/** A chat with its active branch. */
export interface ChatWithBranchRow extends Chat, Pick<BranchRow, 'headMessageId' | 'headDepth'> {
  branchId: string | null;
  branchName: string | null;
  branchCreatedAt: number | null;
  branchSeq: number | null;
}
export interface BranchRow extends Omit<Row<'branches'>, 'isActive'> {
  headDepth: number | null;
  /** SQLite has numbers for booleans. */
  isActive: boolean | number;
}
/** A branch with what placing messages behind its head takes: see Dialect.tip. */
export interface TipRow extends BranchRow {
  lastSeq: number | null;
  lastIndex: number | null;
  ladder: string | null;
}
export type EventRow = Row<'chat_events'>;
/** An event with when a chat of its id was last deleted. */
export interface LoggedRow extends EventRow {
  deletedAt: number | null;
}
/** An event that made or moved a branch. */
export interface HeadEventRow {
  seq: number;
  branchId: string;
  headId: string | null;
}
/** A chat as those see it who follow its log; nulls where there is none, or has been none. */
export interface LogStateRow {
  chatId: string;
  userId: string | null;
  version: number | null;
  deletedUserId: string | null;
  deletedSeq: number | null;
  deletedBy: string | null;
  deletedAt: number | null;
}
/** The same with its first event, and with one that gave it away. */
export interface StandingRow extends LogStateRow {
  madeAt: number | null;
  /** The payload. */
  transfer: string | null;
  transferredAt: number | null;
}
export interface HeadNowRow {
  version: number;
  branchId: string;
  headMessageId: string | null;
}
/** A row of an answer to a list of keys: which key it answers. */
export interface Keyed {
  n: number;
}

export function toChat(row: Chat, sql: Pick<Dialect, 'metadata'>): Chat {
  const { id, userId, title, metadata, createdAt, updatedAt, version } = row;
  return { id, userId, title, metadata: sql.metadata(metadata), createdAt, updatedAt, version };
}

export function toBranch(row: BranchRow): Branch {
  const { id, chatId, name, headMessageId, headDepth, createdAt, seq } = row;
  const messageCount = headDepth === null ? 0 : headDepth + 1;
  return { id, chatId, name, headMessageId, messageCount, isActive: Boolean(row.isActive), createdAt, seq };
}

/** Null when the statement has missed it: SQL Server's may, while another branch becomes the active one. */
export function toActiveBranch(row: ChatWithBranchRow): Branch | null {
  const { id: chatId, branchId, branchName, headMessageId, headDepth, branchCreatedAt, branchSeq } = row;
  if (branchId === null || branchName === null || branchCreatedAt === null || branchSeq === null) return null;
  const place = { headMessageId, headDepth, createdAt: branchCreatedAt, seq: branchSeq };
  return toBranch({ id: branchId, chatId, name: branchName, isActive: true, ...place });
}

export function toCheckpoint({ id, chatId, name, messageId, createdAt, seq }: Checkpoint): Checkpoint {
  return { id, chatId, name, messageId, createdAt, seq };
}

export function toEvent({ chatId, seq, type, actorId, createdAt, payload }: EventRow): ChatEvent {
  // Written by ChatChange alone, whose types go together.
  return { chatId, seq, type, actorId, createdAt, payload: JSON.parse(payload) as unknown } as ChatEvent;
}

/** Rows with n, one list a key. */
export function byKey<R extends Keyed, T>(rows: readonly R[], keys: readonly unknown[], convert: (row: R) => T): T[][] {
  const lists = keys.map((): T[] => []);
  for (const row of rows) lists[row.n]?.push(convert(row));
  return lists;
}

/** One value of each key, in the order of the keys; null for those without. */
export function inOrder<K, T>(keys: readonly K[], values: readonly T[], keyOf: (value: T) => K): (T | null)[] {
  const found = new Map(values.map((value) => [keyOf(value), value]));
  return keys.map((key) => found.get(key) ?? null);
}
