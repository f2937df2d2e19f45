import { DatabaseUnavailableError } from '../../../conversation/errors.js';
import { driverErrors, driverMessage } from '../driver-error.js';
import type { Loss } from '../connection.js';
import type { SqliteFiles } from './sqlite-files.js';

/** How often it is looked whether the files are still there, in milliseconds, beside each change. */
const LOOK_INTERVAL_MS = 1_000;

/** Of a file that is none, or of which a part cannot be read. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR_(READ|SHORT_READ|DATA|CORRUPTFS))/;

export interface GuardOptions {
  /** Null where nothing is changed: whoever reads what is not there any more does no harm. */
  files: SqliteFiles | null;
  /** Reads from the file, and not from what is remembered of it. @returns how long all its pages are together, in bytes */
  readAnew: () => Promise<bigint>;
  /** Lets go of everything. */
  leave: (isLost: boolean) => Promise<void>;
}

/**
 * Gives a SQLite database up as soon as its files are not those that were opened, or are damaged. It says nothing of that by
 * itself: what is saved would be acknowledged, and gone with the process.
 */
export class SqliteGuard {
  readonly lost: Promise<Loss>;
  #loss: DatabaseUnavailableError | null = null;
  #tell!: (loss: Loss) => void;
  readonly #looking: NodeJS.Timeout;

  constructor(private readonly options: GuardOptions) {
    this.lost = new Promise((resolve) => (this.#tell = resolve));
    this.#looking = setInterval(() => void this.verify().catch(() => {}), LOOK_INTERVAL_MS).unref();
  }

  /** Does something with the database. @throws DatabaseUnavailableError when it is given up, by then or because of this */
  async run<T>(job: () => Promise<T>): Promise<T> {
    try {
      this.#check();
      return await job();
    } catch (error) {
      if (isDamage(error)) this.#lose(driverMessage(error));
      // What else has gone wrong may come of that.
      this.#check();
      throw error;
    }
  }

  /** Looks at the files. @throws DatabaseUnavailableError when they are not those that were opened, or are damaged */
  async verify(): Promise<void> {
    const { files, readAnew } = this.options;
    try {
      const fault = await this.run(async () => files?.fault(readAnew));
      if (fault != null) this.#lose(fault);
    } catch {
      // What keeps it from being looked at, such as a lock, is no fault of it: it is looked at again soon.
    }
    this.#check();
  }

  /** Looks no more. Settles when everything is let go of. */
  async close(): Promise<void> {
    clearInterval(this.#looking);
    await (this.#loss === null ? this.options.leave(false) : this.lost);
  }

  #check(): void {
    if (this.#loss !== null) throw this.#loss;
  }

  #lose(reason: string): void {
    if (this.#loss !== null) return;
    const error = new DatabaseUnavailableError('The database cannot be used', { cause: new Error(reason) });
    this.#loss = error;
    clearInterval(this.#looking);
    const { files, leave } = this.options;
    void leave(true).then(() => {
      files?.leave();
      this.#tell({ error, makeRoom: (failure) => files?.putLogAside(isDamage(failure)) ?? null });
    });
  }
}

function isDamage(error: unknown): boolean {
  return driverErrors(error).some(({ codes }) => codes.some((code) => DAMAGE.test(code)));
}
