/** A database as the rest of src/database uses it, whichever of the three it is. */
import type { Prisma, PrismaClient } from '../generated/sqlite/client.js';
import type { Dialect } from './dialect.js';

/**
 * The client of SQLite stands for those of all three: their models have the same fields, and the one that has another
 * type on PostgreSQL, the metadata of chats, is read and written by the dialects alone.
 */
export type Client = PrismaClient;
export type Transaction = Prisma.TransactionClient;

export interface Connection {
  /** The statements of this database. */
  readonly sql: Dialect;
  /**
   * Runs a query. Any number may run at once.
   * @throws DatabaseUnavailableError when the database cannot be reached
   */
  read<T>(query: (client: Client) => Promise<T>): Promise<T>;
  /**
   * Runs a transaction, and again when it was only in the way of another. Those with the same key run one after the
   * other, so that a busy chat takes one connection and not all.
   * @throws DatabaseUnavailableError when the database cannot be reached
   */
  write<T>(key: string, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Lets what runs finish, and closes. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  /**
   * Whether the database may only be read: it is not brought up to date, and a SQLite file cannot be changed.
   * @default false
   */
  isReadOnly?: boolean | undefined;
  /** Called with each SQL statement that is sent, transaction control apart: for counting and for logs. */
  onStatement?: ((sql: string) => void) | undefined;
}

/** Prisma's own limits on a transaction, in milliseconds: wide, because the queues and the database set the real ones. */
export const TRANSACTION_LIMITS = { maxWait: 60_000, timeout: 600_000 };

/** The log setting of a client whose statements are told. */
export const TOLD_STATEMENTS = { log: [{ emit: 'event' as const, level: 'query' as const }] };

/** Tells the statements of a client that was made with TOLD_STATEMENTS. */
export function tellStatements(
  client: { $on(event: 'query', listener: (event: { query: string }) => void): unknown },
  tell: (sql: string) => void,
): void {
  client.$on('query', ({ query }) => {
    if (!/^(BEGIN|COMMIT|ROLLBACK|SET|PRAGMA)\b/.test(query)) tell(query);
  });
}
