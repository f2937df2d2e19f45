/** Where the contents of files are stored. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Caller } from '../scheduler/fair-queue.js';

export interface FileStorage {
  readonly maxBytes: number;
  /**
   * A folder for files that put() can store without a copy, when they do not change afterwards. Files in it are deleted
   * when the storage is opened a day later. Missing where put() always transfers the content.
   */
  readonly temporaryFolder?: string;
  /** @returns the FileStorageError for a failed write to temporaryFolder; other errors unchanged. Present with the folder */
  arrivalFailure?(error: unknown): Error;
  /**
   * Checks that contents can be stored, with a temporary file. Missing where only put() shows it.
   * @throws FileStorageError
   */
  tryPut?(): Promise<void>;
  /**
   * Stores the content of a file durably before it resolves. The caller still owns the file at `path`.
   * @param key `<first two digits of the SHA-256>/<SHA-256>-<unique suffix>`; S3 verifies the hash
   * @param size in bytes
   * @throws FileStorageError; the signal's reason after an abort
   */
  put(key: string, path: string, size: number, signal?: AbortSignal): Promise<void>;
  /**
   * Reads bytes `start` to `end` (inclusive; `start - 1` reads none).
   * @returns a stream with exactly these bytes; it fails with a FileStorageError when the content ends early
   * @param caller the user whose share of concurrent reads counts; the server itself by default
   * @throws FileStorageError when the content is missing or shorter than the range
   * @throws the signal's reason after an abort before the stream is open
   */
  read(key: string, range: { start: number; end: number }, caller?: Caller): Promise<Readable>;
  /** Removes the content durably. Missing keys are ignored. */
  remove(key: string): Promise<void>;
  /** @returns the bytes of the content, without reading it where possible; null when it is missing */
  size(key: string): Promise<number | null>;
  /** The keys of all contents in batches, and the paths of other files; missing where `npm run check` does not list them. */
  keys?(): AsyncIterable<string[]>;
  close?(): void;
}

/**
 * - MISSING: the storage has no content of this key
 * - BROKEN: the content has another length or hash than expected
 * - NO_SPACE: the disk or a quota is full
 * - DENIED: the server lacks a permission
 * - BUSY: too many transfers at once; the message is for users, too
 * - TEMPORARY: TMPDIR, where contents arrive, is full or not writable
 * - UNAVAILABLE: anything else, such as an unreachable server; a retry may succeed
 */
export type FileStorageFault = 'MISSING' | 'BROKEN' | 'NO_SPACE' | 'DENIED' | 'BUSY' | 'TEMPORARY' | 'UNAVAILABLE';

/** For users: without the names of folders and buckets. */
const SUMMARIES: Partial<Record<FileStorageFault, string>> = {
  NO_SPACE: 'The storage of files (FILES_URL) is full',
  DENIED: 'The server has no access to the storage of files (FILES_URL)',
  TEMPORARY: 'The server cannot store uploads: its TMPDIR must be writable and have room',
  UNAVAILABLE: 'The storage of files (FILES_URL) is unavailable',
};

/** A storage failed. The message names folder or bucket and the cause, without secrets: for logs, not for users. */
export class FileStorageError extends Error {
  constructor(
    readonly fault: FileStorageFault,
    message: string,
  ) {
    super(message);
  }

  /** Why the storage cannot be used, for users; null when the fault concerns one file or request. */
  get summary(): string | null {
    return SUMMARIES[this.fault] ?? null;
  }

  static missing(key: string): FileStorageError {
    return new FileStorageError('MISSING', `The content of file ${key} is missing`);
  }

  static broken(key: string, expected: number, actual: number): FileStorageError {
    return new FileStorageError('BROKEN', `File ${key} must have at least ${expected} bytes, but has ${actual}`);
  }
}

/** Contents cannot arrive, for the error of the file system. */
export function temporaryFailure(error: unknown): FileStorageError {
  return new FileStorageError('TEMPORARY', `Uploads cannot be written to TMPDIR: ${(error as Error).message}`);
}

const KEY = /^([0-9a-f]{2})\/(\1[0-9a-f]{62})-[0-9a-z-]{1,40}$/;

/** A separate key for each copy of a content: the removal of one copy does not affect another. */
export const newStorageKey = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256}-${randomUUID()}`;

/**
 * Prevents paths out of the storage.
 * @returns the SHA-256 in the key, in hexadecimal digits
 * @throws TypeError for an invalid key
 */
export function hashOfKey(key: string): string {
  const [, , hash] = KEY.exec(key) ?? [];
  if (hash === undefined) throw new TypeError('A storage key must be <two digits>/<SHA-256>-<suffix>');
  return hash;
}

export const isStorageKey = (name: string): boolean => KEY.test(name);

/** @throws RangeError unless it contains whole numbers and zero or more bytes */
export function bytesOfRange({ start, end }: { start: number; end: number }): number {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start - 1) {
    throw new RangeError(`A range must have start ≥ 0 and end ≥ start - 1, got ${start} to ${end}`);
  }
  return end - start + 1;
}
