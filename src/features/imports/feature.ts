/** Imports of conversations: see docs/import.md. */
import type { Feature } from '../../feature.js';
import { Periodic } from '../../scheduler/periodic.js';
import { removeAbandonedFolders } from '../../system/locked-folders.js';
import { countingImports, importRoute } from './requests/import-route.js';

const CLEANING_INTERVAL_MS = 60 * 60_000;

export const importing: Feature = {
  paths: ['/import'],
  open: (connection) => ({
    serve: ({ store, limits, spool, registry, onError }) => {
      const counting = countingImports(registry);
      // The folders of processes that were killed.
      const cleaning = new Periodic(removeAbandonedFolders, { intervalMs: CLEANING_INTERVAL_MS, onError });
      void cleaning.run();
      return {
        routes: (services) => ({ '/import': importRoute({ ...services, store, connection, limits, spool }, counting) }),
        close: () => cleaning.close(),
      };
    },
  }),
};
