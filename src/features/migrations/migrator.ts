/** The Migrator of all databases. It loads the driver of a database server with a URL that needs it. */
import { IN_MEMORY } from '../../database/connection/database-url.js';
import type { Migrator } from '../../database/opening/migrator.js';
import { loadOptional } from '../../system/optional-package.js';
import { migrateSqlite } from './sqlite.js';

export * from './check.js';
export { checkRights, missingGrants } from './rights.js';

export const migrate: Migrator['migrate'] = async (url, options) => {
  if (url.provider === 'sqlite') {
    // A database in memory is created when opened.
    return url.path === IN_MEMORY ? { applied: [], isNew: true } : migrateSqlite(url.path, undefined, options);
  }
  if (url.provider === 'postgresql') {
    return (await import('./postgresql.js')).migratePostgresql(url, undefined, options);
  }
  const { migrateSqlServer } = await loadOptional('SQL Server', () => import('./sqlserver.js'));
  return migrateSqlServer(url, undefined, options);
};
