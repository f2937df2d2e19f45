/** A server in memory for the tests of an application. */
import type { ContextStore } from '@parley/context';
import type { Viewer } from './conversation/model.js';
import type { ServerOptions } from './server-options.js';
import { createServer } from './server.js';

/** The origins of pages in jsdom and happy-dom, by default of Jest and of Vitest. */
const PAGE_ORIGINS = ['http://localhost', 'http://localhost:3000'];

export interface TestServer {
  /** The `url` for createParley and RemoteStore. */
  url: string;
  /**
   * The conversations of the server, to write them before a test and to read them after it.
   * @param viewer the user on whose behalf it works. The admin `local` by default, as for requests without a token
   */
  store(viewer?: Viewer): ContextStore;
  /** Stops the server, and deletes its conversations. */
  stop(): Promise<void>;
}

/**
 * Starts a server with an empty database in memory, on a free port of this machine. It trusts its clients: the header `x-user-id` names
 * a user.
 * @param options those of createServer, such as `files`, `limits` and `allowedOrigins`; by default it logs unexpected errors only, and
 * pages of jsdom may connect
 */
export async function createTestServer(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const defaults = { databaseUrl: ':memory:', port: 0, allowedOrigins: PAGE_ORIGINS, log: () => {} };
  const server = await createServer({ ...defaults, ...options });
  const url = await server.start().catch(async (reason: unknown) => {
    await server.stop();
    throw reason;
  });
  return { url, store: (viewer) => server.contextStore(viewer), stop: () => server.stop() };
}
