/** A database as the rest of src/database uses it, whichever of the three it is. */
import type { Sql } from 'sql-template-tag';
import type { Bytes } from '../../conversation/reads.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import type { ContentBudget } from '../../limits/content-budget.js';
import type { Dialect } from '../dialects/dialect.js';
import type { TellStatement } from './observed-statement.js';

/** Where statements run. */
export interface Queryable {
  /**
   * The rows that a statement answers, as objects with a member for each column. Integers are numbers, but for BIGINT on SQL
   * Server, which is text.
   */
  rows<T extends object>(statement: Sql): Promise<T[]>;
  /** Runs a statement that answers no rows. @returns how many rows it has written or deleted */
  run(statement: Sql): Promise<number>;
}

export interface Transaction extends Queryable {
  /**
   * To be called between pieces of work: others have their turn when this one has lasted long. Each statement begins with it.
   * @throws TimeoutError when the operation has no time left
   */
  yieldIfDue(): Promise<void>;
  /**
   * Runs a statement after all others, and so that it takes no round trip of its own: with the commit, which does not happen
   * when it fails.
   */
  runLast(statement: Sql): void;
}

/** A database that was given up. */
export interface Loss {
  /** What whoever asks is told. */
  readonly error: Error;
  /**
   * To be called before it is opened again: what is left of it is not for another file in its place.
   * @param failure why it could not be opened before; null the first time
   * @returns where that was put; null when it was left
   */
  makeRoom(failure: unknown): string | null;
}

/** Connections to a database server that jobs take in turn. */
export interface Pool {
  readonly name: 'read' | 'write';
  /** How many connections it may open. */
  readonly size: number;
  /** How many of them jobs have now. */
  readonly used: number;
  /** How many jobs wait for one. */
  readonly waiting: number;
}

export interface Connection {
  /** The statements of this database. */
  readonly sql: Dialect;
  /**
   * Runs a query. Any number may run at once.
   * @param caller whose turn it takes, where turns are taken; the server's own by default
   * @throws DatabaseUnavailableError when the database cannot be reached, TimeoutError when it took too long
   */
  read<T>(query: (db: Queryable) => Promise<T>, caller?: Caller): Promise<T>;
  /**
   * The rows of a statement that takes long, or may: where one thread would serve nobody else meanwhile, another one runs it.
   * @throws what `read` does
   */
  readLong<T extends object>(statement: Sql, caller?: Caller): Promise<T[]>;
  /**
   * The bytes that the only column of the only row has, of a statement that takes long; null when it has none. Where another
   * thread runs those.
   * @throws what `read` does
   */
  readBytes?(statement: Sql, caller?: Caller): Promise<Bytes | null>;
  /**
   * The same as `read`, before all that waits: of whoever looks whether the database is there, however busy it is. Where nothing waits
   * for the process itself, `read` does.
   */
  look?<T>(query: (db: Queryable) => Promise<T>): Promise<T>;
  /**
   * Runs a transaction, and again when it was only in the way of another. Those with the same key run one after the
   * other, so that a busy chat takes one connection and not all.
   * @throws DatabaseUnavailableError when the database cannot be reached, TimeoutError when a statement took too long
   */
  write<T>(key: string, work: (tx: Transaction) => Promise<T>, caller?: Caller): Promise<T>;
  /** The same as `write`, of a change that makes room: it is made where there is none for others. Where that is all the same, `write` does. */
  remove?<T>(key: string, work: (tx: Transaction) => Promise<T>, caller?: Caller): Promise<T>;
  /** Whether it would take a change at present, as far as that is known; always where this is not there. */
  takesChanges?(): Promise<boolean>;
  /** The state of its pools; SQLite has none. */
  pools?(): readonly Pool[];
  /** Where what is read of messages and chats counts, of one operation. */
  readonly content?: ContentBudget | undefined;
  /** Whose operation it is. */
  readonly caller?: Caller | undefined;
  /**
   * Of a SQLite file: moves all that its write-ahead log has into the file, and empties the log, which otherwise keeps what
   * was there before a change for as long as anybody has the file open.
   * @returns whether it is empty; it is not while somebody else reads
   */
  emptyLog?(): Promise<boolean>;
  /**
   * Of a SQLite file: settles when it was given up, because it is not there, is another one, or damaged, and nothing of it is
   * open any more. Whoever asks has been told so since that was found.
   */
  readonly lost?: Promise<Loss>;
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
  /** How much of the connections, or of the threads, one user may have at a time. @default 1, which is all */
  shareOfAUser?: number | undefined;
  /** Called with each SQL statement that was answered, transaction control apart: for counting and for traces. */
  onStatement?: TellStatement | undefined;
}
