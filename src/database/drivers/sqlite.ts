/** SQLite: one connection that writes, one transaction at a time, and one that reads. */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { DatabaseUnavailableError } from '../../conversation/errors.js';
import { sqlite } from '../dialects/sqlite/sqlite.js';
import { bundledMigrations } from './bundled-migrations.js';
import { openSqlite, type SqliteFile } from '../../system/sqlite-driver.js';
import { PLAIN_SCOPE, type ConnectionOptions, type Provider, type Queryable } from '../connection/connection.js';
import { IN_MEMORY } from '../connection/database-url.js';
import { longReads } from '../connection/long-reads.js';
import { beforeDeadline, inSteps, type Step } from '../connection/pipeline.js';
import { retryWhileBusy } from '../connection/retry.js';
import { EventLoopSlots } from '../../scheduler/event-loop-slots.js';
import { WriteQueue } from '../connection/write-queue.js';
import { DiskReserve } from './disk-reserve.js';
import { SqliteChanges } from './sqlite-changes.js';
import { SqliteFiles } from './sqlite-files.js';
import { SqliteGuard } from './sqlite-guard.js';
import { SqliteSession } from './sqlite-session.js';
import { SqliteThreads } from './sqlite-threads.js';

/** Settings of every connection. In WAL mode, NORMAL loses nothing when the process is killed. */
const PRAGMAS = [
  'synchronous = NORMAL',
  'foreign_keys = ON',
  'temp_store = MEMORY',
  // A truncated file gives a read error; with memory mapping it would crash the process.
  'mmap_size = 0',
];
const CACHE = 'cache_size = -64000';

/** Attempts to close a file that another connection reads, and the milliseconds between them. */
const LEAVE_ATTEMPTS = 50;
const LEAVE_PAUSE_MS = 100;

/** Reads a little from many places, and returns the size of all pages. */
const READ_ANEW = sql`
  SELECT "page_count" * "page_size" AS "bytes", (SELECT count(*) FROM sqlite_schema) AS "tables",
    (SELECT count(*) FROM "search_index") AS "versions",
    (SELECT "id" FROM "messages" ORDER BY rowid LIMIT 1) AS "first",
    (SELECT "id" FROM "messages" ORDER BY rowid DESC LIMIT 1) AS "last"
  FROM pragma_page_count(), pragma_page_size()`;

/** Bytes of unused pages in the file. */
const UNUSED = sql`
  SELECT "freelist_count" * "page_size" AS "bytes" FROM pragma_freelist_count(), pragma_page_size()`;

export async function openSqliteFile(path: string, { isReadOnly, onStatement }: ConnectionOptions): Promise<Provider> {
  const readonly = isReadOnly ?? false;
  // No busy timeout: it would block the main thread.
  const open = (readonly: boolean) => prepared(openSqlite(path, { timeout: 0, readonly, fileMustExist: readonly }));
  const openInTime = () => retryWhileBusy(async () => open(readonly), isBusy);
  // A plain query on a connection with an open transaction would join it, and be rolled back with it.
  const writer = new SqliteSession(await openInTime(), 'change', onStatement);
  const reader = new SqliteSession(await openInTime(), 'read', onStatement);
  const queue = new WriteQueue(isBusy);
  const slots = new EventLoopSlots();
  const threads = new SqliteThreads(path, PRAGMAS, onStatement);
  const leave = (isLost: boolean) =>
    queue.run(async () => {
      await threads.close();
      // Checkpoints commits where possible: the next file may be a different one.
      for (let n = 0; isLost && n < LEAVE_ATTEMPTS && !(await emptyLog(writer).catch(() => true)); n++) {
        await pause(LEAVE_PAUSE_MS, undefined, { ref: false });
      }
      writer.close();
      reader.close();
    });
  /** On a new connection with an empty cache. */
  const anew = async <T>(query: (db: Queryable) => Promise<T>): Promise<T> => {
    const fresh = new SqliteSession(open(true), 'read');
    try {
      return await query(fresh);
    } finally {
      fresh.close();
    }
  };
  const readAnew = async (db: Queryable) => BigInt((await db.rows<{ bytes: number }>(READ_ANEW))[0]?.bytes ?? 0);
  const files = readonly ? null : new SqliteFiles(path);
  const guard = new SqliteGuard({ files, readSize: () => anew(readAnew), leave });
  const diskReserve = new DiskReserve(dirname(realpathSync(path)), async () => {
    const [row] = await reader.rows<{ bytes: number }>(UNUSED);
    return row?.bytes ?? 0;
  });
  const changes = new SqliteChanges({ writer, queue, diskReserve });
  return {
    sql: sqlite,
    scope: PLAIN_SCOPE,
    lost: guard.lost,
    long: {
      rows: (statement, caller) => guard.run(() => threads.rows<never>(statement, caller)).catch(explain),
      bytes: (statement, caller) => guard.run(() => threads.bytes(statement, caller)).catch(explain),
    },
    read: (query, caller) =>
      guard.run(() => retryWhileBusy(() => slots.run(() => query(reader), caller), isBusy)).catch(explain),
    probe: async (query) => {
      await guard.verify();
      return guard
        .run(() => retryWhileBusy(() => anew((db) => readAnew(db).then(() => query(db))), isBusy))
        .catch(explain);
    },
    ...inSteps(
      {
        deadline: beforeDeadline,
        failure: explained,
        guard: (next) => (job) => guard.run(() => next(job)),
        turn: (next) => (job) => queue.run(next, job.caller, job),
        reserve: (next) => async (job) => {
          if (job.isRemoval !== true) await diskReserve.check();
          return next(job);
        },
        files: (next) => async (job) => {
          await guard.verify();
          const result = await next(job);
          await guard.verify();
          return result;
        },
        outcome: (next) => (job) => changes.note(() => next(job)),
      },
      writer.transaction,
    ),
    takesChanges: () => changes.areTaken(),
    pools: () => [],
    emptyLog: () => guard.run(() => queue.run(() => emptyLog(writer))).catch(explain),
    close: () => guard.close(),
  };
}

/** Creates a database in memory. It has one connection, so queries and transactions alternate. */
export async function openSqliteMemory({ onStatement }: ConnectionOptions): Promise<Provider> {
  const database = prepared(openSqlite(IN_MEMORY));
  for (const migration of bundledMigrations('sqlite')) database.exec(migration.sql);
  const writer = new SqliteSession(database, 'change', onStatement);
  const reader = new SqliteSession(database, 'read', onStatement);
  const queue = new WriteQueue(isBusy);
  const read: Provider['read'] = (query) => queue.run(query, undefined, reader).catch(explain);
  return {
    sql: sqlite,
    scope: PLAIN_SCOPE,
    lost: null,
    read,
    probe: read,
    long: longReads((statement) => read((db) => db.rows(statement))),
    ...inSteps(
      { deadline: beforeDeadline, failure: explained, turn: (next) => (job) => queue.run(next, undefined, job) },
      writer.transaction,
    ),
    takesChanges: () => Promise.resolve(true),
    pools: () => [],
    emptyLog: () => Promise.resolve(true),
    close: () => queue.run(async () => void database.close()),
  };
}

/** WAL, with concurrent readers, is a property of the file that the migrations set. */
function prepared(database: SqliteFile): SqliteFile {
  try {
    for (const pragma of [...PRAGMAS, CACHE]) database.pragma(pragma);
    // SQLite opens and creates its log on the first read.
    database.pragma('schema_version');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

async function emptyLog(writer: SqliteSession): Promise<boolean> {
  const [row] = await writer.rows<{ busy: number }>(sql`PRAGMA wal_checkpoint(TRUNCATE)`);
  return row?.busy === 0;
}

const isBusy = (error: unknown) => sqlite.failure(error) === 'busy';

const explained: Step = (next) => (job) => next(job).catch(explain);

function explain(error: unknown): never {
  if (sqlite.failure(error) === 'unavailable') {
    throw new DatabaseUnavailableError('The database cannot be used', { cause: error });
  }
  throw error;
}
