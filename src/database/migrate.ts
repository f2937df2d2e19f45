/**
 * Brings a SQLite file up to date, and makes it when there is none. Writes the same `_prisma_migrations` table as
 * `prisma migrate deploy`, whose engine cannot be had without a download, so that it can go on where this stopped.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';

export interface Migration {
  name: string;
  sql: string;
}

export interface MigrationOutcome {
  applied: string[];
  isNew: boolean;
}

/** Waits this long, in milliseconds, for another process that migrates the same file. */
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

/** The project's own migrations, in order. */
export function bundledMigrations(): Migration[] {
  const folder = migrationsFolder();
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }));
}

function migrationsFolder(): string {
  // src/database/ in the sources, dist/database/ when built: the project is two folders up from both.
  return fileURLToPath(new URL('../../prisma/migrations/sqlite/', import.meta.url));
}

/**
 * Applies what is missing, all or nothing, one process at a time.
 *
 * @param url `file:` and a path
 * @returns the names of the migrations that were applied, and whether the file had none before
 * @throws Error when the file's migrations are not the beginning of these: it is of a newer Parley, or was changed
 */
export function migrateSqlite(url: string, migrations: readonly Migration[] = bundledMigrations()): MigrationOutcome {
  try {
    return migrateFile(sqlitePath(url), migrations);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot use the database ${url}: ${reason}`, { cause: error });
  }
}

function migrateFile(path: string, migrations: readonly Migration[]): MigrationOutcome {
  mkdirSync(dirname(path), { recursive: true });
  const database = new Database(path, { timeout: LOCK_TIMEOUT_MS });
  try {
    switchToWal(database);
    // A migration that rebuilds a table drops the old one, and with foreign keys on all that refers to it. They cannot
    // be switched inside a transaction; what a migration leaves is checked before it commits.
    database.pragma('foreign_keys = OFF');
    return database.transaction(() => applyMissing(database, migrations)).immediate();
  } finally {
    database.close();
  }
}

/**
 * Readers beside the writer: a property of the file, which it keeps. While several processes make a new file at once,
 * SQLite refuses the switch to some of them without waiting, however long its timeout is.
 */
function switchToWal(database: Database.Database): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const deadline = Date.now() + LOCK_TIMEOUT_MS; ;) {
    try {
      database.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const isBusy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isBusy || Date.now() > deadline) throw error;
    }
    Atomics.wait(pause, 0, 0, 5);
  }
}

/** The path of a `file:` URL in the form that Prisma takes, such as file:./data/parley.db. */
export function sqlitePath(url: string): string {
  return url.replace(/^file:/, '');
}

function applyMissing(database: Database.Database, migrations: readonly Migration[]): MigrationOutcome {
  database.exec(MIGRATIONS_TABLE);
  const applied = database
    .prepare(
      `SELECT "migration_name" AS name, "checksum" FROM "_prisma_migrations"
       WHERE "finished_at" IS NOT NULL AND "rolled_back_at" IS NULL ORDER BY "migration_name"`,
    )
    .all() as { name: string; checksum: string }[];
  applied.forEach((row, n) => {
    const expected = migrations[n];
    if (expected === undefined || expected.name !== row.name) {
      throw new Error(`the database has the migration "${row.name}", which this version of Parley does not know`);
    }
    if (checksum(expected) !== row.checksum) {
      throw new Error(`the migration "${row.name}" was changed after the database had applied it`);
    }
  });
  const missing = migrations.slice(applied.length);
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

function apply(database: Database.Database, migration: Migration): void {
  const startedAt = Date.now();
  try {
    database.exec(migration.sql);
  } catch (error) {
    throw new Error(`the migration "${migration.name}" failed, and nothing was changed: ${String(error)}`, {
      cause: error,
    });
  }
  database
    .prepare(
      `INSERT INTO "_prisma_migrations"
         ("id", "checksum", "started_at", "finished_at", "migration_name", "applied_steps_count")
       VALUES (?, ?, ?, ?, ?, 1)`,
    )
    .run(randomUUID(), checksum(migration), startedAt, Date.now(), migration.name);
}

function checksum({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex');
}
