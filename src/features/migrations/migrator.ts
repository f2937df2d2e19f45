/** The Migrator of all databases. It loads the driver of a database server with a URL that needs it. */
import { IN_MEMORY, type DatabaseUrl } from '../../database/connection/database-url.js';
import type { Migrator } from '../../database/opening/migrator.js';
import { loadOptional } from '../../system/optional-package.js';
import { migrateSqlite } from './sqlite.js';
import { raw } from 'sql-template-tag';
import type { Connection } from '../../database/connection/connection.js';
import { bundledMigrations } from '../../database/drivers/bundled-migrations.js';
import { isBreaking, missingMigrations, selectApplied, type AppliedMigration } from './history.js';

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

export const check: Migrator['check'] = async (url, connection) => {
  const applied = await appliedMigrations(url, connection);
  const missing = missingMigrations(applied, bundledMigrations(url.provider)).map((migration) => migration.name);
  if (missing.length === 0) return;
  throw new Error(
    `it lacks the migrations ${missing.join(', ')}; run \`npm run migrate\`, or start with MIGRATE_ON_START=true`,
  );
};

export const count: Migrator['count'] = async (url, connection) => {
  const bundled = bundledMigrations(url.provider);
  const expected = bundled.length;
  // A database in memory has all migrations and records none.
  if (url.provider === 'sqlite' && url.path === IN_MEMORY) return { applied: expected, expected };
  const applied = await appliedMigrations(url, connection);
  const finished = new Set(applied.filter(({ isFinished }) => Number(isFinished) === 1).map(({ name }) => name));
  return { applied: bundled.filter(({ name }) => finished.has(name)).length, expected };
};

export const breaking: Migrator['breaking'] = async (url, connection) => {
  const known = new Set(bundledMigrations(url.provider).map(({ name }) => name));
  const applied = await appliedMigrations(url, connection);
  return applied.find(({ name }) => isBreaking(name) && !known.has(name))?.name ?? null;
};

export const names: Migrator['names'] = async (url, connection) =>
  (await appliedMigrations(url, connection)).map(({ name }) => name);

/** Ordered by name. */
async function appliedMigrations(
  url: DatabaseUrl,
  { sql, read }: Pick<Connection, 'sql' | 'read'>,
): Promise<AppliedMigration[]> {
  const statement = raw(selectApplied(url.provider === 'sqlite' ? undefined : url.schema));
  return read((db) => db.rows<AppliedMigration>(statement)).catch((error: unknown) => {
    if (sql.failure(error) === 'no table') return [];
    throw error;
  });
}
