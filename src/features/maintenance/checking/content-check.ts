/** Compares the contents of a storage with their rows, in both directions, while servers keep writing. */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { FileStorageError, hashOfKey, isStorageKey, type FileStorage } from '../../../files/file-storage.js';
import type { FileRecords, StoredFile } from '../../../conversation/files/file-records.js';
import type { CheckReport } from './check-report.js';

const ROWS_PER_STEP = 500;
const SIZES_AT_ONCE = 16;

const MISSING = 'its content is missing in the storage';
const OTHER_HASH = 'its content does not match its hash';
const OTHER_SIZE = 'its content has another size than its row';

/** @throws FileStorageError when the storage fails */
export async function checkContents(from: FileRecords, storage: FileStorage, report: CheckReport): Promise<void> {
  await checkFileRows(from, (key) => storage.size(key), report);
  for await (const keys of storage.keys?.() ?? []) {
    for (let start = 0; start < keys.length; start += ROWS_PER_STEP) {
      const some = keys.slice(start, start + ROWS_PER_STEP);
      for (const key of await unknownKeys(from, storage, some)) {
        report.add({ table: 'files', row: { storageKey: key }, problem: 'a content in the storage has no row' });
      }
    }
  }
}

/**
 * @param expected the size in its row
 * @returns the size of a content; null when it is missing; another problem in words
 */
export type ReadSize = (key: string, expected: number) => Promise<number | null | string>;

/** Compares the size in each row of `files` with that of its content. */
export async function checkFileRows(from: FileRecords, readSize: ReadSize, report: CheckReport): Promise<void> {
  for await (const files of from.inSteps()) {
    const damaged = await differing(readSize, files);
    // A sweep may have removed the file meanwhile.
    const found = damaged.length === 0 ? [] : await differing(readSize, await again(from, damaged));
    for (const { id, size, actual } of found) {
      const problem = typeof actual === 'string' ? actual : actual === null ? MISSING : OTHER_SIZE;
      report.add({ table: 'files', row: { id, size, ...(typeof actual === 'number' && { actual }) }, problem });
    }
  }
}

/** Reads contents to their end, and compares them with the hashes in their keys. */
export function verifiedSize(storage: FileStorage): ReadSize {
  return async (key) => {
    const bytes = await storage.size(key);
    if (bytes === null) return null;
    const hash = createHash('sha256');
    try {
      await pipeline(await storage.read(key, { start: 0, end: bytes - 1 }), hash);
    } catch (error) {
      // A server has removed it meanwhile.
      if (error instanceof FileStorageError && error.fault === 'MISSING') return null;
      throw error;
    }
    return hash.digest('hex') === hashOfKey(key) ? bytes : OTHER_HASH;
  };
}

/** Those that still have the same content. */
async function again(from: FileRecords, files: readonly StoredFile[]): Promise<StoredFile[]> {
  const keys = new Set(files.map(({ storageKey }) => storageKey));
  const rows = await from.stored(files.map(({ id }) => id));
  return rows.filter(({ storageKey }) => keys.has(storageKey));
}

async function differing(readSize: ReadSize, files: readonly StoredFile[]) {
  const found: (StoredFile & { actual: number | null | string })[] = [];
  for (let start = 0; start < files.length; start += SIZES_AT_ONCE) {
    const some = files.slice(start, start + SIZES_AT_ONCE);
    // A damaged row may have a key that no storage accepts: checks of the table report it.
    const sizes = await Promise.all(
      some.map(async ({ storageKey, size }) => (isStorageKey(storageKey) ? readSize(storageKey, size) : null)),
    );
    some.forEach((file, n) => {
      const actual = sizes[n] ?? null;
      if (actual !== file.size) found.push({ ...file, actual });
    });
  }
  return found;
}

/** The keys of contents that neither `files` nor `file_removals` has, and that still exist. */
async function unknownKeys(from: FileRecords, storage: FileStorage, names: readonly string[]): Promise<string[]> {
  const keys = names.filter(isStorageKey);
  // Rows move from file_removals to files and back.
  const unknown = await from.unknownKeys(await from.unknownKeys(keys));
  const existing: string[] = [];
  // A content may have been removed after it was listed.
  for (const key of unknown) if ((await storage.size(key)) !== null) existing.push(key);
  return [...names.filter((name) => !isStorageKey(name)), ...existing];
}
