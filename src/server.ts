/** A server from its configuration: all parts built and wired here, and nowhere else. */
import { createServer as createHttpServer, type Server } from 'node:http';
import { openDatabase } from './database/open.js';
import { loopbackAddress } from './http/loopback.js';
import { createGraphQLHandler } from './http/yoga.js';

export interface ServerOptions {
  /** `file:` and a path. */
  databaseUrl: string;
  /** A loopback address or a name of one. @default '127.0.0.1' */
  host?: string;
  /** 0 takes any free port. @default 4000 */
  port?: number;
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
  /** Stops listening, finishes what runs, and closes the database. */
  stop(): Promise<void>;
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>;
}

/**
 * Opens the database, bringing it up to date, and builds the server on it.
 * @throws Error when the database cannot be opened or migrated
 */
export async function createServer({
  databaseUrl,
  host = '127.0.0.1',
  port = 4000,
  onStatement,
  logError = (id, error) => console.error(`Unexpected error ${id}:`, error),
}: ServerOptions): Promise<ParleyServer> {
  const { store, reads } = await openDatabase({ url: databaseUrl, onStatement });
  const yoga = createGraphQLHandler({ store, reads, logError });
  const http = createHttpServer((request, response) => void yoga(request, response));
  return {
    start: async () => `http://${await listen(http, await loopbackAddress(host), port)}/graphql`,
    stop: async () => {
      await close(http);
      await store.close();
    },
    fetch: async (request) => yoga.fetch(request),
  };
}

function listen(http: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, () => {
      http.off('error', reject);
      const address = http.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`${host.includes(':') ? `[${host}]` : host}:${bound}`);
    });
  });
}

function close(http: Server): Promise<void> {
  return new Promise((resolve) => {
    http.close(() => resolve());
    http.closeIdleConnections();
  });
}
