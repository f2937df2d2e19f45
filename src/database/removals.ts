/** The feature that removes chats, in steps: see docs/adr/database/0013-removing-in-steps.md. */
import type { NewChat } from '../conversation/change.js';
import type { ChatScoped } from '../conversation/chat-scoped.js';
import type { Chat, Deletion } from '../conversation/model.js';
import type { NumberedTable, PartedTable, RemovedTable } from '../conversation/table-rules.js';
import type { Connection, Transaction } from './connection/connection.js';
import type { Dialect } from './dialects/dialect.js';

/** Thrown in a transaction that needs an id of a chat that is still being deleted. */
export class PendingDeletionError extends Error {
  constructor(readonly chatId: string) {
    super(`chat "${chatId}" is still being deleted`);
  }
}

/**
 * Deleted rows per table. The contents of the user's files are removed with a server's next sweep, unless other users
 * have them.
 */
export type RemovedRows = Record<RemovedTable, number>;

/** The rows deleted so far. Unless it is complete, see finishRemoval. */
export interface Removal {
  deletion: Deletion;
  /** Milliseconds since 1970; null unless a feature keeps the chat hidden. */
  restorableUntil: number | null;
  rows: RemovedRows;
  isDone: boolean;
}

/** A sweep removes chats in the background: a chat that cannot be removed does not stop the others. */
export interface SweepOptions {
  /** Ends the sweep after the current step. */
  signal?: AbortSignal | undefined;
  /** Receives the failure of a chat, which the next sweep tries again. By default, it ends the sweep. */
  onFailure?: ((failure: Error) => void) | undefined;
}

/** The rows of a chat with the highest seqs below one, at most `remaining`. */
export interface NextRows {
  chatId: string;
  before: number;
  remaining: number;
}

export interface RemovedRange {
  count: number;
  firstSeq: number;
  /** Whether these are the last rows. */
  areAll: boolean;
}

export interface Removals {
  /**
   * Hides a chat and deletes the first step of its rows, or its rows with parts, in steps, when a feature keeps it hidden.
   * @param note creates the deletion record; null leaves the chat unchanged
   * @returns null for an unknown or unchanged chat
   * @throws RefusalError
   */
  removeChat(
    connection: Connection,
    chatId: string,
    note: (chat: Chat) => Pick<Deletion, 'userId' | 'actorId' | 'createdAt'> | null,
    isRestorable?: boolean,
  ): Promise<Removal | null>;
  /** Deletes the remains of a chat. Several processes may do so concurrently. A deleted chat that a feature keeps stays. */
  finishRemoval(connection: Connection, chatId: string): Promise<void>;
  /**
   * Deletes the remains of all deleted chats, and hidden chats of abandoned imports.
   * @param removed updated with the deleted rows
   * @param signal ends the call after the current step
   * @throws the first error, after all other chats
   */
  finishRemovals(connection: Connection, removed?: RemovedRows, signal?: AbortSignal): Promise<void>;
  /**
   * Deletes the remains of chats that block a new one: by its id or the id of a message.
   * @returns whether there were any
   */
  removeBlocking(connection: Connection, blocked: Pick<NewChat, 'chat' | 'messages'>): Promise<boolean>;
  /**
   * Removes a chat, and leaves time for other changes.
   * @returns null after a failure
   * @throws Error when other chats would fail, too
   */
  sweepChat<T>(chatId: string, options: SweepOptions, remove: () => Promise<T>): Promise<T | null>;
  removeNewest(tx: Transaction, sql: Dialect, table: NumberedTable, rows: NextRows): Promise<RemovedRange>;
  /**
   * Deletes the first parts of a row.
   * @returns their number; less than `atMost` when no parts are left
   */
  removeParts(tx: Transaction, sql: Dialect, table: PartedTable, key: ChatScoped, atMost: number): Promise<number>;
}

let load: (() => Promise<Removals>) | undefined;

/** The feature sets it before a database is opened: see src/features/all-forms.ts. */
export function setRemovals(loadRemovals: () => Promise<Removals>): void {
  load = loadRemovals;
}

/** @throws Error without the feature */
export async function removals(): Promise<Removals> {
  if (load === undefined) throw new Error('this program does not import src/features/all-forms.ts');
  return load();
}
