/** The in-process store and the remote store. */
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest';
import {
  assistant,
  ContextEngine,
  RemoteStore,
  user,
  type ContextEngineOptions,
  type ContextStore,
} from '@parley/context';
import { createServer, type ParleyServer } from '../../src/server.js';
import { isInMemory } from '../support/database/database-kind.js';
import {
  temporaryDatabase,
  temporaryDatabaseUrl,
  type TemporaryDatabase,
} from '../support/database/temporary-database.js';

export const STORE_NAMES = ['in process', 'remote'] as const;

export type StoreName = (typeof STORE_NAMES)[number];

export interface Stores {
  /** The URL of the server's GraphQL endpoint. */
  readonly url: string;
  readonly databaseUrl: string;
  get(name: StoreName): ContextStore;
  /** All rows of the database, to verify that nothing was written. */
  everything(): Promise<unknown>;
}

/** Opens both on one server for the tests of a file. Each test starts with an empty database. */
export function openStores(): Stores {
  let database: TemporaryDatabase;
  let server: ParleyServer;
  let url = '';
  let stores: Record<StoreName, ContextStore>;

  beforeAll(async () => {
    database = await temporaryDatabase();
    server = await createServer({ databaseUrl: database.url, port: 0 });
    url = await server.start();
    stores = { 'in process': server.contextStore(), remote: new RemoteStore({ url }) };
  });
  afterEach(async () => {
    const store = stores['in process'];
    for (const { id } of await store.listChats()) await store.deleteChat(id);
  });
  afterAll(async () => {
    await server.stop();
    await database.remove();
  });

  return {
    get url() {
      return url;
    },
    get databaseUrl() {
      return database.url;
    },
    get: (name) => stores[name],
    // A database in memory is not visible to other connections: the server itself reads it.
    everything: () => (isInMemory ? visible(server) : database.allRows()),
  };
}

/** Opens engines of the chat "c" on a store. */
export function enginesOn(store: () => ContextStore) {
  const open = (options: Partial<ContextEngineOptions> = {}) =>
    new ContextEngine({ store: store(), chatId: 'c', userId: 'u', ...options });
  return {
    open,
    /** An engine whose chat has q1 ← a1 on main. */
    async openWithTurn(): Promise<ContextEngine> {
      const engine = open().set(user('Two and two?', { id: 'q1' }), assistant('Five.', { id: 'a1' }));
      await engine.save();
      return engine;
    },
    /** The ids of each branch, the active one with a star. */
    async branches(): Promise<Record<string, string[]>> {
      const all = await store().listBranches('c');
      const chains = all.map(async ({ headMessageId, name, isActive }) => [
        isActive ? `${name}*` : name,
        headMessageId === null ? [] : (await store().getMessageChain(headMessageId)).map(({ id }) => id),
      ]);
      return Object.fromEntries(await Promise.all(chains)) as Record<string, string[]>;
    },
  };
}

/** A store with its own database until the end of the test. */
export interface OpenStore {
  store: ContextStore;
  /** The server of its database, to observe the store. */
  server: ParleyServer;
}

/** Opens each store, by name. */
export const STORES: Record<StoreName, () => Promise<OpenStore>> = {
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

/** The version counts every change. */
const VISIBLE = `{
  chats(first: 1000) {
    edges {
      node {
        id userId title metadata version updatedAt
        graph { nodes { id parentId } branches { id name isActive head { id } } checkpoints { id name message { id } } }
      }
    }
  }
}`;

async function visible(server: ParleyServer): Promise<unknown> {
  const response = await server.fetch(
    new Request('http://localhost/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: VISIBLE }),
    }),
  );
  return response.json();
}
