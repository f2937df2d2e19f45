/** GraphQL over HTTP and over WebSocket, with the same admission, limits and subscriptions. */
import { Admission } from '../http/server/admission.js';
import { documentOfText } from '../http/documents/requested-document.js';
import { Origins } from '../http/server/origins.js';
import { createWebSockets } from '../http/websocket/websocket-server.js';
import { createGraphQLHandler } from '../http/yoga.js';
import { Usage } from '../limits/usage.js';
import type { Admit, ServingFeature } from '../feature.js';
import type { FeatureContext } from '../graphql/context.js';
import type { Auditor } from '../audit.js';
import type { Observer } from '../observer.js';
import type { LiveDatabase } from './live-database.js';
import { schema } from './schema.js';
import type { Settings } from './settings.js';

export type Transports = ReturnType<typeof createTransports>;

export function createTransports(
  settings: Settings,
  { database, feeds, chatList, features, isPublic }: LiveDatabase,
  { observer, auditor }: { observer: Observer; auditor: Auditor | null },
) {
  const { limits, isDevelopment, logError, log } = settings;
  const authenticator = features.reduce((base, each) => each.authenticator?.(base) ?? base, settings.authenticator);
  const { store, reads, within } = database;
  const usage = new Usage(limits, { areUsersKnown: !isDevelopment });
  const admission = new Admission({ authenticator, rates: usage.rates, logError });
  const admit: Admit = (credentials, request) =>
    admission.admit(credentials, request === undefined ? null : settings.addressOf(request));
  /** Shared with the routes that are not GraphQL. */
  const shared = {
    documentOf: features.map((each) => each.documentOf).find((find) => find !== undefined) ?? documentOfText,
    admission,
    admit,
    observer,
    auditor,
    addressOf: settings.addressOf,
    usage,
    origins: new Origins(settings.allowedOrigins, log),
    bufferBytes: settings.socketBufferBytes,
  };
  const live = { log: database.log, feeds, chatList };
  const services = { store, reads, live, ...contextOf(features) };
  const { yoga, subscriptions } = createGraphQLHandler({
    ...shared,
    isPublic,
    firstPlugins: features.flatMap((each) => each.firstPlugins?.({ admit, areUsersKnown: !isDevelopment }) ?? []),
    plugins: features.flatMap(({ plugins = [] }) => plugins),
    schema,
    services,
    within,
    logError,
  });
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
export function contextOf(features: readonly ServingFeature[]): FeatureContext {
  return Object.assign({}, ...features.map(({ context }) => context)) as FeatureContext;
}
