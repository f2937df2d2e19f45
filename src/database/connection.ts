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

/** One of the generated clients, with the adapter that each of them takes. */
type ClientClass = new (options: { adapter: object; log?: object[] }) => Client;

/**
 * Makes a client, whose statements are told if somebody asks for them: Prisma logs none otherwise, which is quicker.
 * @param generated the PrismaClient of any of the three: see Client
 */
export function createClient(generated: unknown, adapter: object, { onStatement }: ConnectionOptions): Client {
  const PrismaClient = generated as ClientClass;
  if (onStatement === undefined) return new PrismaClient({ adapter });
  const client = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  (client as unknown as { $on(event: 'query', listener: (event: { query: string }) => void): void }).$on(
    'query',
    ({ query }) => {
      if (!/^(BEGIN|COMMIT|ROLLBACK|SET|PRAGMA)\b/.test(query)) onStatement(query);
    },
  );
  return client;
}
