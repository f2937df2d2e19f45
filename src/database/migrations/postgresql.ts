/** Migrates a PostgreSQL database. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { postgresqlSettings } from '../opening/connections/postgresql.js';
import { cancel } from '../opening/connections/postgresql-cancel.js';
import type { ServerUrl } from '../opening/database-url.js';
import { retryWhileBusy } from '../opening/retry.js';
import { failure } from '../dialects/postgresql/failure.js';
import { bundledMigrations, checksum, type Migration } from './bundled.js';
import { migrationFailed, missingMigrations, type AppliedMigration, type MigrationOutcome } from './history.js';
import { ProgressReport, type MigrationOptions } from './progress.js';

/** The key of the advisory lock that serializes migrating instances. */
const LOCK = 0x7061726c6579n;

const MIGRATIONS_TABLE = `
  CREATE TABLE "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
  )`;

/**
 * Applies pending migrations, all or nothing, one process at a time. A deadlock with a running server repeats them.
 * @throws Error when the applied ones are not a prefix of these, or one fails
 */
export function migratePostgresql(
  url: ServerUrl,
  migrations: readonly Migration[] = bundledMigrations('postgresql'),
  options: MigrationOptions = {},
): Promise<MigrationOutcome> {
  return retryWhileBusy(() => migrateOnce(url, migrations, options), isBusy);
}

const isBusy = (error: unknown) => failure(error) === 'busy';

async function migrateOnce(
  url: ServerUrl,
  migrations: readonly Migration[],
  { signal, onProgress }: MigrationOptions,
): Promise<MigrationOutcome> {
  signal?.throwIfAborted();
  const client = new pg.Client(postgresqlSettings(url));
  client.on('error', () => {});
  await client.connect();
  // PostgreSQL would otherwise run a statement of minutes to its end, and keep its locks.
  const leave = () => cancel(client);
  signal?.addEventListener('abort', leave);
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await client.query(`SET LOCAL search_path = "${url.schema}"`);
    // Skipped if they exist: even IF NOT EXISTS needs a privilege that the server's role may lack.
    const schemas = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [url.schema]);
    if (schemas.rowCount === 0) await client.query(`CREATE SCHEMA "${url.schema}"`);
    const tables = await client.query(
      `SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = '_prisma_migrations'`,
      [url.schema],
    );
    if (tables.rowCount === 0) await client.query(MIGRATIONS_TABLE);
    const { rows } = await client.query<AppliedMigration>(
      `SELECT "migration_name" AS "name", "checksum", "finished_at" IS NOT NULL AS "isFinished"
       FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL ORDER BY "migration_name"`,
    );
    const missing = missingMigrations(rows, migrations);
    const progress = new ProgressReport(missing.length, rows.length === 0 ? {} : { onProgress });
    for (const migration of missing) {
      progress.start(migration);
      await apply(client, migration);
      progress.end();
    }
    signal?.throwIfAborted();
    await client.query('COMMIT');
    return { applied: missing.map((migration) => migration.name), isNew: rows.length === 0 };
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', leave);
    // Without a COMMIT, everything is rolled back.
    await client.end();
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const startedAt = new Date();
  try {
    await client.query(migration.sql);
  } catch (error) {
    throw isBusy(error) ? error : migrationFailed(migration, error);
  }
  await client.query(
    `INSERT INTO "_prisma_migrations"
       ("id", "checksum", "started_at", "finished_at", "migration_name", "applied_steps_count")
     VALUES ($1, $2, $3, $4, $5, 1)`,
    [randomUUID(), checksum(migration), startedAt, new Date(), migration.name],
  );
}
