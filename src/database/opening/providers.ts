/** Migrates and connects to a database of each provider. */
import { loadOptional } from '../../system/optional-package.js';
import type { MigrationOutcome } from '../migrations/history.js';
import type { MigrationOptions } from '../migrations/progress.js';
import { migrateSqlite } from '../migrations/sqlite.js';
import type { ConnectionOptions, Provider } from '../connection/connection.js';
import { openSqliteFile, openSqliteMemory } from '../drivers/sqlite.js';
import { IN_MEMORY, type DatabaseUrl } from '../connection/database-url.js';

/** Loaded on demand: a server loads the driver of its own database only. */
const sqlServer = {
  migrations: () => loadOptional('SQL Server', () => import('../migrations/sqlserver.js')),
  connection: () => loadOptional('SQL Server', () => import('../drivers/sqlserver.js')),
};

export async function migrateDatabase(
  url: DatabaseUrl,
  options: MigrationOptions & { isReopened?: boolean | undefined } = {},
): Promise<MigrationOutcome> {
  if (url.provider === 'sqlite') {
    // A database in memory is created when opened.
    return url.path === IN_MEMORY ? { applied: [], isNew: true } : migrateSqlite(url.path, undefined, options);
  }
  if (url.provider === 'postgresql') {
    return (await import('../migrations/postgresql.js')).migratePostgresql(url, undefined, options);
  }
  const { migrateSqlServer } = await sqlServer.migrations();
  return migrateSqlServer(url, undefined, options);
}

export async function openConnection(url: DatabaseUrl, options: ConnectionOptions): Promise<Provider> {
  if (url.provider === 'sqlite') {
    return url.path === IN_MEMORY ? openSqliteMemory(options) : openSqliteFile(url.path, options);
  }
  if (url.provider === 'postgresql') {
    return (await import('../drivers/postgresql.js')).openPostgresql(url, options);
  }
  const { openSqlServer } = await sqlServer.connection();
  return openSqlServer(url, options);
}
