import type { Reading } from '../copy/chat-state.js';

export interface TableCheck {
  readonly table: string;
  /** The columns of a unique index, in whose order the rows are read. */
  readonly key: readonly string[];
  /** Other columns that the conditions or `content` read. */
  readonly columns: readonly string[];
  /** Columns of referenced rows that `content` reads, by the names that they get. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** The owner of the chat of the row: rows of a chat that is being removed or written are skipped. @default 'c.userId' */
  readonly owner?: string;
  /** Referenced rows by alias. */
  readonly joins: Readonly<Record<string, string>>;
  /** Each problem with its condition. A row has the first problem whose condition holds. */
  readonly problems: readonly (readonly [problem: string, condition: string])[];
  /** The problems of rows that have none of those, for JSON: databases read it in different ways. */
  readonly content?: (from: Reading, rows: readonly CheckedRow[]) => Promise<Problems>;
}

/** A row as the statement of a check returns it. */
export type CheckedRow = Record<string, string | number | null>;

export type Problems = Map<CheckedRow, string>;
