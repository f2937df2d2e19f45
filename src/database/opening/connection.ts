/** A database as the rest of src/database uses it, whichever of the three it is. */
import type { Prisma, PrismaClient } from '../../generated/sqlite/client.js';
import type { ContentBudget } from '../../conversation/content-budget.js';
import type { Dialect } from '../dialects/dialect.js';
import { observedAdapter, type TellStatement } from './observed-adapter.js';

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
   * @throws DatabaseUnavailableError when the database cannot be reached, TimeoutError when it took too long
   */
  read<T>(query: (client: Client) => Promise<T>): Promise<T>;
  /**
   * The same, before all that waits: of whoever looks whether the database is there, however busy it is. Where nothing waits
   * for the process itself, `read` does.
   */
  look?<T>(query: (client: Client) => Promise<T>): Promise<T>;
  /**
   * Runs a transaction, and again when it was only in the way of another. Those with the same key run one after the
   * other, so that a busy chat takes one connection and not all.
   * @throws DatabaseUnavailableError when the database cannot be reached, TimeoutError when a statement took too long
   */
  write<T>(key: string, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Where what is read of messages and chats counts, of one operation. */
  readonly content?: ContentBudget | undefined;
  /**
   * Of a SQLite file: moves all that its write-ahead log has into the file, and empties the log, which otherwise keeps what
   * was there before a change for as long as anybody has the file open.
   * @returns whether it is empty; it is not while somebody else reads
   */
  emptyLog?(): Promise<boolean>;
  /** Lets what runs finish, and closes. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  /**
   * Whether the database may only be read: it is not brought up to date, and a SQLite file cannot be changed.
   * @default false
   */
  isReadOnly?: boolean | undefined;
  /**
   * After how many milliseconds PostgreSQL gives up a statement: one that waits for ever holds its connection as long. The
   * statements of SQLite run to their end.
   * @default never
   */
  statementTimeouts?: { readMs: number; writeMs: number } | undefined;
  /** Called with each SQL statement that was answered, transaction control apart: for counting and for traces. */
  onStatement?: TellStatement | undefined;
}

/** Prisma's own limits on a transaction, in milliseconds: wide, because the queues and the database set the real ones. */
export const TRANSACTION_LIMITS = { maxWait: 60_000, timeout: 600_000 };

/** One of the generated clients, with the adapter that each of them takes. */
type ClientClass = new (options: { adapter: object }) => Client;

/**
 * Makes a client, whose statements are told if somebody asks for them.
 * @param generated the PrismaClient of any of the three: see Client
 */
export function createClient(generated: unknown, adapter: object, { onStatement }: ConnectionOptions): Client {
  const PrismaClient = generated as ClientClass;
  return new PrismaClient({ adapter: onStatement === undefined ? adapter : observedAdapter(adapter, onStatement) });
}
