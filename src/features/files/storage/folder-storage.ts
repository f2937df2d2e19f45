/** Stores each file in a folder, as `<two digits>/<SHA-256>-<suffix>`. Several servers may use the same folder. */
import { randomBytes, randomUUID } from 'node:crypto';
import fs, { constants, createReadStream, createWriteStream } from 'node:fs';
import { access, link, open, readdir, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { writeFailure } from '../../../system/write-failure.js';
import { makeFolder } from '../../../system/make-folder.js';
import { ExactBytes } from './exact-bytes.js';
import {
  bytesOfRange,
  FileStorageError,
  hashOfKey,
  type FileStorage,
  type FileStorageFault,
} from '../../../files/file-storage.js';

/** The subfolder of files that arrive. */
const TEMPORARY = 'temporary';
const FILE_MODE = 0o600;
const COPY_CHUNK_BYTES = 1024 ** 2;
const TRIAL_BYTES = 64 * 1024;
/** Temporary files of this age belong to a process that has ended. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000;

// Descriptors: streams with their own reads accept no FileHandle.
const openFile = promisify(fs.open);
const statFile = promisify(fs.fstat);
const closeFile = promisify(fs.close);

const FAULTS: Partial<Record<string, FileStorageFault>> = {
  ENOSPC: 'NO_SPACE',
  EDQUOT: 'NO_SPACE',
  EFBIG: 'NO_SPACE',
  EACCES: 'DENIED',
  EPERM: 'DENIED',
  EROFS: 'DENIED',
};

/**
 * Creates the folder if it is missing, and deletes abandoned temporary files.
 * @param isReadOnly changes nothing; a missing folder has no contents
 * @throws FileStorageError when the folder is not writable
 */
export async function openFolderStorage(path: string, isReadOnly = false): Promise<FileStorage> {
  const folder = resolve(path);
  const temporaryFolder = join(folder, TEMPORARY);
  if (isReadOnly) return new FolderStorage(folder, temporaryFolder);
  await failsAs(folder, async () => {
    makeFolder(temporaryFolder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    await removeAbandoned(temporaryFolder);
  });
  return new FolderStorage(folder, temporaryFolder);
}

class FolderStorage implements FileStorage {
  readonly maxBytes = Number.MAX_SAFE_INTEGER;

  constructor(
    private readonly folder: string,
    readonly temporaryFolder: string,
  ) {}

  async put(key: string, path: string, size: number, signal?: AbortSignal): Promise<void> {
    const target = this.#pathOf(key);
    signal?.throwIfAborted();
    const isTemporary = dirname(resolve(path)) === this.temporaryFolder;
    // Windows requires the right to write for a sync.
    const source = await open(path, isTemporary ? 'r+' : 'r');
    try {
      const { size: actual } = await source.stat();
      if (actual !== size) throw FileStorageError.broken(key, size, actual);
      await failsAs(this.folder, async () => {
        makeFolder(dirname(target));
        if (!isTemporary || !(await isLinked(source, path, target)))
          await this.#copy(source, { key, size, target, signal });
        await syncFolder(dirname(target));
        // Another process may have created the subfolder without a sync yet.
        await syncFolder(this.folder);
      });
    } finally {
      await source.close();
    }
  }

  arrivalFailure(error: unknown): Error {
    return storageError(error, this.folder);
  }

  async tryPut(): Promise<void> {
    const path = join(this.temporaryFolder, randomUUID());
    await failsAs(this.folder, async () => {
      try {
        // Random: a file system may compress the content.
        await writeFile(path, randomBytes(TRIAL_BYTES), { mode: FILE_MODE, flush: true });
      } finally {
        await rm(path, { force: true });
      }
    });
  }

  async #copy(
    source: FileHandle,
    { key, size, target, signal }: { key: string; size: number; target: string; signal: AbortSignal | undefined },
  ): Promise<void> {
    const temporary = join(this.temporaryFolder, randomUUID());
    try {
      const options = { start: 0, end: Math.max(size - 1, 0), highWaterMark: COPY_CHUNK_BYTES, autoClose: false };
      await pipeline(
        source.createReadStream(options),
        new ExactBytes(size, (bytes) => FileStorageError.broken(key, size, bytes)),
        createWriteStream(temporary, { flags: 'wx', mode: FILE_MODE, flush: true, highWaterMark: COPY_CHUNK_BYTES }),
        { ...(signal && { signal }) },
      );
      signal?.throwIfAborted();
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      signal?.throwIfAborted();
      throw error;
    }
  }

  async read(key: string, range: { start: number; end: number }): Promise<Readable> {
    const path = this.#pathOf(key);
    const bytes = bytesOfRange(range);
    const file = await failsAs(this.folder, () => openStored(path, key));
    try {
      const { size } = await statFile(file);
      if (size <= range.end) throw FileStorageError.broken(key, range.end + 1, size);
      if (bytes > 0) return createReadStream(path, { fd: file, ...range, fs: this.#exactReads(key, range.end + 1) });
    } catch (error) {
      await closeFile(file);
      throw error;
    }
    await closeFile(file);
    return Readable.from([]);
  }

  /** Another program may shorten a file while it is read. Node's stream reads only within the range, and ends there. */
  #exactReads(key: string, expected: number) {
    return {
      close: fs.close,
      read: (
        file: number,
        buffer: Buffer,
        offset: number,
        length: number,
        position: number,
        done: (error: Error | null, bytes: number, buffer: Buffer) => void,
      ) => {
        fs.read(file, buffer, offset, length, position, (error, bytes) => {
          if (error !== null) done(storageError(error, this.folder), bytes, buffer);
          else done(bytes === 0 ? FileStorageError.broken(key, expected, position) : null, bytes, buffer);
        });
      },
    };
  }

  async remove(key: string): Promise<void> {
    const path = this.#pathOf(key);
    await failsAs(this.folder, async () => {
      await rm(path, { force: true });
      // Even for a missing file: the process that removed it may have ended before its sync.
      await syncFolder(dirname(path)).catch(ignoreMissing);
    });
  }

  async size(key: string): Promise<number | null> {
    const path = this.#pathOf(key);
    return failsAs(this.folder, async () => (await stat(path).catch(ignoreMissing))?.size ?? null);
  }

  async *keys(): AsyncGenerator<string[]> {
    const namesIn = (path: string) =>
      failsAs(this.folder, async () => (await readdir(path, { withFileTypes: true }).catch(ignoreMissing)) ?? []);
    for (const entry of await namesIn(this.folder)) {
      if (entry.name === TEMPORARY) continue;
      if (!entry.isDirectory()) yield [entry.name];
      else yield (await namesIn(join(this.folder, entry.name))).map(({ name }) => `${entry.name}/${name}`);
    }
  }

  #pathOf(key: string): string {
    hashOfKey(key);
    return join(this.folder, key);
  }
}

async function openStored(path: string, key: string): Promise<number> {
  return openFile(path, 'r').catch((error: unknown) => {
    ignoreMissing(error);
    throw FileStorageError.missing(key);
  });
}

/** @returns false where a link is impossible, such as on file systems without links */
async function isLinked(source: FileHandle, path: string, target: string): Promise<boolean> {
  await source.chmod(FILE_MODE);
  await source.sync();
  return link(path, target).then(
    () => true,
    () => false,
  );
}

/** Makes created and removed names in a folder survive a crash of the system. Windows needs no sync and allows none. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const age = await stat(path).then(({ mtimeMs }) => Date.now() - mtimeMs, ignoreMissing);
    if (age !== undefined && age > ABANDONED_AFTER_MS) await rm(path, { force: true });
  }
}

/** @throws the error itself unless it is about a missing file */
function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/** @throws FileStorageError for errors of the file system */
async function failsAs<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError(error, folder);
  }
}

/** @returns the error itself unless it is of the file system */
function storageError(error: unknown, folder: string): Error {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error as Error;
  const { message } = writeFailure(error, `The folder ${folder} of files`) as Error;
  return new FileStorageError(FAULTS[code] ?? 'UNAVAILABLE', message);
}
