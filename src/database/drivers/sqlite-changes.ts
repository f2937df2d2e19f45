import sql from 'sql-template-tag';
import type { Transaction } from '../connection/connection.js';
import { sqlite } from '../dialects/sqlite/sqlite.js';
import type { WriteQueue } from '../connection/write-queue.js';
import type { DiskReserve } from './disk-reserve.js';
import type { SqliteSession } from './sqlite-session.js';

/** Milliseconds that another process may hold the lock before the file counts as not writable. */
const HELD_MS = 4_000;

export interface SqliteChangesOptions {
  writer: SqliteSession;
  queue: WriteQueue;
  diskReserve: DiskReserve;
}

/** Tracks whether a SQLite file is writable. */
export class SqliteChanges {
  /** Since when another process holds the lock, in milliseconds since 1970; null when free. */
  #heldSince: number | null = null;
  /** Whether the last change failed: a full disk, or missing permission. */
  #hasFailed = false;
  #attempt: Promise<void> | null = null;

  constructor(private readonly options: SqliteChangesOptions) {}

  /** Whether a change would succeed, judged by the last ones. */
  async areTaken(): Promise<boolean> {
    // Tries a write when there are no changes; the next health check gets the result.
    this.#attempt ??= this.#tryOnce().finally(() => (this.#attempt = null));
    const isHeld = this.#heldSince !== null && Date.now() - this.#heldSince > HELD_MS;
    if (isHeld || this.#hasFailed) return false;
    return this.options.diskReserve.check().then(
      () => true,
      () => false,
    );
  }

  /** BEGIN shows that the lock is free, and a write that disk space is left. */
  #tryOnce(): Promise<void> {
    const { writer, queue } = this.options;
    const change = async (tx: Transaction) => {
      if (this.#hasFailed) await tx.run(sql`UPDATE "search_index" SET "analyzer" = "analyzer"`);
    };
    return queue.run(() => this.note(() => writer.transaction({ work: change })).catch(() => {}));
  }

  /** Notes whether a change succeeds. */
  async note<T>(change: () => Promise<T>): Promise<T> {
    try {
      const result = await change();
      this.#heldSince = null;
      this.#hasFailed = false;
      return result;
    } catch (error) {
      const failure = sqlite.failure(error);
      this.#heldSince = failure === 'busy' ? (this.#heldSince ?? Date.now()) : null;
      this.#hasFailed ||= failure === 'unavailable';
      throw error;
    }
  }
}
