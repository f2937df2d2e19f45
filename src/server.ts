/** A server from its configuration: all parts built and wired here, and nowhere else. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { developmentMode } from './auth/development.js';
import type { AuthOptions } from './auth/options.js';
import { createTokenAuthenticator } from './auth/tokens.js';
import type { ContextStore } from './context/store/context-store.js';
import { DatabaseUnavailableError } from './conversation/errors.js';
import type { Viewer } from './conversation/model.js';
import { LOCAL_ADMIN } from './conversation/ownership.js';
import { parseDatabaseUrl } from './database/database-url.js';
import { postgresqlSettings } from './database/connections/postgresql.js';
import { openDatabase } from './database/open.js';
import { offerDemo } from './demo/offer-demo.js';
import { memoryBus, type Bus, type BusListener } from './events/bus.js';
import { channelOf, createPostgresqlBus } from './events/buses/postgresql-bus.js';
import { createRedisBus } from './events/buses/redis-bus.js';
import { Feeds } from './events/feeds.js';
import { Admission } from './http/admission.js';
import { createAddressReader } from './http/client-address.js';
import type { TrustedDocuments } from './http/document-manifest.js';
import { createHealth } from './http/health.js';
import { close, listen, unusedConnections } from './http/listen.js';
import { loopbackAddress, refusal } from './http/loopback.js';
import { DEFAULT_LIMITS, DEVELOPMENT_LIMITS, type Limits } from './http/limits/limits.js';
import { RateLimits } from './http/limits/rate.js';
import { createMetricsPage, createMetricsServer } from './http/metrics.js';
import { ignoreUpgrade, isWebSocket } from './http/other-upgrades.js';
import { checkTrustedDocuments, NO_TRUSTED_DOCUMENTS } from './http/trusted-documents.js';
import { setSecurityHeaders } from './http/security-headers.js';
import { createWebSockets, refuse } from './http/websocket/websocket-server.js';
import { createGraphQLHandler } from './http/yoga.js';
import { InProcessStore } from './in-process/in-process-store.js';
import { Metrics } from './telemetry/metrics.js';
import { Observer } from './telemetry/observer.js';
import type { OperationEntry, RequestEntry } from './telemetry/operation-entry.js';
import { createTraces } from './telemetry/traces.js';

/** How long the headers of a request may take to arrive, in milliseconds; and how often it is looked. */
const HEADERS_TIMEOUT_MS = 10_000;
const CONNECTIONS_CHECK_MS = 1_000;

/** How long after its operation a statement is given up, in milliseconds: the operation has the better answer. */
const STATEMENT_GRACE_MS = 500;

export interface ServerOptions {
  /** `file:` and a path, `:memory:`, `postgresql://` or `sqlserver://`. */
  databaseUrl: string;
  /** Whether to bring the database up to date; SQLite's always is. @default false */
  migrateOnStart?: boolean;
  /**
   * How to tell who asks. Without it the server is in development mode: everybody is the admin `local`, or whoever they
   * name in the header x-user-id, and it listens on a loopback address only.
   */
  auth?: AuthOptions | undefined;
  /** The address to listen on, or a name of one; a loopback one in development mode. @default '127.0.0.1' */
  host?: string;
  /** 0 takes any free port. @default 4000 */
  port?: number;
  /** Whether a database that is made here begins with the demo conversation. @default false */
  demo?: boolean;
  /**
   * `redis://` or `rediss://`: through which the servers of one database tell each other of changes. Without it those on
   * PostgreSQL do so through the database, and the others find out by their sweeps.
   */
  redisUrl?: string | undefined;
  /** How often to look for changes that nobody has told of, in milliseconds. @default 5000 */
  sweepIntervalMs?: number;
  /** Origins of pages that may ask, such as https://chat.example, beside the server's own. @default [] */
  allowedOrigins?: readonly string[];
  /** Addresses and networks, such as 10.0.0.0/8, whose X-Forwarded-For is believed. @default [] */
  trustedProxies?: readonly string[];
  /** How much a client that follows something may leave unread before it is cut off, in bytes. @default 1048576 */
  socketBufferBytes?: number;
  /** How long a WebSocket may stay without an operation, in milliseconds. @default 600000 */
  socketIdleTimeoutMs?: number;
  /**
   * How long stop() waits for what runs, in milliseconds, before it cuts the connections: one on which nothing comes is
   * never done. And how long it waits for the database to close.
   * @default 10000
   */
  shutdownTimeoutMs?: number;
  /**
   * Documents that clients may ask for by their hash, and whether others are refused: see docs/trusted-documents.md.
   * @default { mode: 'off', documents: new Map() }
   */
  trustedDocuments?: TrustedDocuments | undefined;
  /** How much an operation, and whoever sends it, may ask for. @default DEFAULT_LIMITS, where one is not given */
  limits?: Partial<Limits>;
  /** Called with each SQL statement: for counting. */
  onStatement?: (sql: string) => void;
  /** Takes an error that nobody expected, and the id that the client was given. @default console.error */
  logError?: (id: string, error: unknown) => void;
  /** Takes a line about what goes on. @default console.error */
  log?: (line: string) => void;
  /** Takes what there is to log of a GraphQL operation, when it is over. */
  logOperation?: (entry: OperationEntry) => void;
  /** Takes what there is to log of an HTTP request, when it has been answered. */
  logRequest?: (entry: RequestEntry) => void;
  /** Where /metrics is served, for whoever can reach it; without it on the main port, for admins. */
  metricsPort?: number | undefined;
  /** Of a collector of OpenTelemetry that takes traces by OTLP/HTTP, such as http://127.0.0.1:4318. */
  traceEndpoint?: string | undefined;
  /** What traces call this server. @default 'parley' */
  serviceName?: string;
}

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
  const authenticator = auth === undefined ? developmentMode : createTokenAuthenticator(auth);
  const { isDevelopment } = authenticator;
  const limits = { ...(isDevelopment ? DEVELOPMENT_LIMITS : DEFAULT_LIMITS), ...givenLimits };
  const addressOf = createAddressReader(trustedProxies);
  const address = isDevelopment ? await loopbackAddress(host) : host;
  const metrics = new Metrics();
  const { provider } = parseDatabaseUrl(databaseUrl);
  const system = provider === 'sqlserver' ? 'microsoft.sql_server' : provider;
  const traces =
    traceEndpoint === undefined ? null : await createTraces({ endpoint: traceEndpoint, serviceName, database: system });
  const observer = new Observer({ metrics, traces, addressOf, logOperation, logRequest });
  // Nobody is told of what happens before anybody can ask.
  let bus: Bus = memoryBus;
  const onError = (error: unknown) => {
    // A database that is away is no surprise: what was missed is looked for again.
    if (!(error instanceof DatabaseUnavailableError)) logError(randomUUID(), error);
  };
  const database = await openDatabase({
    url: databaseUrl,
    migrate: migrateOnStart,
    statementTimeouts: {
      readMs: limits.queryTimeoutMs + STATEMENT_GRACE_MS,
      writeMs: limits.mutationTimeoutMs + STATEMENT_GRACE_MS,
    },
    onStatement: (sql, details) => {
      onStatement?.(sql);
      metrics.countStatement(details);
      traces?.statement({ sql, ...details });
    },
    onChange: (wake) => {
      feeds.wake(wake);
      bus.publish(wake);
    },
  });
  const { store, reads, within, ping, isMigrated } = database;
  const feeds = new Feeds({ log: database.log, sweepIntervalMs, onError });
  if (demo) await offerDemo(database);
  bus = connectBus(databaseUrl, redisUrl, {
    onWake: (wake) => feeds.wake(wake),
    onConnected: () => void feeds.sweep(),
    log,
  });

  const services = { store, reads, live: { log: database.log, feeds } };
  const rates = new RateLimits({ perUser: limits.rateLimitPerUser, perAddress: limits.rateLimitPerAddress });
  const admission = new Admission({ authenticator, rates, logError });
  const shared = {
    trustedDocuments,
    admission,
    observer,
    addressOf,
    allowedOrigins: new Set(allowedOrigins),
    bufferBytes: socketBufferBytes,
  };
  const { yoga, subscriptions } = createGraphQLHandler({ ...shared, services, within, limits, logError });
  const webSockets = createWebSockets({
    ...shared,
    yoga,
    subscriptions,
    maxPerUser: limits.maxSocketsPerUser,
    maxPerAddress: limits.maxSocketsPerAddress,
    idleTimeoutMs: socketIdleTimeoutMs,
    onError: (error) => logError(randomUUID(), error),
  });
  metrics.read({
    sockets: () => webSockets.size,
    subscriptions: () => ({ ...subscriptions.size, delivered: subscriptions.delivered }),
    feeds: () => ({ chats: feeds.size, ...feeds.lag }),
    bus: () => bus.state,
  });
  let isStopped = false;
  const answerHealth = createHealth({ ping, isMigrated, bus: () => bus.state, isStopping: () => isStopped });
  const answerMetrics = createMetricsPage(metrics, async (request) => {
    if (metricsPort !== undefined) return false;
    if (isDevelopment) return true;
    const credentials = { authorization: request.headers.authorization ?? null, userId: null };
    return admission.identify(credentials).then(
      ({ viewer }) => viewer.isAdmin,
      () => false,
    );
  });
  const metricsServer = createMetricsServer(metrics, (request) => refusal(request, isDevelopment) !== null);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (await answerHealth(request, response)) return;
    if (!(await answerMetrics(request, response))) await yoga(request, response);
  };
  const timeouts = {
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, limits.requestTimeoutMs),
    connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
  };
  const http = createHttpServer(timeouts, (request, response) => {
    // While the server stops, each answer is the last on its connection, however long its client would keep it.
    if (!http.listening) response.shouldKeepAlive = false;
    response.on('close', () => {
      if (!http.listening) http.closeIdleConnections();
    });
    observer.request(request, response);
    setSecurityHeaders(response);
    const refused = refusal(request, isDevelopment);
    if (refused === null) void answer(request, response);
    else response.writeHead(refused.status, { 'content-type': 'text/plain' }).end(refused.message);
  });
  http.on('upgrade', (request, connection, head) => {
    if (!isWebSocket(request)) return ignoreUpgrade(http, request, connection, head);
    // The connection may break at any time; whoever waits for it hears of it by its closing.
    connection.on('error', () => {});
    const refused = refusal(request, isDevelopment);
    if (refused === null) webSockets.handleUpgrade(request, connection, head);
    else refuse(connection, refused.status);
  });
  const unused = unusedConnections(http);
  return {
    start: async () => {
      if (metricsPort !== undefined) await listen(metricsServer, address, metricsPort, 'METRICS_PORT');
      return `http://${await listen(http, address, port)}/graphql`;
    },
    stop: async () => {
      isStopped = true;
      const cut = () => webSockets.terminate();
      const closed = close(http, { unused, timeoutMs: shutdownTimeoutMs, cut });
      webSockets.retire();
      subscriptions.stop();
      await closed;
      webSockets.terminate();
      feeds.close();
      await bus.close();
      // Not for ever: a database that does not answer does not let go either.
      await Promise.race([store.close(), pause(shutdownTimeoutMs, undefined, { ref: false })]);
      metricsServer.close().closeAllConnections();
      await traces?.stop();
    },
    fetch: async (request) => yoga.fetch(request),
    contextStore: (viewer = LOCAL_ADMIN) => new InProcessStore({ store, reads, viewer, isClosed: () => isStopped }),
  };
}

/** How this process hears of the changes of others. */
function connectBus(databaseUrl: string, redisUrl: string | undefined, listener: BusListener): Bus {
  if (redisUrl !== undefined) return createRedisBus(redisUrl, listener);
  const url = parseDatabaseUrl(databaseUrl);
  // Behind a pooler that hands out connections by the transaction nobody can listen.
  if (url.provider !== 'postgresql' || !url.canPrepare) return memoryBus;
  return createPostgresqlBus({ settings: postgresqlSettings(url), channel: channelOf(url.schema) }, listener);
}
