import { createServer, openContextStore } from 'parley';
import { RemoteStore } from 'parley/context';

/**
 * Opens a new conversation store in the working directory: in this process, or on a server.
 * @param {string | undefined} where 'in-process' or 'remote'
 */
export async function openStore(where) {
  const databaseUrl = `file:${crypto.randomUUID()}.db`;
  if (where === 'in-process') {
    const store = await openContextStore({ databaseUrl });
    return { store, close: () => store.close() };
  }
  const server = await createServer({ databaseUrl, port: 0 });
  return { store: new RemoteStore({ url: await server.start() }), close: () => server.stop() };
}
