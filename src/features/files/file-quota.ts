/** The bytes of stored and of arriving files, against the limits of a user and of the server. */
import { FileLimitError, type FileLimits } from '../../files/files.js';
import type { DatabaseFileRecords } from './records/database-file-records.js';

/** The sum of all files is read again after this time: other servers store and remove files, too. */
const TOTAL_MAX_AGE_MS = 60_000;
/** A refusal needs a sum of at most this age. */
const REFUSAL_MAX_AGE_MS = 1_000;

export class FileQuota {
  #reserved = 0;
  readonly #reservedOf = new Map<string, number>();
  #stored = { bytes: 0, readAt: -Infinity };
  #reading: Promise<void> | undefined;

  /** @param maxBytes of one file, as the storage permits */
  constructor(
    private readonly records: Pick<DatabaseFileRecords, 'has' | 'admit' | 'bytesOfUser' | 'bytesOfAll'>,
    private readonly limits: FileLimits,
    private readonly maxBytes: () => Promise<number>,
  ) {}

  /** Begins to count a file of a user that arrives. */
  hold(userId: string): HeldBytes {
    return new HeldBytes(userId, this);
  }

  /** Call it for each new content, after its row is committed. */
  countStored(bytes: number): void {
    this.#stored.bytes += bytes;
  }

  /** See HeldBytes. */
  async reserve(held: HeldBytes, size: number, sha256: string | null): Promise<void> {
    const { records, limits } = this;
    const { userId } = held;
    const most = await this.maxBytes();
    if (size > most) throw new FileLimitError(`A file may have at most ${most} bytes, not ${size}`);
    if (sha256 !== null && (await records.has(userId, sha256))) return this.set(held, 0);
    const check = await records.admit(userId, size);
    const ofUser = await records.bytesOfUser(userId);
    await this.#readTotal(TOTAL_MAX_AGE_MS);
    if (this.#exceedsTotal(size - held.bytes)) await this.#readTotal(REFUSAL_MAX_AGE_MS);
    // No await from here on: other files would be checked against the same bytes.
    const arriving = (this.#reservedOf.get(userId) ?? 0) - held.bytes;
    check(arriving + size);
    if (ofUser + arriving + size > limits.maxUserFileBytes) {
      throw userLimitError(limits, `they have ${ofUser}, ${arriving} are arriving, and this one has ${size}`);
    }
    if (this.#exceedsTotal(size - held.bytes)) {
      throw new FileLimitError(
        `The server stores at most ${limits.maxTotalFileBytes} bytes of files (MAX_TOTAL_FILE_BYTES)`,
      );
    }
    this.set(held, size);
  }

  /** Replaces a reservation without a check. */
  set(held: HeldBytes, bytes: number): void {
    const change = bytes - held.bytes;
    held.bytes = bytes;
    this.#reserved += change;
    const ofUser = (this.#reservedOf.get(held.userId) ?? 0) + change;
    if (ofUser > 0) this.#reservedOf.set(held.userId, ofUser);
    else this.#reservedOf.delete(held.userId);
  }

  #exceedsTotal(more: number): boolean {
    return this.#stored.bytes + this.#reserved + more > this.limits.maxTotalFileBytes;
  }

  /** The sum reads all rows: concurrent callers share it. */
  async #readTotal(maxAgeMs: number): Promise<void> {
    if (performance.now() - this.#stored.readAt < maxAgeMs) return;
    this.#reading ??= this.records
      .bytesOfAll()
      .then((bytes) => void (this.#stored = { bytes, readAt: performance.now() }))
      .finally(() => (this.#reading = undefined));
    await this.#reading;
  }
}

/** The reservation of one file. */
export class HeldBytes {
  bytes = 0;

  constructor(
    readonly userId: string,
    private readonly quota: FileQuota,
  ) {}

  /**
   * Reserves bytes, in place of those that were reserved before.
   * @param sha256 in hex, when it is known: a file that the user has already counts once
   * @throws FileLimitError, RefusalError when the file exceeds a limit together with stored and arriving ones
   */
  reserve(size: number, sha256: string | null): Promise<void> {
    return this.quota.reserve(this, size, sha256);
  }

  release(): void {
    this.quota.set(this, 0);
  }
}

export function userLimitError({ maxUserFileBytes }: FileLimits, reason: string): FileLimitError {
  return new FileLimitError(
    `The files of this user may have at most ${maxUserFileBytes} bytes (MAX_USER_FILE_BYTES): ${reason}`,
  );
}
