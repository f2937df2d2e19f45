/** Connects to a migrated database of each provider. A server loads the driver of its own database only. */
import { loadOptional } from '../../system/optional-package.js';
import type { ConnectionOptions, Provider } from '../connection/connection.js';
import { openSqliteFile, openSqliteMemory } from '../drivers/sqlite.js';
import { IN_MEMORY, type DatabaseUrl } from '../connection/database-url.js';

export async function openConnection(url: DatabaseUrl, options: ConnectionOptions): Promise<Provider> {
  if (url.provider === 'sqlite') {
    return url.path === IN_MEMORY ? openSqliteMemory(options) : openSqliteFile(url.path, options);
  }
  if (url.provider === 'postgresql') {
    return (await import('../drivers/postgresql.js')).openPostgresql(url, options);
  }
  const { openSqlServer } = await loadOptional('SQL Server', () => import('../drivers/sqlserver.js'));
  return openSqlServer(url, options);
}
