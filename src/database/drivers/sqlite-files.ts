import { realpathSync, renameSync, statSync } from 'node:fs';
import sql from 'sql-template-tag';
import { SqliteThreads } from './sqlite-threads.js';

const OPTIONS = { bigint: true, throwIfNoEntry: false } as const;

/** One of the files, as it was when the database was opened. */
interface OpenedFile {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * The files of a SQLite database as they were when opened. SQLite does not notice when they are replaced, and would
 * lose commits. Files are not opened here: closing one would release SQLite's locks on it.
 */
export class SqliteFiles {
  readonly #file: OpenedFile;
  readonly #log: OpenedFile;
  readonly #logIndex: OpenedFile;
  /** The size in bytes and the modification time at the last check. */
  #seen = { size: 0n, mtimeNs: 0n };

  /** @param path of an open database that has been read, so that its log files exist */
  constructor(path: string) {
    const real = realpathSync(path);
    this.#file = placeOf(path);
    this.#log = placeOf(`${real}-wal`);
    this.#logIndex = placeOf(`${real}-shm`);
  }

  /**
   * A description of the damage; null without any. Takes about 10 µs.
   * @param readSize reads from a changed file and returns the size of all pages in bytes. The newest pages may be in
   * the log only, and VACUUM shortens a file
   */
  async fault(readSize: () => Promise<bigint>): Promise<string | null> {
    for (const { path, dev, ino } of [this.#log, this.#logIndex, this.#file]) {
      const now = statSync(path, OPTIONS);
      if (now === undefined) return `${path} is not there any more`;
      if (now.dev !== dev || now.ino !== ino) return `${path} is another file now`;
      if (path !== this.#file.path) continue;
      const { size, mtimeNs } = now;
      if (size === this.#seen.size && mtimeNs === this.#seen.mtimeNs) continue;
      // SQLite would treat an empty file as new, and delete its log.
      if (size === 0n || ((await readSize()) > size && size < this.#seen.size)) return `${path} was cut`;
      this.#seen = { size, mtimeNs };
    }
    return null;
  }

  /** The files are closed. */
  leave(): void {
    this.#seen = statSync(this.#file.path, OPTIONS) ?? this.#seen;
  }

  /**
   * Renames the rest of a log that would otherwise be applied to another file or content.
   * @param isUnsound whether file and log do not match
   * @returns the new name; null when it was not renamed
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

function placeOf(path: string): OpenedFile {
  const { dev, ino } = statSync(path, { bigint: true });
  return { path, dev, ino };
}

/**
 * Checks a whole file in a worker thread.
 * @throws Error when it is missing or damaged
 */
export async function checkSound(path: string): Promise<void> {
  if (statSync(path).size === 0) throw new Error(`${path} is empty`);
  const threads = new SqliteThreads(path, []);
  try {
    const [row] = await threads.rows<{ quick_check: string }>(sql`PRAGMA quick_check(1)`);
    if (row?.quick_check !== 'ok') throw Object.assign(new Error(row?.quick_check), { code: 'SQLITE_CORRUPT' });
  } finally {
    await threads.close();
  }
}
