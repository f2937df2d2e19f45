/** The migrations of the database kind under test. */
import { parseDatabaseUrl, type ServerUrl, type SqliteUrl } from '../../../src/database/connection/database-url.js';
import { bundledMigrations, type Migration } from '../../../src/database/drivers/bundled-migrations.js';
import type { MigrationOutcome } from '../../../src/database/opening/migrator.js';
import { migratePostgresql } from '../../../src/features/migrations/postgresql.js';
import { migrateSqlite } from '../../../src/features/migrations/sqlite.js';
import { databaseKind } from './database-kind.js';

/** Databases in memory use the SQLite migrations, and tests have no SQL Server. */
export const provider = databaseKind === 'postgresql' ? 'postgresql' : 'sqlite';

export const bundled = bundledMigrations(provider);

export async function migrate(url: string, migrations: readonly Migration[] = bundled): Promise<MigrationOutcome> {
  const parsed = parseDatabaseUrl(url);
  return provider === 'sqlite'
    ? migrateSqlite((parsed as SqliteUrl).path, migrations)
    : migratePostgresql(parsed as ServerUrl, migrations);
}
