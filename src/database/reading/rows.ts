/** Converts rows to the values of src/conversation. The drivers return all numbers as numbers. */
import type { Branch, Chat, ChatEvent, Checkpoint } from '../../conversation/model.js';
import type { Row } from '../../conversation/tables.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Keyed } from '../dialects/row-format.js';

export type { Keyed };

/** A chat with its active branch. */
export interface ChatWithBranchRow extends Chat, Pick<BranchRow, 'headMessageId' | 'headDepth'> {
  branchId: string | null;
  branchName: string | null;
  branchCreatedAt: number | null;
  branchCreatedBy: string | null;
  branchSeq: number | null;
}
export interface BranchRow extends Omit<Row<'branches'>, 'isActive'> {
  headDepth: number | null;
  /** SQLite has numbers for booleans. */
  isActive: boolean | number;
}
/** A branch with the values for placing messages: see Dialect.tip. */
export interface TipRow extends BranchRow {
  lastSeq: number | null;
  lastIndex: number | null;
  headHash: string | null;
  headUsage: string | null;
  ladder: string | null;
}
export type EventRow = Row<'chat_events'>;
/** The state of a chat for subscribers of its log; nulls where it does not or did not exist. */
export interface LogStateRow {
  chatId: string;
  userId: string | null;
  members: string | null;
  version: number | null;
  deletedUserId: string | null;
  deletedSeq: number | null;
  deletedBy: string | null;
  deletedAt: number | null;
}

export function toChat(row: Chat, sql: Pick<Dialect, 'metadata'>): Chat {
  const { id, userId, title, metadata, createdAt, updatedAt, version, usage, members } = row;
  const shared = members === '[]' ? undefined : (members ?? undefined);
  return { id, userId, title, metadata: sql.metadata(metadata), createdAt, updatedAt, version, usage, members: shared };
}

export function toBranch(row: BranchRow): Branch {
  const { id, chatId, name, headMessageId, headDepth, createdAt, seq, createdBy } = row;
  const messageCount = headDepth === null ? 0 : headDepth + 1;
  return { id, chatId, name, headMessageId, messageCount, isActive: Boolean(row.isActive), createdAt, seq, createdBy };
}

/** Null when SQL Server's statement misses it during an activation of another branch. */
export function toActiveBranch(row: ChatWithBranchRow): Branch | null {
  const { id: chatId, branchId: id, branchName: name, branchCreatedAt: createdAt, branchSeq: seq } = row;
  if (id === null || name === null || createdAt === null || seq === null) return null;
  return toBranch({ ...row, id, chatId, name, isActive: true, createdAt, seq, createdBy: row.branchCreatedBy });
}

export function toCheckpoint({ id, chatId, name, messageId, createdAt, seq }: Checkpoint): Checkpoint {
  return { id, chatId, name, messageId, createdAt, seq };
}

export function toEvent({ chatId, seq, type, actorId, createdAt, payload }: EventRow): ChatEvent {
  // Written by ChatChange only, whose type and payload match.
  return { chatId, seq, type, actorId, createdAt, payload: JSON.parse(payload) as unknown } as ChatEvent;
}

/** Rows with n, grouped by key. */
export function byKey<R extends Keyed, T>(rows: readonly R[], keys: readonly unknown[], convert: (row: R) => T): T[][] {
  const lists = keys.map((): T[] => []);
  for (const row of rows) lists[row.n]?.push(convert(row));
  return lists;
}

/** One value per key, in the order of the keys; null for missing ones. */
export function inOrder<K, T>(keys: readonly K[], values: readonly T[], keyOf: (value: T) => K): (T | null)[] {
  const found = new Map<K, T>();
  for (const value of values) found.set(keyOf(value), value);
  const ordered: (T | null)[] = [];
  for (const key of keys) ordered.push(found.get(key) ?? null);
  return ordered;
}
