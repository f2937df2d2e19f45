/** The files of a server: their records and storage, the uploads that arrive, and the removal of unused ones. */
import { IN_MEMORY, parseDatabaseUrl } from '../database/opening/database-url.js';
import { Files } from '../files/files.js';
import { PartialUploads } from '../files/partial-uploads.js';
import type { FileStorage } from '../files/storage/file-storage.js';
import { openFileStorage } from '../files/storage/open-storage.js';
import { createLockedFolder } from '../interchange/locked-folders.js';
import type { OpenDatabase } from '../database/opening/open.js';
import type { Spool } from '../limits/spool.js';
import { Periodic } from '../scheduler/periodic.js';
import type { TemporaryFolder } from '@parley/interchange/server';
import type { Settings } from './settings.js';

const SWEEP_INTERVAL_MS = 60_000;

export interface ServerFiles {
  files: Files;
  uploads: PartialUploads;
  /** Removes what nothing uses any longer. Runs at intervals, too. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** @throws Error when FILES_URL cannot be used */
export async function openFiles(settings: Settings, database: OpenDatabase, spool: Spool): Promise<ServerFiles> {
  const { limits, unusedFileExpiryMs, reportSweepError: onError } = settings;
  const { records, contents } = database.files({ unusedForMs: unusedFileExpiryMs });
  let folder: TemporaryFolder | undefined;
  const temporaryFolder = () => (folder ??= createLockedFolder()).path;
  const open = (): Promise<FileStorage> => {
    const url = settings.filesUrl ?? defaultUrl(settings.databaseUrl, temporaryFolder);
    return url === 'database' ? Promise.resolve(contents) : openFileStorage(url);
  };
  let opened: Promise<FileStorage> | undefined;
  // At first use: most servers have no files, and their folder is not created. A failure is tried again.
  const storage = () =>
    (opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
  if (settings.filesUrl !== undefined) await storage();
  const arrivals = async () => (await storage()).temporaryFolder ?? temporaryFolder();
  const files = new Files({ records, storage, limits, temporaryFolder: arrivals });
  const uploads = new PartialUploads(arrivals, spool);
  const sweeps = new Periodic(
    async () => {
      await uploads.sweep();
      await files.sweep();
    },
    { intervalMs: Math.min(SWEEP_INTERVAL_MS, unusedFileExpiryMs), onError },
  );
  return {
    files,
    uploads,
    sweep: () => sweeps.run(),
    close: async () => {
      await sweeps.close();
      await uploads.close();
      (await opened)?.close?.();
      folder?.remove();
    },
  };
}

/** Beside the file of SQLite, so that a backup of the folder has both. */
function defaultUrl(databaseUrl: string, temporaryFolder: () => string): string {
  if (databaseUrl === IN_MEMORY) return `file:${temporaryFolder()}`;
  const parsed = parseDatabaseUrl(databaseUrl);
  return parsed.provider === 'sqlite' ? `file:${parsed.path}.files` : 'database';
}
