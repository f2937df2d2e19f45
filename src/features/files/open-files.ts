/** Opens the files of a database: for a server, and for processes that import and export next to it. */
import type { Connection } from '../../database/connection/connection.js';
import { DatabaseFileRecords } from './records/database-file-records.js';
import { createDatabaseStorage } from './records/database-storage.js';
import { IN_MEMORY, parseDatabaseUrl } from '../../database/connection/database-url.js';
import { createLockedFolder } from '../../system/locked-folders.js';
import type { TemporaryFolder } from '@parley/interchange/server';
import type { ContentsOptions, FileService } from '../../file-service.js';
import type { FileSettings } from '../../files/files.js';
import { MessageFiles } from './message-files.js';
import { type FileStorage, FileStorageError } from '../../files/file-storage.js';
import { StorageHealth } from './storage-health.js';
import { withTimeLimits } from './storage/time-limits.js';
import { openFolderStorage } from './storage/folder-storage.js';
import { openS3Storage } from './storage/s3-storage.js';
import { parseS3Url } from './storage/s3-url.js';

/** A folder next to the file of SQLite, so that a backup of its folder has both; the database itself on servers. */
export function defaultFilesUrl(databaseUrl: string): string {
  const parsed = parseDatabaseUrl(databaseUrl);
  return parsed.provider === 'sqlite' ? `file:${parsed.path}.files` : 'database';
}

/** @throws Error with the reason when FILES_URL cannot be used */
export async function openContents({
  databaseUrl,
  filesUrl,
  connection,
  isReadOnly,
}: ContentsOptions): Promise<FileStorage> {
  const url = filesUrl ?? defaultFilesUrl(databaseUrl);
  return url === 'database' ? createDatabaseStorage(connection) : openFileStorage(url, isReadOnly);
}

/**
 * @param createFolder creates the folder for temporary files where the storage has none
 * @throws Error when FILES_URL cannot be used
 */
export async function openFiles(
  { databaseUrl, filesUrl, limits, unusedFileExpiryMs, log = () => {} }: FileSettings,
  connection: Connection,
  createFolder: () => TemporaryFolder = createLockedFolder,
) {
  const records = new DatabaseFileRecords(connection, { unusedForMs: unusedFileExpiryMs });
  const health = new StorageHealth(log);
  let folder: TemporaryFolder | undefined;
  const temporaryFolder = () => (folder ??= createFolder()).path;
  const open = async (): Promise<FileStorage> => {
    const url = filesUrl ?? (databaseUrl === IN_MEMORY ? `file:${temporaryFolder()}` : defaultFilesUrl(databaseUrl));
    // The database has separate time limits.
    const contents = await openContents({ databaseUrl, filesUrl: url, connection });
    return url === 'database' ? contents : health.watch(withTimeLimits(contents));
  };
  let opened: Promise<FileStorage> | undefined;
  // At first use: most servers have no files, and their folder is not created. A failure is tried again.
  const openOnce = () =>
    (opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
  const storage = () => health.noting(openOnce);
  // Not noted: the caller gets the error.
  if (filesUrl !== undefined) await openOnce();
  const arrivals = async () => (await storage()).temporaryFolder ?? temporaryFolder();
  return {
    files: new MessageFiles({ health, records, storage, limits, temporaryFolder: arrivals }),
    health,
    /** The folder for contents that arrive. */
    arrivals,
    close: async () => {
      (await opened)?.close?.();
      folder?.remove();
    },
  };
}

export const fileService: FileService = {
  open: openFiles,
  defaultUrl: defaultFilesUrl,
  contents: openContents,
  storage: openFileStorage,
  records: (connection) => new DatabaseFileRecords(connection),
};

/**
 * Opens a storage outside the database.
 * @param url `file:` and a folder relative to the working directory, or `s3://bucket/prefix?region=…&endpoint=…`
 * @param isReadOnly creates no folder, and deletes nothing in it
 * @throws Error with the reason, without secrets, when the URL is invalid or the folder not writable
 */
export async function openFileStorage(url: string, isReadOnly = false): Promise<FileStorage> {
  if (url.startsWith('s3:')) return openS3Storage(locationOf(url));
  const [, folder] = /^file:(?!\/\/)\s*([^?#\s][^?#]*)$/.exec(url) ?? [];
  if (folder !== undefined) {
    return openFolderStorage(folder, isReadOnly).catch((error: unknown) => {
      throw error instanceof FileStorageError
        ? new FileStorageError(error.fault, `FILES_URL: ${error.message}`)
        : error;
    });
  }
  throw new Error(
    'FILES_URL must be file: and a folder, such as file:./data/files, or database, or s3://bucket/prefix?region=…',
  );
}

function locationOf(url: string) {
  try {
    return parseS3Url(url);
  } catch (error) {
    throw new Error(`FILES_URL ${(error as Error).message}`, { cause: error });
  }
}
