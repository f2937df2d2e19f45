/** Migrates and connects to a database of each provider. */
import { loadOptional } from '../../optional-package.js';
import type { MigrationOutcome } from '../migrations/history.js';
import { migrateSqlite } from '../migrations/sqlite.js';
import type { Connection, ConnectionOptions } from './connection.js';
import { openSqliteFile, openSqliteMemory } from './connections/sqlite.js';
import { IN_MEMORY, type DatabaseUrl } from './database-url.js';

/** Loaded on demand: a server loads the driver of its own database only. */
const sqlServer = {
  migrations: () => loadOptional('SQL Server', () => import('../migrations/sqlserver.js')),
  connection: () => loadOptional('SQL Server', () => import('./connections/sqlserver.js')),
};

export async function migrateDatabase(url: DatabaseUrl, isReopened?: boolean): Promise<MigrationOutcome> {
  if (url.provider === 'sqlite') {
    // A database in memory is created when opened.
    return url.path === IN_MEMORY ? { applied: [], isNew: true } : migrateSqlite(url.path, undefined, isReopened);
  }
  if (url.provider === 'postgresql') return (await import('../migrations/postgresql.js')).migratePostgresql(url);
  const { migrateSqlServer } = await sqlServer.migrations();
  return migrateSqlServer(url);
}

export async function openConnection(url: DatabaseUrl, options: ConnectionOptions): Promise<Connection> {
  if (url.provider === 'sqlite') {
    return url.path === IN_MEMORY ? openSqliteMemory(options) : openSqliteFile(url.path, options);
  }
  if (url.provider === 'postgresql') {
    return (await import('./connections/postgresql.js')).openPostgresql(url, options);
  }
  const { openSqlServer } = await sqlServer.connection();
  return openSqlServer(url, options);
}
