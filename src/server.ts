/** A server from its configuration: all parts built and wired here, and nowhere else. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ContextStore } from './context/store/context-store.js';
import { DatabaseUnavailableError } from './conversation/errors.js';
import { LOCAL_ADMIN } from './conversation/ownership.js';
import { parseDatabaseUrl } from './database/database-url.js';
import { postgresqlSettings } from './database/connections/postgresql.js';
import { openDatabase } from './database/open.js';
import { offerDemo } from './demo/offer-demo.js';
import { memoryBus, type Bus, type BusListener } from './events/bus.js';
import { channelOf, createPostgresqlBus } from './events/buses/postgresql-bus.js';
import { createRedisBus } from './events/buses/redis-bus.js';
import { Feeds } from './events/feeds.js';
import { answerHealth } from './http/health.js';
import { close, listen, unusedConnections } from './http/listen.js';
import { loopbackAddress, refusal } from './http/loopback.js';
import { ignoreUpgrade, isWebSocket } from './http/other-upgrades.js';
import { createWebSockets } from './http/websocket/websocket-server.js';
import { createGraphQLHandler } from './http/yoga.js';
import { InProcessStore } from './in-process/in-process-store.js';

export interface ServerOptions {
  /** `file:` and a path, `:memory:`, `postgresql://` or `sqlserver://`. */
  databaseUrl: string;
  /** Whether to bring the database up to date; SQLite's always is. @default false */
  migrateOnStart?: boolean;
  /** A loopback address or a name of one. @default '127.0.0.1' */
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
  /** Origins of pages that may open a WebSocket, such as https://chat.example, beside the server's own. @default [] */
  allowedOrigins?: readonly string[];
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
  /** Called with each SQL statement: for counting. */
  onStatement?: (sql: string) => void;
  /** Takes an error that nobody expected, and the id that the client was given. @default console.error */
  logError?: (id: string, error: unknown) => void;
  /** Takes a line about what goes on. @default console.error */
  log?: (line: string) => void;
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
   */
  contextStore(): ContextStore;
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
  redisUrl,
  sweepIntervalMs = 5_000,
  allowedOrigins = [],
  socketBufferBytes = 1024 * 1024,
  socketIdleTimeoutMs = 10 * 60_000,
  shutdownTimeoutMs = 10_000,
  onStatement,
  logError = (id, error) => console.error(`Unexpected error ${id}:`, error),
  log = (line) => console.error(line),
}: ServerOptions): Promise<ParleyServer> {
  // First, so that a wrong address leaves nothing behind.
  const address = await loopbackAddress(host);
  // Nobody is told of what happens before anybody can ask.
  let bus: Bus = memoryBus;
  const onError = (error: unknown) => {
    // A database that is away is no surprise: what was missed is looked for again.
    if (!(error instanceof DatabaseUnavailableError)) logError(randomUUID(), error);
  };
  const database = await openDatabase({
    url: databaseUrl,
    migrate: migrateOnStart,
    onStatement,
    onChange: (wake) => {
      feeds.wake(wake);
      bus.publish(wake);
    },
  });
  const { store, reads, ping } = database;
  const feeds = new Feeds({ log: database.log, sweepIntervalMs, onError });
  if (demo) await offerDemo(database);
  bus = connectBus(databaseUrl, redisUrl, {
    onWake: (wake) => feeds.wake(wake),
    onConnected: () => void feeds.sweep(),
    log,
  });

  const services = { store, reads, live: { log: database.log, feeds } };
  const { yoga, subscriptions } = createGraphQLHandler({ services, bufferBytes: socketBufferBytes, logError });
  const webSockets = createWebSockets({
    yoga,
    subscriptions,
    allowedOrigins: new Set(allowedOrigins),
    bufferBytes: socketBufferBytes,
    idleTimeoutMs: socketIdleTimeoutMs,
    onError: (error) => logError(randomUUID(), error),
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (!(await answerHealth(request, response, ping))) await yoga(request, response);
  };
  const http = createHttpServer((request, response) => {
    // While the server stops, each answer is the last on its connection, however long its client would keep it.
    if (!http.listening) response.shouldKeepAlive = false;
    response.on('close', () => {
      if (!http.listening) http.closeIdleConnections();
    });
    const refused = refusal(request);
    if (refused === null) void answer(request, response);
    else response.writeHead(refused.status, { 'content-type': 'text/plain' }).end(refused.message);
  });
  http.on('upgrade', (request, connection, head) => {
    if (isWebSocket(request)) webSockets.handleUpgrade(request, connection, head);
    else ignoreUpgrade(http, request, connection, head);
  });
  const unused = unusedConnections(http);
  let isStopped = false;
  return {
    start: async () => `http://${await listen(http, address, port)}/graphql`,
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
    },
    fetch: async (request) => yoga.fetch(request),
    contextStore: () => new InProcessStore({ store, reads, viewer: LOCAL_ADMIN, isClosed: () => isStopped }),
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
