/** SQLite: one connection that writes, one transaction at a time, and one that reads. */
import Database from 'better-sqlite3';
import sql from 'sql-template-tag';
import { DatabaseUnavailableError } from '../../../conversation/errors.js';
import { sqlite } from '../../dialects/sqlite/sqlite.js';
import { bundledMigrations } from '../../migrations/bundled.js';
import type { Connection, ConnectionOptions } from '../connection.js';
import { IN_MEMORY } from '../database-url.js';
import { LoopTurns } from '../loop-turns.js';
import { WriteQueue } from '../write-queue.js';
import { SqliteSession } from './sqlite-session.js';

/**
 * How long SQLite itself waits for another process's write lock, in milliseconds. It sleeps in the process's only
 * thread, so the wait is short, and the write queue tries again.
 */
const BUSY_TIMEOUT_MS = 100;

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
  return {
    sql: sqlite,
    read: (query) => turns.run(() => query(reader)).catch(explain),
    look: (query) => query(reader).catch(explain),
    write: (_, work) => queue.run(() => writer.transaction(work)).catch(explain),
    emptyLog: () => queue.run(() => emptyLog(writer)).catch(explain),
    close: () =>
      queue.run(async () => {
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
    write: (_, work) => queue.run(() => writer.transaction(work)).catch(explain),
    close: () => queue.run(async () => void database.close()),
  };
}

/**
 * WAL, which lets readers and the writer work at once, is the file's own and set by the migrations. In it, NORMAL loses
 * nothing when the process is killed, whenever that happens.
 */
function prepared(database: Database.Database): Database.Database {
  try {
    database.pragma('synchronous = NORMAL');
    database.pragma('foreign_keys = ON');
    database.pragma('cache_size = -64000');
    database.pragma('temp_store = MEMORY');
    database.pragma('mmap_size = 268435456');
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
