/** The report of a user's erasure. */

import type { RemovedTable } from './table-rules.js';

/**
 * Deleted rows per table. The contents of the user's files are removed with a server's next sweep, unless other users
 * have them.
 */
export type RemovedRows = Record<RemovedTable, number>;

export interface Erasure {
  /** Rows deleted with the user's chats, and with chats of an earlier interrupted removal. */
  removed: RemovedRows;
  /** Records of earlier deletions that named the user as owner or actor. */
  deletedChats: number;
  /** Events in chats of other users. */
  events: number;
  /** Messages that the user saved there. */
  messages: number;
  /** Drafts there that the user started or requested to stop. */
  drafts: number;
  /** Whether SQLite's write-ahead log still holds deleted data, because a long read prevented truncation. */
  isInLog: boolean;
}

/** An erasure in progress. */
export interface RunningErasure {
  /** Updated as the erasure proceeds. */
  readonly removed: Readonly<RemovedRows>;
  /** @throws DatabaseUnavailableError */
  readonly done: Promise<Erasure>;
}
