/** Migrates a SQL Server database. */
import { randomUUID } from 'node:crypto';
import { connectPool, type Request } from '../../database/drivers/sqlserver-pool.js';
import type { ServerUrl } from '../../database/connection/database-url.js';
import { retryWhileBusy } from '../../database/connection/retry.js';
import { createFullTextIndex } from '../../database/dialects/sqlserver/full-text.js';
import { failure } from '../../database/dialects/sqlserver/failure.js';
import { bundledMigrations, checksum, type Migration } from '../../database/drivers/bundled-migrations.js';
import { migrationFailed, missingMigrations, selectApplied, type AppliedMigration } from './history.js';
import type { MigrationOutcome } from '../../database/opening/migrator.js';
import type { MigrationOptions } from '../../database/writing/progress.js';
import { reportMigrations } from './progress-report.js';

/** The timeout of a statement of a migration, in milliseconds: it may rebuild a large table. */
const STATEMENT_TIMEOUT_MS = 24 * 3_600_000;

/** The lock that serializes migrating instances, with its timeout. */
const LOCK = `
  DECLARE @result INT;
  EXEC @result = sp_getapplock @Resource = N'parley migrations', @LockMode = N'Exclusive',
    @LockOwner = N'Transaction', @LockTimeout = 600000;
  IF @result < 0 THROW 50000, N'another instance is migrating this database, and has not ended', 1;`;

const migrationsTable = (schema: string) => `
  IF OBJECT_ID(N'[${schema}].[_prisma_migrations]', N'U') IS NULL
  CREATE TABLE [${schema}].[_prisma_migrations] (
    [id] VARCHAR(36) PRIMARY KEY NOT NULL,
    [checksum] VARCHAR(64) NOT NULL,
    [finished_at] DATETIMEOFFSET,
    [migration_name] NVARCHAR(250) NOT NULL,
    [logs] NVARCHAR(MAX),
    [rolled_back_at] DATETIMEOFFSET,
    [started_at] DATETIMEOFFSET NOT NULL DEFAULT CURRENT_TIMESTAMP,
    [applied_steps_count] INT NOT NULL DEFAULT 0
  );`;

/**
 * Applies pending migrations, all or nothing, one process at a time. A deadlock with a running server repeats them.
 * @throws Error when the applied ones are not a prefix of these, or one fails
 */
export function migrateSqlServer(
  url: ServerUrl,
  migrations: readonly Migration[] = bundledMigrations('sqlserver'),
  options: MigrationOptions = {},
): Promise<MigrationOutcome> {
  return retryWhileBusy(() => migrateOnce(url, migrations, options), isBusy);
}

const isBusy = (error: unknown) => failure(error) === 'busy';

async function migrateOnce(
  url: ServerUrl,
  migrations: readonly Migration[],
  options: MigrationOptions,
): Promise<MigrationOutcome> {
  const pool = await connectPool(url, { socketTimeout: STATEMENT_TIMEOUT_MS });
  try {
    const transaction = pool.transaction();
    await transaction.begin();
    try {
      const outcome = await applyMissing(() => transaction.request(), url.schema, migrations, options);
      await transaction.commit();
      await makeFullTextIndex(() => pool.request(), url.schema);
      return outcome;
    } catch (error) {
      // Some errors end the transaction themselves, so there is nothing to roll back.
      await transaction.rollback().catch(() => {});
      throw error;
    }
  } finally {
    await pool.close();
  }
}

/** Without the index, LIKE finds the same. */
async function makeFullTextIndex(request: () => Request, schema: string): Promise<void> {
  try {
    for (const statement of createFullTextIndex(schema)) await request().batch(statement);
  } catch {
    // Missing privileges, or no full-text support.
  }
}

async function applyMissing(
  request: () => Request,
  schema: string,
  migrations: readonly Migration[],
  { onProgress, signal }: MigrationOptions,
): Promise<MigrationOutcome> {
  await request().batch(LOCK);
  await request().batch(`IF SCHEMA_ID(N'${schema}') IS NULL EXEC (N'CREATE SCHEMA [${schema}]');`);
  await request().batch(migrationsTable(schema));
  const { recordset: rows } = await request().query<AppliedMigration>(selectApplied(schema));
  const missing = missingMigrations(rows, migrations);
  const progress = reportMigrations(missing.length, rows.length === 0 ? {} : { onProgress });
  for (const migration of missing) {
    signal?.throwIfAborted();
    progress.start(migration);
    await apply(request, schema, migration);
    progress.end();
  }
  signal?.throwIfAborted();
  return { applied: missing.map((migration) => migration.name), isNew: rows.length === 0 };
}

async function apply(request: () => Request, schema: string, migration: Migration): Promise<void> {
  const startedAt = new Date();
  try {
    await request().batch(migration.sql.replaceAll('[dbo].', `[${schema}].`));
  } catch (error) {
    throw isBusy(error) ? error : migrationFailed(migration, error);
  }
  await request()
    .input('id', randomUUID())
    .input('checksum', checksum(migration))
    .input('started', startedAt)
    .input('finished', new Date())
    .input('name', migration.name).query(`
      INSERT INTO [${schema}].[_prisma_migrations]
        ([id], [checksum], [started_at], [finished_at], [migration_name], [applied_steps_count])
      VALUES (@id, @checksum, @started, @finished, @name, 1)`);
}
