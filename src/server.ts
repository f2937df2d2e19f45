/** A server from its configuration: all parts built and wired here, and nowhere else. */
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from './database/open.js';
import { offerDemo } from './demo/offer-demo.js';
import { answerHealth } from './http/health.js';
import { loopbackAddress, refusal } from './http/loopback.js';
import { createGraphQLHandler } from './http/yoga.js';

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
   * How long stop() waits for what runs, in milliseconds, before it cuts the connections: one on which nothing comes is
   * never done. And how long it waits for the database to close.
   * @default 10000
   */
  shutdownTimeoutMs?: number;
  /** Called with each SQL statement: for counting. */
  onStatement?: (sql: string) => void;
  /** Takes an error that nobody expected, and the id that the client was given. @default console.error */
  logError?: (id: string, error: unknown) => void;
}

export interface ParleyServer {
  /**
   * Listens.
   * @returns where GraphQL is served, such as http://127.0.0.1:4000/graphql
   * @throws Error when the address cannot be used
   */
  start(): Promise<string>;
  /** Stops listening, finishes what runs, ends the connections, and closes the database. */
  stop(): Promise<void>;
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>;
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
  shutdownTimeoutMs = 10_000,
  onStatement,
  logError = (id, error) => console.error(`Unexpected error ${id}:`, error),
}: ServerOptions): Promise<ParleyServer> {
  // First, so that a wrong address leaves nothing behind.
  const address = await loopbackAddress(host);
  const database = await openDatabase({ url: databaseUrl, migrate: migrateOnStart, onStatement });
  if (demo) await offerDemo(database);
  const { store, reads, ping } = database;
  const yoga = createGraphQLHandler({ store, reads, logError });
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
  return {
    start: async () => `http://${await listen(http, address, port)}/graphql`,
    stop: async () => {
      await close(http, shutdownTimeoutMs);
      // Not for ever: a database that does not answer does not let go either.
      await Promise.race([store.close(), pause(shutdownTimeoutMs, undefined, { ref: false })]);
    },
    fetch: async (request) => yoga.fetch(request),
  };
}

function listen(http: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'the port is in use: set PORT to another' : error.message;
      reject(new Error(`Cannot listen on ${host}, port ${port}: ${reason}`, { cause: error }));
    });
    http.listen(port, host, () => {
      http.removeAllListeners('error');
      const address = http.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`${host.includes(':') ? `[${host}]` : host}:${bound}`);
    });
  });
}

function close(http: Server, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => http.closeAllConnections(), timeoutMs);
    http.close(() => {
      clearTimeout(timer);
      resolve();
    });
    http.closeIdleConnections();
  });
}
