import type { Reading } from './whole-chats/chat-state.js';

/**
 * The invariants of a table, as SQL conditions that hold for a damaged row. `r` is the row, other aliases are referenced
 * rows. `{messages}` stands for a table, `r.seq` for a quoted column.
 */
export interface TableCheck {
  readonly table: string;
  /** The columns of a unique index, which orders the rows. */
  readonly key: readonly string[];
  /** Other columns that the conditions or `content` read. */
  readonly columns: readonly string[];
  /** Columns of referenced rows that `content` reads, by output name. */
  readonly outputs?: Readonly<Record<string, string>>;
  /**
   * The owner of the row's chat: rows of a chat that is being deleted or imported are skipped.
   * @default 'c.userId'
   */
  readonly owner?: string;
  /** Referenced rows by alias. */
  readonly joins: Readonly<Record<string, string>>;
  /** Each problem with its condition. A row has the first problem whose condition holds. */
  readonly problems: readonly (readonly [problem: string, condition: string])[];
  /** Checks in JavaScript for rows without those problems: databases parse JSON differently. */
  readonly content?: (from: Reading, rows: readonly CheckedRow[]) => Promise<Problems>;
}

/** A row as the statement of a check returns it. */
export type CheckedRow = Record<string, string | number | null>;

export type Problems = Map<CheckedRow, string>;

export const CHAT = '{chats} ON c.id = r.chatId';
export const NO_CHAT = ['its chat is missing', 'c.id IS NULL'] as const;

/** Problems of a column that references a row of the same chat. */
export const reference = (column: string, alias: string) =>
  [
    [`${column} names a row that is missing`, `r.${column} IS NOT NULL AND ${alias}.id IS NULL`],
    [`${column} names a row of another chat`, `${alias}.chatId <> r.chatId`],
  ] as const;
