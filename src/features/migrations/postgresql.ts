/** Migrates a PostgreSQL database. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { withClient } from '../../database/drivers/postgresql.js';
import { cancel } from '../../database/drivers/postgresql-cancel.js';
import type { ServerUrl } from '../../database/connection/database-url.js';
import { schemaForms } from '../../database/connection/schema-form.js';
import { retryWhileBusy } from '../../database/connection/retry.js';
import { failure } from '../../database/dialects/postgresql/failure.js';
import { bundledMigrations, checksum, type Migration } from '../../database/drivers/bundled-migrations.js';
import { migrationFailed, missingMigrations, selectApplied, refuseOriginal, type AppliedMigration } from './history.js';
import { buildIndex } from './index-build.js';
import type { MigrationOutcome } from '../../database/opening/migrator.js';
import type { MigrationOptions } from '../../database/writing/progress.js';
import { reportMigrations, type MigrationReport } from './progress-report.js';

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

/** Between two attempts to get the lock. */
const LOCK_INTERVAL_MS = 50;

/**
 * Applies pending migrations in order, one process at a time, in one transaction up to the next that builds an index
 * concurrently, which is committed on its own. A deadlock with a running server repeats them.
 * @throws Error when the applied ones are not a prefix of these, or one fails
 */
export async function migratePostgresql(
  url: ServerUrl,
  migrations: readonly Migration[] = bundledMigrations('postgresql'),
  options: MigrationOptions = {},
): Promise<MigrationOutcome> {
  const outcome: MigrationOutcome = { applied: [], isNew: false };
  for (let isDone = false; !isDone;) {
    const before = outcome.applied.length;
    const part = await retryWhileBusy(() => migrateOnce(url, migrations, options, before), isBusy);
    outcome.applied.push(...part.applied);
    outcome.isNew ||= part.isNew;
    isDone = part.isDone;
  }
  return outcome;
}

const isBusy = (error: unknown) => failure(error) === 'busy';

/** @param done the migrations that this process has applied before */
async function migrateOnce(
  url: ServerUrl,
  migrations: readonly Migration[],
  { signal, onProgress }: MigrationOptions,
  done: number,
): Promise<MigrationOutcome & { isDone: boolean }> {
  signal?.throwIfAborted();
  return withClient(url, async (client) => {
    // PostgreSQL would otherwise run a statement of minutes to its end, and keep its locks.
    const leave = () => cancel(client);
    signal?.addEventListener('abort', leave);
    try {
      await beginLocked(client, signal);
      const applied = await readApplied(client, url);
      const isNew = applied.length === 0;
      const missing = missingMigrations(applied, migrations);
      const progress = reportMigrations(done + missing.length, isNew ? {} : { onProgress }, done);
      const part = isNew ? missing : nextPart(missing);
      for (const migration of part) {
        progress.start(migration);
        await apply(client, migration, isNew ? null : () => build(url, migration, progress, signal));
        for (const form of isNew ? [] : schemaForms()) await form.migrated(client, url.schema);
        progress.end();
      }
      signal?.throwIfAborted();
      await client.query('COMMIT');
      return { applied: part.map(({ name }) => name), isNew, isDone: part.length === missing.length };
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  });
}

/**
 * Begins a transaction that holds the lock. A concurrent index build waits for other transactions, so that none waits for
 * the lock.
 */
async function beginLocked(client: pg.Client, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    await client.query('BEGIN');
    const { rows } = await client.query<{ isHeld: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS "isHeld"', [
      LOCK,
    ]);
    if (rows[0]?.isHeld === true) return;
    await client.query('ROLLBACK');
    await pause(LOCK_INTERVAL_MS, undefined, { signal });
  }
}

async function readApplied(client: pg.Client, { schema, shown }: ServerUrl): Promise<AppliedMigration[]> {
  await client.query(`SET LOCAL search_path = "${schema}"`);
  for (const { settings } of schemaForms()) await client.query(settings);
  // Idle while another connection builds an index.
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  // Skipped if they exist: even IF NOT EXISTS needs a privilege that the server's role may lack.
  const schemas = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (schemas.rowCount === 0) await client.query(`CREATE SCHEMA "${schema}"`);
  const { rows: tables } = await client.query<{ name: string }>(
    'SELECT tablename AS "name" FROM pg_tables WHERE schemaname = $1',
    [schema],
  );
  const names = tables.map(({ name }) => name);
  if (!names.includes('_prisma_migrations')) {
    refuseOriginal(names, shown);
    await client.query(MIGRATIONS_TABLE);
  }
  const { rows } = await client.query<AppliedMigration>(selectApplied());
  return rows;
}

/** The migrations of the next transaction: one that builds an index concurrently, or all before the next one. */
function nextPart(missing: readonly Migration[]): readonly Migration[] {
  const next = missing.findIndex(({ sql }) => concurrentIndexOf(sql) !== null);
  return next < 0 ? missing : missing.slice(0, Math.max(next, 1));
}

/** @returns whether the migration builds an index concurrently */
async function build(
  url: ServerUrl,
  { sql }: Migration,
  progress: MigrationReport,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const index = concurrentIndexOf(sql);
  const [statement] = statementsOf(sql);
  if (index === null || statement === undefined) return false;
  await buildIndex(url, { statement, index, signal, onPercent: (percent) => progress.reach(percent) });
  return true;
}

/** @param build builds its index outside of the transaction; null for a new database */
async function apply(client: pg.Client, migration: Migration, build: (() => Promise<boolean>) | null): Promise<void> {
  const startedAt = new Date();
  try {
    const isBuilt = await build?.();
    // One by one: in some forms of a schema, several commands in one query fail.
    if (isBuilt !== true) for (const each of statementsOf(migration.sql)) await client.query(inTransaction(each));
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

const PART =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/)|\$(?<tag>\w*)\$[\s\S]*?\$\k<tag>\$|(?<end>;)|[\s\S]/g;

/**
 * Splits a script at the semicolons outside of texts, names and comments. Not for nested comments, nor for escapes with
 * backslashes.
 */
export function statementsOf(script: string): string[] {
  const statements = [''];
  for (const { 0: part, groups } of script.matchAll(PART)) {
    if (groups?.['end'] !== undefined) statements.push('');
    else statements.push(`${statements.pop() ?? ''}${groups?.['comment'] === undefined ? part : ' '}`);
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}

const CONCURRENT_INDEX = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY "(?<name>\w+)"/;

/** The index that a migration builds beside the writes of servers, in one statement outside of a transaction; or null. */
export function concurrentIndexOf(script: string): string | null {
  const [first = '', ...others] = statementsOf(script);
  return others.length > 0 ? null : (CONCURRENT_INDEX.exec(first)?.groups?.['name'] ?? null);
}

/** The same in a transaction, for tables without rows. */
export function inTransaction(statement: string): string {
  return statement.replace(/^(CREATE (?:UNIQUE )?INDEX) CONCURRENTLY/, '$1');
}
