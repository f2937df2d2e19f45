/** The two stores that ship, each on a database of its own. */
import { onTestFinished } from 'vitest';
import { RemoteStore } from '../../src/context/remote/remote-store.js';
import type { ContextStore } from '../../src/context/store/context-store.js';
import { createServer, type ParleyServer } from '../../src/server.js';
import { temporaryDatabaseUrl } from '../support/temporary-database.js';

export interface OpenStore {
  store: ContextStore;
  /** On whose database it is: to look at what a store does from outside. */
  server: ParleyServer;
}

/** By name: how each is opened. */
export const STORES: Record<string, () => Promise<OpenStore>> = {
  'in process': async () => {
    const server = await ownServer();
    return { store: server.contextStore(), server };
  },
  remote: async () => {
    const server = await ownServer();
    return { store: new RemoteStore({ url: await server.start() }), server };
  },
};

async function ownServer(): Promise<ParleyServer> {
  const server = await createServer({ databaseUrl: temporaryDatabaseUrl(), migrateOnStart: true, port: 0 });
  onTestFinished(() => server.stop());
  return server;
}
