import { realpathSync, renameSync, statSync } from 'node:fs';
import sql from 'sql-template-tag';
import { SqliteThreads } from './sqlite-threads.js';

const OPTIONS = { bigint: true, throwIfNoEntry: false } as const;

/** One of the files, as it was when the database was opened. */
interface Place {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * The files of a SQLite database as they were when it was opened. SQLite itself looks at none of them again: it goes on with
 * files that nobody can find any more, and what it commits to them is gone with the process. Nothing is opened here: to
 * close a file would let go of all locks that SQLite has on it.
 */
export class SqliteFiles {
  readonly #file: Place;
  readonly #log: Place;
  readonly #logIndex: Place;
  /** How long the file was when it was looked at last, in bytes, and when it had been written to. */
  #seen = { size: 0n, mtimeNs: 0n };

  /** @param path of a database that is open and has been read: its log and the log's index are there only then */
  constructor(path: string) {
    const real = realpathSync(path);
    this.#file = placeOf(path);
    this.#log = placeOf(`${real}-wal`);
    this.#logIndex = placeOf(`${real}-shm`);
  }

  /**
   * What has become of them, in words; null when nothing has. It takes some 10 µs.
   * @param readAnew reads from a file that has changed, and answers how long all its pages are together, in bytes. Those that
   *   were written last may be in the log alone, and VACUUM makes a file shorter
   */
  async fault(readAnew: () => Promise<bigint>): Promise<string | null> {
    for (const { path, dev, ino } of [this.#log, this.#logIndex, this.#file]) {
      const now = statSync(path, OPTIONS);
      if (now === undefined) return `${path} is not there any more`;
      if (now.dev !== dev || now.ino !== ino) return `${path} is another file now`;
      if (path !== this.#file.path) continue;
      const { size, mtimeNs } = now;
      if (size === this.#seen.size && mtimeNs === this.#seen.mtimeNs) continue;
      // SQLite would take one without anything for a new one, and delete its log.
      if (size === 0n || ((await readAnew()) > size && size < this.#seen.size)) return `${path} was cut`;
      this.#seen = { size, mtimeNs };
    }
    return null;
  }

  /** Nothing of them is open any more. */
  leave(): void {
    this.#seen = statSync(this.#file.path, OPTIONS) ?? this.#seen;
  }

  /**
   * Gives what is left of the log another name where it would be taken for that of another file, or of another content.
   * @param isUnsound whether file and log are not sound together
   * @returns that name; null when there was no need of it
   */
  putLogAside(isUnsound: boolean): string | null {
    const [file, log] = [this.#file, this.#log].map(({ path }) => statSync(path, OPTIONS));
    if (file === undefined || log === undefined || log.size === 0n || log.ino !== this.#log.ino) return null;
    const isAnother = file.ino !== this.#file.ino || (isUnsound && file.mtimeNs !== this.#seen.mtimeNs);
    if (!isAnother) return null;
    const aside = `${this.#log.path}-${Date.now()}`;
    renameSync(this.#log.path, aside);
    return aside;
  }
}

function placeOf(path: string): Place {
  const { dev, ino } = statSync(path, { bigint: true });
  return { path, dev, ino };
}

/**
 * Looks through a whole file, in a thread of its own.
 * @throws Error when it is not there, or not sound
 */
export async function checkSound(path: string): Promise<void> {
  if (statSync(path).size === 0) throw new Error(`there is nothing in ${path}`);
  const threads = new SqliteThreads(path, []);
  try {
    const [row] = await threads.rows<{ quick_check: string }>(sql`PRAGMA quick_check(1)`);
    if (row?.quick_check !== 'ok') throw Object.assign(new Error(row?.quick_check), { code: 'SQLITE_CORRUPT' });
  } finally {
    await threads.close();
  }
}
