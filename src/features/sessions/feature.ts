/** Sessions of the server's own pages: see docs/access/sessions.md. */
import type { Feature } from '../../feature.js';
import { isLoopbackHost } from '../../http/server/loopback.js';
import { throttledLog } from '../../limits/throttled-log.js';
import type { OpenRoute } from '../../route.js';
import { Periodic } from '../../scheduler/periodic.js';
import { IssuerClient, type IssuerOptions } from './issuer-client.js';
import { CALLBACK_PATH, issuerRoutes, SIGN_IN_PATH } from './issuer-routes.js';
import { PageSessions } from './page-sessions.js';
import { RecordedSessions } from './recorded-sessions.js';
import { SessionRecords } from './session-records.js';
import { sessionRoute } from './session-route.js';

const PATH = '/session';

/** The options of authentication that this feature uses. */
interface Options {
  auth?:
    | (Partial<Pick<IssuerOptions, 'issuer' | 'audience'>> & {
        oidc?: Omit<IssuerOptions, 'issuer' | 'audience'> | undefined;
      })
    | undefined;
}

export const sessions: Feature<Options> = {
  paths: [PATH, SIGN_IN_PATH, CALLBACK_PATH],
  check: (options) => {
    issuerOf(options);
    return {};
  },
  open: (connection, options) => ({
    serve: ({ sweepIntervalMs, publish, onError, log }) => {
      const pageSessions = new PageSessions({ records: new SessionRecords(connection), publish, onError });
      const { running } = pageSessions;
      const sweeps = new Periodic(() => running.sweep(), { intervalMs: sweepIntervalMs, onError });
      const issuer = issuerOf(options);
      const client = issuer && new IssuerClient(issuer, throttledLog(log));
      return {
        authenticator: (base) => (base.isDevelopment ? base : pageSessions.accepting(base)),
        routes: (services): Record<string, OpenRoute> => {
          if (!services.areUsersKnown) return {};
          const recorded = new RecordedSessions(pageSessions, services);
          return {
            [PATH]: sessionRoute(recorded, services),
            ...issuerRoutes({ ...services, sessions: recorded, client }),
          };
        },
        onNotice: (id) => running.wake(id),
        erased: () => running.sweep(),
        sweep: () => sweeps.run(),
        close: () => sweeps.close(),
      };
    },
  }),
};

/** @throws Error that names a missing option */
function issuerOf({ auth: { issuer = '', audience, oidc } = {} }: Options): IssuerOptions | null {
  if (oidc === undefined) return null;
  if (audience === undefined || !isSecure(issuer)) {
    throw new Error('auth.oidc requires auth.audience, and the https:// URL of the issuer as auth.issuer');
  }
  return { issuer, audience, ...oidc };
}

function isSecure(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false;
  const { protocol, host } = new URL(issuer);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(host));
}
