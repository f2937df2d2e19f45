/** SQLite: one connection that writes, one transaction at a time, and one that reads. */
import Database from 'better-sqlite3';
import sql, { type Sql } from 'sql-template-tag';
import { DatabaseUnavailableError } from '../../../conversation/errors.js';
import { sqlite } from '../../dialects/sqlite/sqlite.js';
import { bundledMigrations } from '../../migrations/bundled.js';
import type { Caller } from '../../../limits/fair-queue.js';
import type { Connection, ConnectionOptions } from '../connection.js';
import { IN_MEMORY } from '../database-url.js';
import { LoopTurns } from '../loop-turns.js';
import { WriteQueue } from '../write-queue.js';
import { SqliteSession } from './sqlite-session.js';
import { SqliteThreads } from './sqlite-threads.js';

/**
 * How long SQLite itself waits for another process's write lock, in milliseconds. It sleeps in the process's only
 * thread, so the wait is short, and the write queue tries again.
 */
const BUSY_TIMEOUT_MS = 100;

/** Settings of every connection. NORMAL loses nothing in WAL when the process is killed, whenever that happens. */
const PRAGMAS = ['synchronous = NORMAL', 'foreign_keys = ON', 'temp_store = MEMORY', 'mmap_size = 268435456'];
/** Of the connections that serve everybody: what is used again and again stays in memory. */
const CACHE = 'cache_size = -64000';

/** Opens a migrated file. */
export async function openSqliteFile(
  path: string,
  { isReadOnly, onStatement }: ConnectionOptions,
): Promise<Connection> {
  const readonly = isReadOnly ?? false;
  const open = (kind: 'change' | 'read') => {
    const database = new Database(path, { timeout: BUSY_TIMEOUT_MS, readonly, fileMustExist: readonly });
    return new SqliteSession(prepared(database), kind, onStatement);
  };
  // A plain query on a connection with an open transaction would join it, and be rolled back with it.
  const writer = open('change');
  const reader = open('read');
  const queue = new WriteQueue(isBusy);
  const turns = new LoopTurns();
  const threads = new SqliteThreads(path, PRAGMAS, onStatement);
  return {
    sql: sqlite,
    readLong: <T extends object>(statement: Sql, caller?: Caller) => threads.rows<T>(statement, caller).catch(explain),
    readBytes: (statement, caller) => threads.bytes(statement, caller).catch(explain),
    read: (query, caller) => turns.run(() => query(reader), caller).catch(explain),
    look: (query) => query(reader).catch(explain),
    write: (_, work, caller) => queue.run(() => writer.transaction(work), caller).catch(explain),
    emptyLog: () => queue.run(() => emptyLog(writer)).catch(explain),
    close: () =>
      queue.run(async () => {
        await threads.close();
        writer.close();
        reader.close();
      }),
  };
}

/**
 * Makes a database that is gone when it is closed. It has one connection, so that queries take their turns with the
 * transactions.
 */
export async function openSqliteMemory({ onStatement }: ConnectionOptions): Promise<Connection> {
  const database = prepared(new Database(IN_MEMORY));
  for (const migration of bundledMigrations('sqlite')) database.exec(migration.sql);
  const writer = new SqliteSession(database, 'change', onStatement);
  const reader = new SqliteSession(database, 'read', onStatement);
  const queue = new WriteQueue(isBusy);
  return {
    sql: sqlite,
    read: (query) => queue.run(() => query(reader)).catch(explain),
    readLong: <T extends object>(statement: Sql) => queue.run(() => reader.rows<T>(statement)).catch(explain),
    write: (_, work) => queue.run(() => writer.transaction(work)).catch(explain),
    close: () => queue.run(async () => void database.close()),
  };
}

/** WAL, which lets readers and the writer work at once, is the file's own and set by the migrations. */
function prepared(database: Database.Database): Database.Database {
  try {
    for (const pragma of [...PRAGMAS, CACHE]) database.pragma(pragma);
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

function explain(error: unknown): never {
  if (sqlite.failure(error) === 'unavailable') {
    throw new DatabaseUnavailableError('The database cannot be used', { cause: error });
  }
  throw error;
}
