/** Migrates a SQLite file, and creates it if missing. */
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { isSqliteError, openSqlite, type SqliteFile } from '../../sqlite-driver.js';
import { bundledMigrations, checksum, type Migration } from './bundled.js';
import { makeFolder } from '../opening/file-place.js';
import { migrationFailed, missingMigrations, type AppliedMigration, type MigrationOutcome } from './history.js';

/** Milliseconds to wait for another process that migrates the same file. */
const LOCK_TIMEOUT_MS = 30_000;

const MIGRATIONS_TABLE = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" TEXT PRIMARY KEY NOT NULL,
    "checksum" TEXT NOT NULL,
    "finished_at" DATETIME,
    "migration_name" TEXT NOT NULL,
    "logs" TEXT,
    "rolled_back_at" DATETIME,
    "started_at" DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0
  )`;

/**
 * Applies pending migrations, all or nothing, one process at a time.
 * @param path of the file, relative to the working directory
 * @param isReopened whether the process reopens the file: it is not created, and the wait for locks does not block the
 * thread
 * @throws Error when the applied ones are not a prefix of these, or one fails
 */
export function migrateSqlite(
  path: string,
  migrations: readonly Migration[] = bundledMigrations('sqlite'),
  isReopened = false,
): MigrationOutcome {
  const lockTimeoutMs = isReopened ? 0 : LOCK_TIMEOUT_MS;
  makeFolder(dirname(path));
  const database = openSqlite(path, { timeout: lockTimeoutMs, fileMustExist: isReopened });
  try {
    switchToWal(database, lockTimeoutMs);
    // Rebuilding a table drops rows that reference it if foreign keys are on. They cannot be switched inside a
    // transaction; references are checked before the commit.
    database.pragma('foreign_keys = OFF');
    return database.transaction(() => applyMissing(database, migrations, isReopened)).immediate();
  } finally {
    database.close();
  }
}

/**
 * A persistent property of the file that lets readers run during writes. When several processes create the file at
 * once, SQLite rejects the switch without waiting.
 */
function switchToWal(database: SqliteFile, lockTimeoutMs: number): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const deadline = Date.now() + lockTimeoutMs; ;) {
    try {
      database.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const isBusy = isSqliteError(error) && error.code.startsWith('SQLITE_BUSY');
      if (!isBusy || Date.now() > deadline) throw error;
    }
    Atomics.wait(pause, 0, 0, 5);
  }
}

function applyMissing(database: SqliteFile, migrations: readonly Migration[], isReopened: boolean): MigrationOutcome {
  database.exec(MIGRATIONS_TABLE);
  const rows = database
    .prepare(
      `SELECT "migration_name" AS "name", "checksum", "finished_at" IS NOT NULL AS "isFinished"
       FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL ORDER BY "migration_name"`,
    )
    .all() as (Omit<AppliedMigration, 'isFinished'> & { isFinished: number })[];
  const applied = rows.map((row) => ({ ...row, isFinished: row.isFinished === 1 }));
  const missing = missingMigrations(applied, migrations);
  if (isReopened && applied.length === 0) throw new Error('it is empty, or belongs to another program');
  // Unchanged files are not checked, which would take half a second per GB.
  if (missing.length === 0) return { applied: [], isNew: applied.length === 0 };
  for (const migration of missing) apply(database, migration);
  const dangling = database.pragma('foreign_key_check') as { table: string }[];
  if (dangling.length > 0) {
    const tables = [...new Set(dangling.map((row) => row.table))].join(', ');
    throw new Error(
      `after the migrations, rows of ${tables} would refer to rows that are not there; nothing was changed`,
    );
  }
  return { applied: missing.map((migration) => migration.name), isNew: applied.length === 0 };
}

function apply(database: SqliteFile, migration: Migration): void {
  const startedAt = Date.now();
  try {
    database.exec(migration.sql);
  } catch (error) {
    throw migrationFailed(migration, error);
  }
  database
    .prepare(
      `INSERT INTO "_prisma_migrations"
         ("id", "checksum", "started_at", "finished_at", "migration_name", "applied_steps_count")
       VALUES (?, ?, ?, ?, ?, 1)`,
    )
    .run(randomUUID(), checksum(migration), startedAt, Date.now(), migration.name);
}
