/** Migrates a SQLite file, and creates it if missing. */
import { randomUUID } from 'node:crypto';
import { openSqlite } from '../../system/sqlite-driver.js';
import { bundledMigrations, checksum, type Migration } from '../../database/drivers/bundled-migrations.js';
import { makeFile } from '../../database/connection/file-place.js';
import { retryWhileBusy } from '../../database/connection/retry.js';
import { failure } from '../../database/dialects/sqlite/failure.js';
import { migrationFailed, missingMigrations, selectApplied, refuseOriginal, type AppliedMigration } from './history.js';
import type { MigrationOutcome } from '../../database/opening/migrator.js';
import type { MigrationOptions } from '../../database/writing/progress.js';
import { reportMigrations, type MigrationReport } from './progress-report.js';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

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

/** A statement of a migration: several without results, or one with its arguments. */
interface Command {
  text: string;
  values?: unknown[];
}
type Row = Record<string, unknown>;
/** Yields statements, and receives their rows or errors. */
type Steps<T> = Generator<Command, T, Row[]>;

const isBusy = (error: unknown) => failure(error) === 'busy';

interface SqliteMigrationOptions extends MigrationOptions {
  /** Whether the process reopens the file: it is not created, and the caller waits for locks. */
  isReopened?: boolean | undefined;
}

/**
 * Applies pending migrations, all or nothing, one process at a time. Migrations of a file with content run in another
 * process: a statement blocks its thread, and its thread can end only with its process.
 * @param path of the file, relative to the working directory
 * @throws Error when the applied ones are not a prefix of these, or one fails; the signal's reason
 */
export async function migrateSqlite(
  path: string,
  migrations: readonly Migration[] = bundledMigrations('sqlite'),
  { isReopened = false, ...options }: SqliteMigrationOptions = {},
): Promise<MigrationOutcome> {
  const here = async () => {
    options.signal?.throwIfAborted();
    return migrateHere(path, migrations, isReopened);
  };
  const { outcome, missing } = await (isReopened ? here() : retryWhileBusy(here, isBusy));
  if (outcome !== null) return outcome;
  const progress = reportMigrations(missing.length, options);
  // The process may wait for a migration by another one.
  missing.slice(0, 1).forEach((first) => progress.start(first));
  const child = new SqliteProcess(path, LOCK_TIMEOUT_MS, options.signal);
  try {
    await child.run({ text: 'PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE' });
    const steps = applyMissing(migrations, progress);
    let step = steps.next([]);
    while (step.done !== true) {
      step = await child.run(step.value).then(
        (rows) => steps.next(rows),
        (error: unknown) => steps.throw(error),
      );
    }
    await child.run({ text: 'COMMIT' });
    return step.value;
  } finally {
    await child.end();
  }
}

/** @returns no outcome if the file has content and lacks migrations */
function migrateHere(
  path: string,
  migrations: readonly Migration[],
  isReopened: boolean,
): { outcome: MigrationOutcome | null; missing: readonly Migration[] } {
  if (!isReopened) makeFile(path);
  // A wait for locks would block the thread, and signals with it.
  const database = openSqlite(path, { timeout: 0, fileMustExist: isReopened });
  const run = ({ text, values }: Command): Row[] => {
    if (values === undefined) {
      database.exec(text);
      return [];
    }
    const statement = database.prepare(text);
    if (statement.reader) return statement.all(...values) as Row[];
    statement.run(...values);
    return [];
  };
  try {
    const tables = run({ text: `SELECT name FROM sqlite_master WHERE type = 'table'`, values: [] }).map(({ name }) =>
      String(name),
    );
    const isMigrated = tables.includes('_prisma_migrations');
    if (!isMigrated) refuseOriginal(tables, path);
    // A persistent property of the file that lets readers run during writes.
    database.pragma('journal_mode = WAL');
    // Rebuilding a table drops rows that reference it if foreign keys are on. They cannot be switched inside a
    // transaction; references are checked before the commit.
    database.pragma('foreign_keys = OFF');
    const applied = isMigrated ? runHere(readApplied(), run) : [];
    const missing = missingMigrations(applied, migrations);
    if (applied.length > 0) {
      return { missing, outcome: missing.length === 0 ? { applied: [], isNew: false } : null };
    }
    if (isReopened) throw new Error('it is empty, or belongs to another program');
    const apply = database.transaction(() => runHere(applyMissing(migrations), run));
    return { missing, outcome: apply.immediate() };
  } finally {
    database.close();
  }
}

function runHere<T>(steps: Steps<T>, run: (command: Command) => Row[]): T {
  for (let step = steps.next([]); ;) {
    if (step.done === true) return step.value;
    let rows: Row[];
    try {
      rows = run(step.value);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(rows);
  }
}

function* readApplied(): Steps<AppliedMigration[]> {
  return (yield { text: selectApplied(), values: [] }) as unknown as AppliedMigration[];
}

function* applyMissing(migrations: readonly Migration[], progress?: MigrationReport): Steps<MigrationOutcome> {
  yield { text: MIGRATIONS_TABLE };
  const applied = yield* readApplied();
  const missing = missingMigrations(applied, migrations);
  const isNew = applied.length === 0;
  // Unchanged files are not checked, which would take half a second per GB.
  if (missing.length === 0) return { applied: [], isNew };
  for (const migration of missing) {
    progress?.start(migration);
    yield* apply(migration);
    progress?.end();
  }
  const dangling = yield { text: 'PRAGMA foreign_key_check', values: [] };
  if (dangling.length > 0) {
    const tables = [...new Set(dangling.map((row) => row['table']))].join(', ');
    throw new Error(
      `after the migrations, rows of ${tables} would refer to rows that are not there; nothing was changed`,
    );
  }
  return { applied: missing.map((migration) => migration.name), isNew };
}

function* apply(migration: Migration): Steps<void> {
  const startedAt = Date.now();
  try {
    yield { text: migration.sql };
  } catch (error) {
    throw migrationFailed(migration, error);
  }
  yield {
    text: `INSERT INTO "_prisma_migrations"
         ("id", "checksum", "started_at", "finished_at", "migration_name", "applied_steps_count")
       VALUES (?, ?, ?, ?, ?, 1)`,
    values: [randomUUID(), checksum(migration), startedAt, Date.now(), migration.name],
  };
}

/** A process that runs the statements of migrations on a SQLite file: see sqlite-migration.js. */
const PROGRAM = fileURLToPath(new URL('./sqlite-migration.js', import.meta.url));

type Result = { rows: Row[] } | { failure: string };

class SqliteProcess {
  readonly #child;
  readonly #ended: Promise<unknown>;

  /** @param signal kills the process, so that SQLite rolls its transaction back */
  constructor(
    path: string,
    lockTimeoutMs: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    signal?.throwIfAborted();
    // Without the options of this process, such as a debugger's port.
    this.#child = fork(PROGRAM, [path, String(lockTimeoutMs)], { execArgv: [] });
    this.#ended = once(this.#child, 'exit').catch(() => {});
    signal?.addEventListener('abort', this.#kill);
  }

  readonly #kill = () => void this.#child.kill('SIGKILL');

  /** @throws Error of SQLite, or when the process has ended */
  async run(command: { text: string; values?: unknown[] }): Promise<Row[]> {
    const answer = once(this.#child, 'message') as Promise<[Result]>;
    const ended = this.#ended.then((): never => {
      this.signal?.throwIfAborted();
      throw new Error('the process of the migration ended');
    });
    answer.catch(() => {});
    this.#child.send(command, () => {});
    const [result] = await Promise.race([answer, ended]);
    if ('failure' in result) throw new Error(result.failure);
    return result.rows;
  }

  /** Ends the process, which rolls back what is not committed. */
  async end(): Promise<void> {
    this.signal?.removeEventListener('abort', this.#kill);
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }
}
