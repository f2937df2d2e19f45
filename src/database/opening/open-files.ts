/** Opens the files of a database: for a server, and for processes that import and export next to it. */
import type { OpenDatabase } from './open.js';
import { defaultFilesUrl } from '../files/open-contents.js';
import { IN_MEMORY } from '../connection/database-url.js';
import { createLockedFolder } from '../../system/locked-folders.js';
import type { TemporaryFolder } from '@parley/interchange/server';
import { Files, type FileSettings } from '../../files/files.js';
import type { FileStorage } from '../../files/storage/file-storage.js';
import { openFileStorage } from '../../files/storage/open-storage.js';
import { StorageHealth } from '../../files/storage-health.js';
import { withTimeLimits } from '../../files/storage/time-limits.js';

export interface OpenedFiles {
  files: Files;
  health: StorageHealth;
  /** The folder for contents that arrive. */
  arrivals(): Promise<string>;
  close(): Promise<void>;
}

/**
 * @param createFolder creates the folder for temporary files where the storage has none
 * @throws Error when FILES_URL cannot be used
 */
export async function openFiles(
  { databaseUrl, filesUrl, limits, unusedFileExpiryMs, log = () => {} }: FileSettings & { databaseUrl: string },
  database: Pick<OpenDatabase, 'files'>,
  createFolder: () => TemporaryFolder = createLockedFolder,
): Promise<OpenedFiles> {
  const { records, contents } = database.files({ unusedForMs: unusedFileExpiryMs });
  const health = new StorageHealth(log);
  let folder: TemporaryFolder | undefined;
  const temporaryFolder = () => (folder ??= createFolder()).path;
  const open = async (): Promise<FileStorage> => {
    const url = filesUrl ?? (databaseUrl === IN_MEMORY ? `file:${temporaryFolder()}` : defaultFilesUrl(databaseUrl));
    // The database has separate time limits.
    return url === 'database' ? contents : health.watch(withTimeLimits(await openFileStorage(url)));
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
    files: new Files({ records, storage, limits, temporaryFolder: arrivals }),
    health,
    arrivals,
    close: async () => {
      (await opened)?.close?.();
      folder?.remove();
    },
  };
}
