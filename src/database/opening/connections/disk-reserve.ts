import fs from 'node:fs';
import { DatabaseUnavailableError } from '../../../conversation/errors.js';

/** What is left on the disk to those who delete something, in bytes: their changes go into the log first, and take room. */
const RESERVE_BYTES = 32 * 1024 * 1024;
/** As a part of a small disk. */
const RESERVE_PART = 1 / 8;

/** Room on the disk of a SQLite file: who saves leaves some, or nobody could delete anything when the disk is full. */
export class DiskReserve {
  /** The same for everybody, as long as it is full: it is told once. */
  #full: DatabaseUnavailableError | null = null;

  /**
   * @param folder of the file
   * @param unusedBytes in the file itself
   */
  constructor(
    private readonly folder: string,
    private readonly unusedBytes: () => Promise<number>,
  ) {}

  /** @throws DatabaseUnavailableError when there is none but for deletions. It takes 2 µs */
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
      // Whoever writes hears of it.
      return { free: 0, all: 0 };
    }
  }
}
