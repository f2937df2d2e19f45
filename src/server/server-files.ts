/** The files of a server: the uploads that arrive, and the removal of unused files. */
import type { OpenDatabase } from '../database/opening/open.js';
import { openFiles, type OpenedFiles } from '../database/opening/open-files.js';
import { PartialUploads } from '../files/partial-uploads.js';
import { FileStorageError } from '../files/storage/file-storage.js';
import type { Spool } from '../limits/spool.js';
import { Periodic } from '../scheduler/periodic.js';
import type { Settings } from './settings.js';

const SWEEP_INTERVAL_MS = 60_000;

export interface ServerFiles extends Pick<OpenedFiles, 'files' | 'health' | 'close'> {
  uploads: PartialUploads;
  /** Logs an error of a request or a sweep: a failing storage once, and not for each of them. */
  onError(error: unknown): void;
}

/** @throws Error when FILES_URL cannot be used */
export async function openServerFiles(settings: Settings, database: OpenDatabase, spool: Spool): Promise<ServerFiles> {
  const { unusedFileExpiryMs, reportSweepError } = settings;
  const { files, health, arrivals, close } = await openFiles(settings, database);
  const onError = (error: unknown) => {
    if (error instanceof FileStorageError && error.summary !== null) health.report(error);
    else reportSweepError(error);
  };
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
    health,
    uploads,
    onError,
    close: async () => {
      await sweeps.close();
      await uploads.close();
      await close();
    },
  };
}
