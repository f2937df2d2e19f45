/** Keeps the lists of users complete in the distributed form: see docs/scale.md. */
import type { Feature } from '../../feature.js';
import { Periodic } from '../../scheduler/periodic.js';

/** Interval of the search for changes that lists of users lack. */
const SWEEP_INTERVAL_MS = 60_000;

export const distribution: Feature = {
  open: ({ sql, scope }) => {
    const lists = scope.form?.lists;
    if (lists === undefined) return {};
    return {
      serve: ({ onError }) => {
        const closing = new AbortController();
        const sweep = () => lists.sweep(sql, closing.signal);
        const sweeps = new Periodic(sweep, { intervalMs: SWEEP_INTERVAL_MS, onError });
        return {
          close: () => {
            closing.abort();
            return sweeps.close();
          },
        };
      },
    };
  },
};
