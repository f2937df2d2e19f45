/** The connections to the database: one client that writes, only in transactions, and one that reads. */
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaClient } from '../generated/sqlite/client.js';

export interface DatabaseClients {
  /**
   * For transactions alone. A plain query on a connection with an open transaction would join it, and be rolled back
   * with it.
   */
  readonly writer: PrismaClient;
  readonly reader: PrismaClient;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** `file:` and a path, relative to the working directory. */
  url: string;
  /** Called with each SQL statement that is sent, transaction control apart: for counting and for logs. */
  onStatement?: ((sql: string) => void) | undefined;
}

/**
 * How long SQLite itself waits for another process's write lock, in milliseconds. It sleeps in the process's only
 * thread, so the wait is short, and the write queue tries again.
 */
const BUSY_TIMEOUT_MS = 100;

/** Opens a migrated database. */
export async function openClients({ url, onStatement }: DatabaseOptions): Promise<DatabaseClients> {
  const [writer, reader] = [connect(url, onStatement), connect(url, onStatement)];
  const close = async () => {
    await Promise.all([writer.$disconnect(), reader.$disconnect()]);
  };
  try {
    // WAL, which lets readers and the writer work at once, is the file's own and set by the migrations. In it, NORMAL
    // loses nothing when the process is killed, whenever that happens.
    for (const client of [writer, reader]) {
      await client.$queryRaw`PRAGMA synchronous = NORMAL`;
      await client.$queryRaw`PRAGMA foreign_keys = ON`;
      await client.$queryRaw`PRAGMA cache_size = -64000`;
      await client.$queryRaw`PRAGMA temp_store = MEMORY`;
      await client.$queryRaw`PRAGMA mmap_size = 268435456`;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { writer, reader, close };
}

function connect(url: string, onStatement: DatabaseOptions['onStatement']): PrismaClient {
  const adapter = new PrismaBetterSqlite3({ url, timeout: BUSY_TIMEOUT_MS });
  if (onStatement === undefined) return new PrismaClient({ adapter });
  const client = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  client.$on('query', ({ query }) => {
    if (!/^(BEGIN|COMMIT|ROLLBACK|PRAGMA)\b/.test(query)) onStatement(query);
  });
  return client;
}
