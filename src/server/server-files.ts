/** The files of a server: the uploads that arrive, and the removal of unused files. */
import type { OpenDatabase } from '../database/opening/open.js';
import type { Files } from '../files/files.js';
import { openFiles } from '../files/open-files.js';
import { PartialUploads } from '../files/partial-uploads.js';
import type { Spool } from '../limits/spool.js';
import { Periodic } from '../scheduler/periodic.js';
import type { Settings } from './settings.js';

const SWEEP_INTERVAL_MS = 60_000;

export interface ServerFiles {
  files: Files;
  uploads: PartialUploads;
  close(): Promise<void>;
}

/** @throws Error when FILES_URL cannot be used */
export async function openServerFiles(settings: Settings, database: OpenDatabase, spool: Spool): Promise<ServerFiles> {
  const { unusedFileExpiryMs, reportSweepError: onError } = settings;
  const { files, arrivals, close } = await openFiles(settings, database);
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
    close: async () => {
      await sweeps.close();
      await uploads.close();
      await close();
    },
  };
}
