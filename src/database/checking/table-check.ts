import type { Reading } from '../copy/chat-state.js';
import type { CheckedTable } from '../dialects/base/checks.js';

export interface TableCheck extends CheckedTable {
  /** The problems of rows that have none of those, for JSON: databases read it in different ways. */
  readonly content?: (from: Reading, rows: readonly CheckedRow[]) => Promise<Problems>;
}

/** A row as the statement of a check returns it. */
export type CheckedRow = Record<string, string | number | null>;

export type Problems = Map<CheckedRow, string>;
