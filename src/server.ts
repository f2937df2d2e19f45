/** A server from its configuration: all parts built and wired here, and nowhere else. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ContextStore } from '@parley/context';
import { developmentMode } from './auth/development.js';
import type { AuthOptions } from './auth/options.js';
import type { Authenticator } from './auth/session.js';
import { DatabaseUnavailableError } from './conversation/errors.js';
import type { Viewer } from './conversation/model.js';
import { LOCAL_ADMIN } from './conversation/ownership.js';
import { IN_MEMORY, parseDatabaseUrl } from './database/opening/database-url.js';
import { postgresqlSettings } from './database/opening/connections/postgresql.js';
import { openDatabase } from './database/opening/open.js';
import { offerDemo } from './demo/offer-demo.js';
import { memoryBus, type Bus, type BusListener, type DraftWake, type Wake } from './events/bus.js';
import { channelOf, createPostgresqlBus } from './events/buses/postgresql-bus.js';
import { ChatList } from './events/chat-list.js';
import { DraftFeeds, wakeOfDraft } from './events/drafts/draft-feeds.js';
import { DraftKeeper } from './events/drafts/draft-keeper.js';
import { Feeds } from './events/feeds.js';
import { Admission } from './http/door/admission.js';
import { createAddressReader, createConnectionAddressReader } from './http/door/client-address.js';
import { createExplorer } from './http/page/explorer.js';
import { createHealth } from './http/door/health.js';
import { createHttpServer } from './http/door/http-server.js';
import { listen } from './http/door/listen.js';
import { loopbackAddress, refusal } from './http/door/loopback.js';
import { Origins } from './http/door/origins.js';
import { DEFAULT_LIMITS, DEVELOPMENT_LIMITS, HEAP_BYTES, SHARE_OF_A_USER } from './limits/limits.js';
import { unreadBytes } from './limits/memory.js';
import { Usage } from './limits/usage.js';
import { Imports } from './http/transfer/imports.js';
import { createTransferDoors } from './http/transfer/transfer-doors.js';
import { createMetricsPage, createMetricsServer, NO_SUCH_PAGE, refusalToOthers } from './http/door/metrics.js';
import { checkTrustedDocuments, NO_TRUSTED_DOCUMENTS } from './http/documents/trusted-documents.js';
import { createWebSockets } from './http/websocket/websocket-server.js';
import { createGraphQLHandler } from './http/yoga.js';
import { InProcessStore } from './in-process/in-process-store.js';
import type { ServerOptions } from './server-options.js';
import { createTelemetry } from './telemetry/telemetry.js';

export type { ServerOptions };

const GRAPHQL_PATH = '/graphql';

/** How long a connection may stand still after the longest operation, in milliseconds. */
const STALL_MS = 60_000;

/** How often it is looked for drafts that nobody writes any more, in milliseconds. */
const DRAFT_LOOK_MS = 60_000;

/** How long after its operation a statement is given up, in milliseconds: the operation has the better answer. */
const STATEMENT_GRACE_MS = 500;

export interface ParleyServer {
  /**
   * Listens.
   * @returns where GraphQL is served, such as http://127.0.0.1:4000/graphql
   * @throws Error when the address cannot be used
   */
  start(): Promise<string>;
  /**
   * Stops listening, finishes what runs, ends the connections, and closes the database. Who follows something is told to
   * come back.
   */
  stop(): Promise<void>;
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>;
  /**
   * The server's conversations for a ContextEngine in the same process. It is the server's own database, so there is nothing
   * to close; whoever follows a chat hears of what is saved.
   * @param viewer who asks: whoever is in the process is believed. The admin `local` by default
   */
  contextStore(viewer?: Viewer): ContextStore;
}

/**
 * Opens the database, bringing it up to date, and builds the server on it.
 * @throws Error when the host is not a loopback address, or the database cannot be opened or migrated
 */
export async function createServer({
  databaseUrl,
  migrateOnStart = false,
  host = '127.0.0.1',
  port = 4000,
  demo = false,
  auth,
  redisUrl,
  sweepIntervalMs = 5_000,
  draftExpiryMs = 24 * 60 * 60_000,
  allowedOrigins = [],
  trustedProxies = [],
  socketBufferBytes = 1024 * 1024,
  socketIdleTimeoutMs = 10 * 60_000,
  shutdownTimeoutMs = 10_000,
  trustedDocuments = NO_TRUSTED_DOCUMENTS,
  limits: givenLimits = {},
  onStatement,
  logError = (id, error) => console.error(`Unexpected error ${id}:`, error),
  log = (line) => console.error(line),
  logOperation,
  logRequest,
  metricsPort,
  traceEndpoint,
  serviceName = 'parley',
}: ServerOptions): Promise<ParleyServer> {
  // First, so that a wrong setting leaves nothing behind.
  checkTrustedDocuments(trustedDocuments);
  const authenticator = auth === undefined ? developmentMode : await authenticatorOf(auth);
  const { isDevelopment } = authenticator;
  const limits = { ...(isDevelopment ? DEVELOPMENT_LIMITS : DEFAULT_LIMITS), ...givenLimits };
  // Nobody is counted by it in development mode, where a proxy may be any frontend's own.
  const addressOf = createAddressReader(trustedProxies, isDevelopment ? () => {} : log);
  const connectionAddressOf = createConnectionAddressReader(trustedProxies);
  const address = isDevelopment ? await loopbackAddress(host) : host;
  const telemetry = await createTelemetry({
    database: parseDatabaseUrl(databaseUrl).provider,
    traceEndpoint,
    serviceName,
    log,
    addressOf,
    logOperation,
    logRequest,
  });
  const { metrics, observer } = telemetry;
  // Nobody is told of what happens before anybody can ask.
  let bus: Bus = memoryBus;
  const onError = (error: unknown) => {
    // A database that is away is no surprise: what was missed is looked for again.
    if (!(error instanceof DatabaseUnavailableError)) logError(randomUUID(), error);
  };
  const statementTimeouts = {
    readMs: limits.queryTimeoutMs + STATEMENT_GRACE_MS,
    writeMs: limits.mutationTimeoutMs + STATEMENT_GRACE_MS,
  };
  const onChange = (wake: Wake) => {
    hear(wake);
    bus.publish(wake);
  };
  const database = await openDatabase({
    url: databaseUrl,
    migrate: migrateOnStart,
    isServing: true,
    statementTimeouts,
    shareOfAUser: isDevelopment ? 1 : SHARE_OF_A_USER,
    onStatement: (sql, details) => {
      onStatement?.(sql);
      telemetry.statement({ sql, ...details });
    },
    onChange,
    onDraft: (draft, piece) => {
      const wake = wakeOfDraft(draft, piece);
      drafts.wake(wake, piece && { draft, piece });
      bus.publish(wake);
    },
    // Who follows something comes back, and is told whether its place in the log is still there.
    onLost: (error) => {
      feeds.lose(error);
      chatList.lose(error);
      drafts.lose(error);
    },
    log,
  }).catch(async (error: unknown) => {
    await telemetry.stop();
    throw error;
  });
  const { store, reads, within, ping, migrations, obstacles } = database;
  const feeds = new Feeds({ log: database.log, sweepIntervalMs, onError });
  const chatList = new ChatList({ reads: database.list, sweepIntervalMs, onError });
  const drafts = new DraftFeeds({ reads: database.drafts, sweepIntervalMs, onError, now: () => store.now() });
  const draftKeeper = new DraftKeeper({
    store,
    reads: database.drafts,
    remove: (draft) => database.removeDraft(draft),
    expireMs: draftExpiryMs,
    intervalMs: DRAFT_LOOK_MS,
    onError,
  });
  const hear = (wake: Wake | DraftWake) => {
    if ('draftId' in wake) return drafts.wake(wake);
    feeds.wake(wake);
    chatList.wake(wake);
  };
  if (demo) await offerDemo(database);
  bus = await connectBus(databaseUrl, redisUrl, {
    onWake: hear,
    onConnected: () => {
      void feeds.sweep();
      void chatList.sweep();
      void drafts.sweep();
    },
    log,
  });

  const services = { store, reads, live: { log: database.log, feeds, chatList, drafts } };
  const usage = new Usage(limits, { areUsersKnown: !isDevelopment });
  const admission = new Admission({ authenticator, rates: usage.rates, logError });
  const shared = {
    trustedDocuments,
    admission,
    observer,
    addressOf,
    usage,
    origins: new Origins(allowedOrigins, log),
    bufferBytes: socketBufferBytes,
  };
  const { yoga, subscriptions } = createGraphQLHandler({ ...shared, services, within, logError });
  const webSockets = createWebSockets({
    ...shared,
    yoga,
    subscriptions,
    idleTimeoutMs: socketIdleTimeoutMs,
    onError: (error) => logError(randomUUID(), error),
  });
  let isStopped = false;
  const health = createHealth({ ping, migrations, obstacles, bus: () => bus.state, isStopping: () => isStopped });
  metrics.read({
    connections: () => http.connections,
    sockets: () => webSockets.size,
    subscriptions: () => ({ ...subscriptions.size, delivered: subscriptions.delivered }),
    feeds: () => ({ chats: feeds.size, ...feeds.lag, withDrafts: drafts.size }),
    bus: () => bus.state,
    health: () => health.read(),
    pools: () => database.pools(),
  });
  const adminsOnly = refusalToOthers(admission, addressOf);
  const answerMetrics = createMetricsPage(metrics, async (request) => {
    if (metricsPort !== undefined) return NO_SUCH_PAGE;
    return isDevelopment ? null : adminsOnly(request);
  });
  const answerPage = createExplorer();
  const imports = new Imports({
    database: databaseUrl === IN_MEMORY ? null : { url: databaseUrl, statementTimeouts },
    store,
    archive: database.archive,
    limits,
    areUsersKnown: !isDevelopment,
    onChange,
  });
  const answerTransfer = createTransferDoors({
    ...shared,
    imports,
    archive: database.archive,
    erase: database.erase,
    log,
    onError,
    onImport: (result) => metrics.countImport(result),
  });
  const metricsServer = createMetricsServer(metrics, (request) => refusal(request, isDevelopment) !== null);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (await health.answer(request, response)) return;
    if (await answerMetrics(request, response)) return;
    if (await answerPage(request, response)) return;
    if (await answerTransfer(request, response)) return;
    // The GraphQL server itself would take every path that ends in its own.
    if (request.url?.split('?')[0] === GRAPHQL_PATH) await yoga(request, response);
    else response.writeHead(404).end();
  };
  const http = createHttpServer({
    isDevelopment,
    requestTimeoutMs: limits.requestTimeoutMs,
    keepAliveTimeoutMs: limits.keepAliveTimeoutMs,
    stalledAfterMs: Math.max(limits.queryTimeoutMs, limits.mutationTimeoutMs) + STALL_MS,
    maxUnreadBytes: unreadBytes(HEAP_BYTES, limits.maxContentBytes),
    connections: {
      perAddress: limits.maxConnectionsPerAddress,
      addressOf: connectionAddressOf,
      log,
    },
    onRequest: (request, response) => observer.request(request, response),
    onRefusedUpgrade: (request, status) => observer.refusedHandshake(request, status),
    onUnreadable: (connection, status) => observer.refusedConnection(connectionAddressOf(connection), status),
    answer,
    onError: (error) => logError(randomUUID(), error),
    upgrade: (...connection) => webSockets.handleUpgrade(...connection),
  });
  return {
    start: async () => {
      // Not waited for: an issuer that is away for a while is no reason not to start.
      void admission.look();
      imports.start();
      if (metricsPort !== undefined) await listen(metricsServer, address, metricsPort, 'METRICS_PORT');
      return `http://${await http.listen(address, port)}${GRAPHQL_PATH}`;
    },
    stop: async () => {
      isStopped = true;
      const cut = () => webSockets.terminate();
      const closed = http.close(shutdownTimeoutMs, cut);
      webSockets.retire();
      subscriptions.stop();
      await closed;
      webSockets.terminate();
      // Their clients have left, so each ends its process and deletes its files.
      await Promise.race([imports.close(), pause(shutdownTimeoutMs, undefined, { ref: false })]);
      feeds.close();
      chatList.close();
      drafts.close();
      await draftKeeper.close();
      await bus.close();
      // Not for ever: a database that does not answer does not let go either.
      await Promise.race([store.close(), pause(shutdownTimeoutMs, undefined, { ref: false })]);
      metricsServer.close().closeAllConnections();
      await telemetry.stop();
    },
    fetch: async (request) =>
      new URL(request.url).pathname === GRAPHQL_PATH ? yoga.fetch(request) : new Response(null, { status: 404 }),
    contextStore: (viewer = LOCAL_ADMIN) =>
      new InProcessStore({ store, reads, drafts, viewer, isClosed: () => isStopped }),
  };
}

/** Loads what reads tokens: a start in development mode has no use for it. */
async function authenticatorOf(auth: AuthOptions): Promise<Authenticator> {
  const { createTokenAuthenticator } = await import('./auth/tokens.js');
  return createTokenAuthenticator(auth);
}

/** How this process hears of the changes of others. */
async function connectBus(databaseUrl: string, redisUrl: string | undefined, listener: BusListener): Promise<Bus> {
  if (redisUrl !== undefined) {
    const { createRedisBus } = await import('./events/buses/redis-bus.js');
    return createRedisBus(redisUrl, listener);
  }
  const url = parseDatabaseUrl(databaseUrl);
  // Behind a pooler that hands out connections by the transaction nobody can listen.
  if (url.provider !== 'postgresql' || !url.canPrepare) return memoryBus;
  return createPostgresqlBus({ settings: postgresqlSettings(url), channel: channelOf(url.schema) }, listener);
}
