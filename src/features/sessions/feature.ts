/** Sessions of the server's own pages: see docs/access/sessions.md. */
import type { Feature } from '../../feature.js';
import type { OpenRoute } from '../../route.js';
import { Periodic } from '../../scheduler/periodic.js';
import { PageSessions } from './page-sessions.js';
import { RecordedSessions } from './recorded-sessions.js';
import { SessionRecords } from './session-records.js';
import { sessionRoute } from './session-route.js';

const PATH = '/session';

export const sessions: Feature = {
  paths: [PATH],
  open: (connection) => ({
    serve: ({ sweepIntervalMs, publish, onError }) => {
      const pageSessions = new PageSessions({ records: new SessionRecords(connection), publish, onError });
      const { running } = pageSessions;
      const sweeps = new Periodic(() => running.sweep(), { intervalMs: sweepIntervalMs, onError });
      return {
        authenticator: (base) => (base.isDevelopment ? base : pageSessions.accepting(base)),
        routes: (services): Record<string, OpenRoute> =>
          services.areUsersKnown
            ? { [PATH]: sessionRoute(new RecordedSessions(pageSessions, services), services) }
            : {},
        onNotice: (id) => running.wake(id),
        erased: () => running.sweep(),
        sweep: () => sweeps.run(),
        close: () => sweeps.close(),
      };
    },
  }),
};
