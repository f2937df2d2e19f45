import type { ContextStore } from '@parley/context';
import { LOCAL_ADMIN } from '../../conversation/access/ownership.js';
import { openDatabase } from '../../database/opening/open.js';
import type { OpenFeature } from '../../feature.js';
import { fileService, guardsOf } from '../all-guards.js';
import { DEFAULT_LIMITS } from '../../limits/limits.js';
import { Periodic } from '../../scheduler/periodic.js';
import { settings } from '../../server-settings.js';
import { InProcessStore } from './in-process-store.js';
import { checkStoreOptions, type OpenContextStoreOptions } from './store-options.js';

/** How often files without messages are removed, in milliseconds. */
const FILE_SWEEP_INTERVAL_MS = 60_000;

/**
 * Opens a database for ContextEngines in this process, without a server. close() releases it; a second call does nothing more.
 *
 * Servers on the same database find saved messages by their sweeps, within seconds; use contextStore() of a
 * server in this process, which notifies its subscribers at once.
 * @throws ContextError that names a wrong option; Error with the reason and the database, without its password, when it
 *   cannot be opened
 */
export async function openContextStore(options: OpenContextStoreOptions): Promise<ContextStore> {
  const { databaseUrl, filesUrl, migrate = false, viewer = LOCAL_ADMIN } = checkStoreOptions(options);
  let features: OpenFeature[] = [];
  const database = await openDatabase({
    url: databaseUrl,
    migrate,
    hooksOf: (connection) => (features = guardsOf(connection)),
  });
  const { store, reads } = database;
  const opened = await fileService
    .open(
      { databaseUrl, filesUrl, limits: DEFAULT_LIMITS, unusedFileExpiryMs: settings.unusedFileExpiryMs.byDefault },
      database.connection,
    )
    .catch(async (error: unknown) => {
      await store.close();
      throw error;
    });
  const { files } = opened;
  // The next sweep tries again.
  const sweeps = new Periodic(() => files.sweep(), { intervalMs: FILE_SWEEP_INTERVAL_MS, onError: () => {} });
  let closing: Promise<void> | undefined;
  const end = async () => {
    await sweeps.close();
    await opened.close();
    await store.close();
  };
  const close = () => (closing ??= end());
  return new InProcessStore({ store, reads, files, features, viewer, close, isClosed: () => closing !== undefined });
}
