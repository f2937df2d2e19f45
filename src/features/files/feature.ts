/** Files of messages: see docs/files.md. */
import type { Feature } from '../../feature.js';
import { FileStorageError } from '../../files/file-storage.js';
import type { FileLimits } from '../../files/files.js';
import { Periodic } from '../../scheduler/periodic.js';
import type { ValuesOf } from '../../settings/setting.js';
import { fileChanges } from './file-changes.js';
import './graphql.js';
import { openFiles } from './open-files.js';
import { PartialUploads } from './partial-uploads.js';
import { fileRoutes } from './routes/file-routes.js';
import { UrlSigner } from './routes/signed-urls.js';
import { NO_SHARED_SECRET, type fileSettings } from './settings.js';

const SWEEP_INTERVAL_MS = 60_000;

/** Logged in production mode, where the settings do not show whether there are other servers. */
const RANDOM_SECRET =
  'FILES_SECRET is not set: signed URLs of files end with this process, and other servers of the database refuse them';

type Options = ValuesOf<typeof fileSettings> & { limits?: FileLimits };

export const files: Feature<Options> = {
  paths: ['/files', '/files/*'],
  check: ({ filesSecret, redisUrl, auth, log }) => {
    if (filesSecret === undefined) {
      if (redisUrl !== undefined) throw new Error(`FILES_SECRET ${NO_SHARED_SECRET}`);
      if (auth !== undefined) log(RANDOM_SECRET);
    }
    return {};
  },
  forProcesses: ({ filesUrl, unusedFileExpiryMs, limits }) => ({
    filesUrl,
    unusedFileExpiryMs,
    ...(limits && { limits }),
  }),
  open: (connection, { filesUrl, filesSecret, unusedFileExpiryMs, limits: given }) => ({
    ...fileChanges(connection, given?.maxUserFileBytes),
    serve: async ({ databaseUrl, limits, spool, log, onError }) => {
      const settings = { databaseUrl, filesUrl, unusedFileExpiryMs, limits, log };
      const { files, health, arrivals, close } = await openFiles(settings, connection);
      const uploads = new PartialUploads(arrivals, spool);
      const report = (error: unknown) => {
        if (!(error instanceof FileStorageError) || error.summary === null) return false;
        health.report(error);
        return true;
      };
      const sweeps = new Periodic(
        async () => {
          await uploads.sweep();
          await files.sweep();
        },
        {
          intervalMs: Math.min(SWEEP_INTERVAL_MS, unusedFileExpiryMs),
          onError: (error) => void (report(error) || onError(error)),
        },
      );
      const signer = new UrlSigner(filesSecret);
      return {
        context: { files, fileSigner: signer },
        routes: () => fileRoutes({ files, uploads, limits, signer }),
        problem: () => health.problem,
        report,
        erased: (userId) => uploads.removeOf(userId),
        close: async () => {
          await sweeps.close();
          await uploads.close();
          await close();
        },
      };
    },
  }),
};
