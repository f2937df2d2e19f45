import fs from 'node:fs';
import { DatabaseUnavailableError } from '../../conversation/errors.js';

/** Bytes of the disk reserved for deletions, which write to the log first. */
const RESERVE_BYTES = 32 * 1024 * 1024;
/** The reserve as a part of a small disk. */
const RESERVE_PART = 1 / 8;

/** The disk reserve of a SQLite file: saves are rejected early, so that data can be deleted when the disk is full. */
export class DiskReserve {
  /** The same error while the disk stays full, so that it is logged once. */
  #full: DatabaseUnavailableError | null = null;

  /**
   * @param folder of the file
   * @param unusedBytes free bytes within the file
   */
  constructor(
    private readonly folder: string,
    private readonly unusedBytes: () => Promise<number>,
  ) {}

  /** @throws DatabaseUnavailableError when only the reserve is left. Takes 2 µs */
  async check(): Promise<void> {
    const { free, all } = this.#disk();
    const missing = Math.min(RESERVE_BYTES, all * RESERVE_PART) - free;
    if (missing <= 0 || (await this.unusedBytes()) >= missing) {
      this.#full = null;
      return;
    }
    const cause = new Error(`${this.folder} has ${free} bytes left, and they are for deletions`);
    throw (this.#full ??= new DatabaseUnavailableError('The disk of the database is full', { cause }));
  }

  #disk(): { free: number; all: number } {
    try {
      const { bsize, bavail, blocks } = fs.statfsSync(this.folder);
      return { free: bavail * bsize, all: blocks * bsize };
    } catch {
      // The write itself reports the failure.
      return { free: 0, all: 0 };
    }
  }
}
