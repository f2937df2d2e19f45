import type { Reading } from '../copy/chat-state.js';
import type { CheckedTable } from '../dialects/base/checks.js';

export interface TableCheck extends CheckedTable {
  /** Checks in JavaScript for rows without those problems: databases parse JSON differently. */
  readonly content?: (from: Reading, rows: readonly CheckedRow[]) => Promise<Problems>;
}

/** A row as the statement of a check returns it. */
export type CheckedRow = Record<string, string | number | null>;

export type Problems = Map<CheckedRow, string>;
