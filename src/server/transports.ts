/** GraphQL over HTTP and over WebSocket, with the same admission, limits and subscriptions. */
import { Admission } from '../http/server/admission.js';
import { Origins } from '../http/server/origins.js';
import { createWebSockets } from '../http/websocket/websocket-server.js';
import { createGraphQLHandler } from '../http/yoga.js';
import { Usage } from '../limits/usage.js';
import type { ServingFeature } from '../feature.js';
import type { FeatureContext } from '../graphql/context.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { ServerFiles } from './server-files.js';
import type { LiveDatabase } from './live-database.js';
import { schema } from './schema.js';
import type { Settings } from './settings.js';

export type Transports = ReturnType<typeof createTransports>;

export function createTransports(
  settings: Settings,
  { database, feeds, chatList, drafts, accessTokens, features }: LiveDatabase,
  { observer, auditLog }: Pick<Telemetry, 'observer'> & { auditLog: AuditLog | null },
  { files }: Pick<ServerFiles, 'files'>,
) {
  const { limits, isDevelopment, logError, log } = settings;
  const authenticator = accessTokens.accepting(settings.authenticator);
  const { store, reads, within } = database;
  const usage = new Usage(limits, { areUsersKnown: !isDevelopment });
  /** Shared with the routes that are not GraphQL. */
  const shared = {
    trustedDocuments: settings.trustedDocuments,
    admission: new Admission({ authenticator, rates: usage.rates, logError }),
    observer,
    auditLog,
    addressOf: settings.addressOf,
    usage,
    origins: new Origins(settings.allowedOrigins, log),
    bufferBytes: settings.socketBufferBytes,
  };
  const live = { log: database.log, feeds, chatList, drafts };
  const services = { store, reads, live, files, accessTokens, shares: database.shares, ...contextOf(features) };
  const { yoga, subscriptions } = createGraphQLHandler({ ...shared, schema, services, within, logError });
  const webSockets = createWebSockets({
    ...shared,
    yoga,
    subscriptions,
    idleTimeoutMs: settings.socketIdleTimeoutMs,
    onError: settings.reportError,
  });
  return { shared, yoga, subscriptions, webSockets };
}

/** The members of the context that features provide. */
function contextOf(features: readonly ServingFeature[]): FeatureContext {
  return Object.assign({}, ...features.map(({ context }) => context)) as FeatureContext;
}
