import { DatabaseUnavailableError } from '../../conversation/errors.js';
import { driverErrors, driverMessage } from '../dialects/driver-error.js';
import type { ClosedDatabase } from '../connection/connection.js';
import type { SqliteFiles } from './sqlite-files.js';

/** Milliseconds between checks of the files, besides one per change. */
const CHECK_INTERVAL_MS = 1_000;

/** SQLite's codes for a file that is not a database, or partly unreadable. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR_(READ|SHORT_READ|DATA|CORRUPTFS))/;

export interface GuardOptions {
  /** Null for read-only databases: reading a deleted file does no harm. */
  files: SqliteFiles | null;
  /**
   * Reads from the file, bypassing the cache.
   * @returns the size of all pages in bytes
   */
  readSize: () => Promise<bigint>;
  leave: (isLost: boolean) => Promise<void>;
}

/**
 * Closes a SQLite database as soon as its files were replaced, deleted or damaged. SQLite itself would acknowledge
 * saves and lose them.
 */
export class SqliteGuard {
  readonly lost: Promise<ClosedDatabase>;
  #loss: DatabaseUnavailableError | null = null;
  #reportClosed!: (closed: ClosedDatabase) => void;
  readonly #checking: NodeJS.Timeout;

  constructor(private readonly options: GuardOptions) {
    this.lost = new Promise((resolve) => (this.#reportClosed = resolve));
    this.#checking = setInterval(() => void this.verify().catch(() => {}), CHECK_INTERVAL_MS).unref();
  }

  /**
   * Runs work on the database.
   * @throws DatabaseUnavailableError when it is closed, before or because of the work
   */
  async run<T>(job: () => Promise<T>): Promise<T> {
    try {
      this.#check();
      return await job();
    } catch (error) {
      if (isDamage(error)) this.#lose(driverMessage(error));
      // Other errors may be consequences of the damage.
      this.#check();
      throw error;
    }
  }

  /**
   * Checks the files.
   * @throws DatabaseUnavailableError when they were replaced, deleted or damaged
   */
  async verify(): Promise<void> {
    const { files, readSize } = this.options;
    try {
      const fault = await this.run(async () => files?.fault(readSize));
      if (fault != null) this.#lose(fault);
    } catch {
      // A check that fails for other reasons, such as a lock, is repeated soon.
    }
    this.#check();
  }

  /** Stops the checks. Settles when everything is closed. */
  async close(): Promise<void> {
    clearInterval(this.#checking);
    await (this.#loss === null ? this.options.leave(false) : this.lost);
  }

  #check(): void {
    if (this.#loss !== null) throw this.#loss;
  }

  #lose(reason: string): void {
    if (this.#loss !== null) return;
    const error = new DatabaseUnavailableError('The database cannot be used', { cause: new Error(reason) });
    this.#loss = error;
    clearInterval(this.#checking);
    const { files, leave } = this.options;
    void leave(true).then(() => {
      files?.leave();
      this.#reportClosed({ error, moveLogAside: (failure) => files?.putLogAside(isDamage(failure)) ?? null });
    });
  }
}

/** Whether SQLite found that a file is damaged, or is no database. */
export function isDamage(error: unknown): boolean {
  return driverErrors(error).some(({ codes }) => codes.some((code) => DAMAGE.test(code)));
}
