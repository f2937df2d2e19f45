/** The demo conversation of a new database. */
import type { Feature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import type { demoSettings } from './settings.js';
import { isDemoUnfinished, writeDemoInto } from './write-demo.js';

export const demo: Feature<ValuesOf<typeof demoSettings>> = {
  open: (_connection, { demo }) => ({
    serve: async ({ store, isNew }) => {
      if (demo && (isNew || (await isDemoUnfinished(store)))) await writeDemoInto(store);
      return {};
    },
  }),
};
