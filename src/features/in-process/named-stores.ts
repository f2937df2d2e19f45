/** Stores under the names of other libraries. Each is `openContextStore`, and opens its database at the first call. */
import { OpeningStore } from './opening-store.js';
import { postgresUrl, sqlServerUrl, type PostgresPool, type SqlServerPool } from './pool-urls.js';
import { checkPlain, checkUrl, readText, type OpenContextStoreOptions } from './store-options.js';

/** Options of a store on a database server. */
export interface ServerStoreOptions<Pool> extends Pick<OpenContextStoreOptions, 'viewer'> {
  /** The database: a connection string, or an object of settings. */
  pool: string | Pool;
  /** Whether to create and update the tables. @default true */
  migrate?: boolean;
}

/** Conversations in a SQLite file, which is created if missing. */
export class SqliteContextStore extends OpeningStore {
  /** @throws ContextError for a path that no file can have */
  constructor(path: string) {
    super({ databaseUrl: checkUrl(sqliteUrl(readText(path, 'path')), 'path') });
  }
}

/** Conversations in memory; close() deletes them. */
export class InMemoryContextStore extends OpeningStore {
  constructor() {
    super({ databaseUrl: ':memory:' });
  }
}

/** Conversations in a PostgreSQL database. */
export class PostgresContextStore extends OpeningStore {
  /** @throws ContextError that names the wrong option */
  constructor(options: ServerStoreOptions<PostgresPool>) {
    super(serverOptions(options, postgresUrl));
  }
}

/** Conversations in a SQL Server database. */
export class SqlServerContextStore extends OpeningStore {
  /** @throws ContextError that names the wrong option */
  constructor(options: ServerStoreOptions<SqlServerPool>) {
    super(serverOptions(options, sqlServerUrl));
  }
}

function sqliteUrl(path: string): string {
  return path === ':memory:' || path.startsWith('file:') ? path : `file:${path}`;
}

function serverOptions<Pool>(
  options: ServerStoreOptions<Pool>,
  urlOf: (pool: string | Pool) => string,
): OpenContextStoreOptions {
  const { pool, migrate = true, viewer } = checkPlain(options, '', ['pool', 'migrate', 'viewer']);
  const databaseUrl = checkUrl(urlOf(typeof pool === 'string' ? readText(pool, 'pool') : pool), 'pool');
  return { databaseUrl, migrate, ...(viewer && { viewer }) };
}
