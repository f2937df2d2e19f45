/** SQLite: one client that writes, one transaction at a time, and one that reads. */
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { DatabaseUnavailableError } from '../../../conversation/errors.js';
import { PrismaClient } from '../../../generated/sqlite/client.js';
import {
  createClient,
  TRANSACTION_LIMITS,
  type Client,
  type Connection,
  type ConnectionOptions,
} from '../connection.js';
import { IN_MEMORY } from '../database-url.js';
import { sqlite } from '../../dialects/sqlite.js';
import { LoopTurns } from '../loop-turns.js';
import { bundledMigrations } from '../../migrations/bundled.js';
import { WriteQueue } from '../write-queue.js';

/**
 * How long SQLite itself waits for another process's write lock, in milliseconds. It sleeps in the process's only
 * thread, so the wait is short, and the write queue tries again.
 */
const BUSY_TIMEOUT_MS = 100;

/** Opens a migrated file. */
export async function openSqliteFile(path: string, options: ConnectionOptions): Promise<Connection> {
  const readonly = options.isReadOnly ?? false;
  const connect = () =>
    createClient(
      PrismaClient,
      new PrismaBetterSqlite3({ url: `file:${path}`, timeout: BUSY_TIMEOUT_MS, readonly, fileMustExist: readonly }),
      options,
    );
  // A plain query on a connection with an open transaction would join it, and be rolled back with it.
  const [writer, reader] = [connect(), connect()];
  const queue = new WriteQueue(isBusy);
  const turns = new LoopTurns();
  const close = async () => {
    await Promise.all([writer.$disconnect(), reader.$disconnect()]);
  };
  try {
    for (const client of [writer, reader]) await prepare(client);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    sql: sqlite,
    read: (query) => turns.run(() => query(reader)).catch(explain),
    look: (query) => query(reader).catch(explain),
    write: (_, work) => queue.run(() => writer.$transaction(work, TRANSACTION_LIMITS)).catch(explain),
    emptyLog: () => queue.run(() => emptyLog(writer)).catch(explain),
    close: () => queue.run(close),
  };
}

/**
 * Makes a database that is gone when it is closed. It has one connection, so that queries take their turns with the
 * transactions.
 */
export async function openSqliteMemory(options: ConnectionOptions): Promise<Connection> {
  const factory = new PrismaBetterSqlite3({ url: IN_MEMORY });
  const adapter = await factory.connect();
  for (const migration of bundledMigrations('sqlite')) await adapter.executeScript(migration.sql);
  const { provider, adapterName } = factory;
  const client = createClient(
    PrismaClient,
    { provider, adapterName, connect: () => Promise.resolve(adapter) },
    options,
  );
  await prepare(client);
  const queue = new WriteQueue(isBusy);
  return {
    sql: sqlite,
    read: (query) => queue.run(() => query(client)).catch(explain),
    write: (_, work) => queue.run(() => client.$transaction(work, TRANSACTION_LIMITS)).catch(explain),
    close: () => queue.run(() => client.$disconnect()),
  };
}

/**
 * WAL, which lets readers and the writer work at once, is the file's own and set by the migrations. In it, NORMAL loses
 * nothing when the process is killed, whenever that happens.
 */
async function prepare(client: Client): Promise<void> {
  await client.$queryRaw`PRAGMA synchronous = NORMAL`;
  await client.$queryRaw`PRAGMA foreign_keys = ON`;
  await client.$queryRaw`PRAGMA cache_size = -64000`;
  await client.$queryRaw`PRAGMA temp_store = MEMORY`;
  await client.$queryRaw`PRAGMA mmap_size = 268435456`;
}

async function emptyLog(client: Client): Promise<boolean> {
  const [row] = await client.$queryRaw<{ busy: number | bigint }[]>`PRAGMA wal_checkpoint(TRUNCATE)`;
  return Number(row?.busy) === 0;
}

const isBusy = (error: unknown) => sqlite.failure(error) === 'busy';

function explain(error: unknown): never {
  if (sqlite.failure(error) === 'unavailable') {
    throw new DatabaseUnavailableError('The database cannot be used', { cause: error });
  }
  throw error;
}
