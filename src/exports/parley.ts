/** The exports of `parley`: the server, and stores of conversations for engines of the same process. */
export { createServer, type ParleyServer, type ServerOptions } from '../server.js';
export { createTestServer, type TestServer } from '../test-server.js';
export { openContextStore } from '../features/in-process/open-context-store.js';
export type { OpenContextStoreOptions } from '../features/in-process/store-options.js';
export {
  InMemoryContextStore,
  PostgresContextStore,
  SqliteContextStore,
  SqlServerContextStore,
  type ServerStoreOptions,
} from '../features/in-process/named-stores.js';
export type { PostgresPool, SqlServerPool } from '../features/in-process/pool-urls.js';
export type { Viewer } from '../conversation/model.js';
