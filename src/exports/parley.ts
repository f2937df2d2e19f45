/** What the package offers as `parley`: the server, and its conversations for engines of the same process. */
export { createServer, type ParleyServer, type ServerOptions } from '../server.js';
export { openContextStore, type OpenContextStoreOptions } from '../in-process/open-context-store.js';
export type { Viewer } from '../conversation/model.js';
