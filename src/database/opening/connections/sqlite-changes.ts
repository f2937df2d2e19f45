import sql from 'sql-template-tag';
import type { Caller } from '../../../scheduler/fair-queue.js';
import type { Transaction } from '../connection.js';
import { sqlite } from '../../dialects/sqlite/sqlite.js';
import type { WriteQueue } from '../write-queue.js';
import type { DiskReserve } from './disk-reserve.js';
import type { SqliteGuard } from './sqlite-guard.js';
import type { SqliteSession } from './sqlite-session.js';

/** How long another process may hold the lock, in milliseconds, before the file counts as one that takes no changes. */
const HELD_MS = 4_000;

export interface SqliteChangesOptions {
  writer: SqliteSession;
  queue: WriteQueue;
  guard: SqliteGuard;
  room: DiskReserve;
}

/** The changes of a SQLite file, and whether it takes any. */
export class SqliteChanges {
  /** Since when another process holds the lock, as far as is known, in milliseconds since 1970. */
  #heldSince: number | null = null;
  /** Whether the last one was not written: there was no room, or it was not allowed. */
  #hasFailed = false;
  #attempt: Promise<void> | null = null;

  constructor(private readonly options: SqliteChangesOptions) {}

  /** Makes a change, if there is room for it. */
  write<T>(work: (tx: Transaction) => Promise<T>, caller?: Caller): Promise<T> {
    const { queue, room } = this.options;
    return queue.run(async () => {
      await room.check();
      return this.#change(work);
    }, caller);
  }

  /** Makes one that makes room. */
  remove<T>(work: (tx: Transaction) => Promise<T>, caller?: Caller): Promise<T> {
    return this.options.queue.run(() => this.#change(work), caller);
  }

  /** Whether a change would be written, as far as is known from the last ones. */
  async areTaken(): Promise<boolean> {
    // Where nobody else makes any; the next who asks hears what became of it.
    this.#attempt ??= this.#tryOnce().finally(() => (this.#attempt = null));
    const isHeld = this.#heldSince !== null && Date.now() - this.#heldSince > HELD_MS;
    if (isHeld || this.#hasFailed) return false;
    return this.options.room.check().then(
      () => true,
      () => false,
    );
  }

  /** To begin a transaction shows that nobody else has the lock, and to write something that there is room. */
  #tryOnce(): Promise<void> {
    const { writer, queue } = this.options;
    const change = async (tx: Transaction) => {
      if (this.#hasFailed) await tx.run(sql`UPDATE "search_index" SET "analyzer" = "analyzer"`);
    };
    return queue.run(() => this.#noted(() => writer.transaction(change)).catch(() => {}));
  }

  async #change<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { writer, guard } = this.options;
    await guard.verify();
    const result = await this.#noted(() => writer.transaction(work));
    // Nobody is told of a change that nobody could find.
    await guard.verify();
    return result;
  }

  async #noted<T>(change: () => Promise<T>): Promise<T> {
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
