/** The interface of an open database, for each of the three providers. */
import { raw, type Sql } from 'sql-template-tag';
import type { Chat } from '../../conversation/model.js';
import type { Bytes } from '../../conversation/json-lists.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import type { ContentBudget } from '../../limits/content-budget.js';
import type { Deadline, EnterStep } from '../../limits/deadline.js';
import type { ChangeHooks } from '../change-hooks.js';
import type { Dialect } from '../dialects/dialect.js';
import type { ReportStatement } from './observed-statement.js';

/** Where statements run. */
export interface Queryable {
  /** The result rows as objects. Integers are numbers, except BIGINT on SQL Server, which is text. */
  rows<T extends object>(statement: Sql): Promise<T[]>;
  /**
   * Runs a statement without a result set.
   * @returns the number of changed rows
   */
  run(statement: Sql): Promise<number>;
}

/** Tables whose ids are unique in an installation. */
export type TableOfIds = 'messages' | 'branches' | 'checkpoints';

/** The chats of the ids that clients choose, where no key spans all chats. */
export interface Directory {
  /** The chats that ids of messages are reserved for, by id. */
  chatsOf(ids: readonly string[]): Promise<Map<string, string>>;
  /**
   * Reserves ids for a chat, in a transaction of its own.
   * @returns the chats of those that other chats have reserved, by id
   */
  reserve(chatId: string, ids: readonly string[]): Promise<Map<string, string>>;
  /**
   * Reserves ids for a chat, in a transaction of its own.
   * @throws Error of a duplicate key when another chat has reserved one, or has a row with it
   */
  require(chatId: string, table: TableOfIds, ids: readonly string[]): Promise<void>;
  /** Deletes the entries of a chat that is being removed. */
  release(chatId: string): Promise<void>;
  /**
   * Deletes reservations before a time whose change failed, and confirms the others. A part of a chat keeps its own until its end.
   * @param signal ends the call after the current step
   */
  sweep(before: number, signal: AbortSignal): Promise<void>;
}

/** Copies of chats by owner, which the lists of a user read. */
export interface ListCopies {
  /** Whether lists may read them: all chats are copied. */
  readonly isComplete: boolean;
  /**
   * Copies chats after the commit of a change. A failure is left to the next sweep.
   * @param warn receives a line for the log
   */
  list(chats: readonly Chat[], warn?: (line: string) => void): Promise<void>;
  /**
   * Call it under the lock of a chat, before it is deleted, hidden or transferred: its owner's list no longer shows it.
   * @param chat before the change
   */
  leave(chat: Pick<Chat, 'id' | 'userId' | 'version'>): Promise<void>;
  /** Call it before a commit whose chat has another time than the present: the next sweeps copy the chat if `list` does not. */
  expect(chat: Pick<Chat, 'id' | 'userId'>): Promise<void>;
  /** Deletes the copies of an erased user, and replaces those of chats of which the user was a member. */
  forget(userId: string): Promise<void>;
  /**
   * Copies chats that lack a copy, once a minute for all servers together. The first sweep copies all.
   * @param signal ends the call after the current step
   */
  sweep(sql: Pick<Dialect, 'changedSince'>, signal: AbortSignal): Promise<void>;
}

export interface Transaction extends Queryable {
  /**
   * Await it between pieces of work: it yields after a long run. Each statement does so.
   * @throws TimeoutError when the operation has no time left
   */
  yieldIfDue(): Promise<void>;
  /** Queues a statement to be sent with the commit, without its own round trip; the commit fails with it. */
  runLast(statement: Sql): void;
  /** Whether statements that are not awaited are sent together, and run in order. */
  readonly isPipelined: boolean;
  readonly directory: Directory | undefined;
}

/** Another form of a schema, which a feature adds: see SchemaForm. */
export interface OpenForm {
  readonly sql: Dialect;
  readonly directory: Directory;
  /** Undefined before the form has them. */
  readonly lists: ListCopies | undefined;
  /** Options of the sessions of transactions. */
  readonly sessionOptions: string;
  /** The parts of the database that are missing or do not respond, a line each. */
  problems(read: Connection['read']): Promise<string[]>;
}

/** A database that was closed after a failure. */
export interface ClosedDatabase {
  /** The error of every later call. */
  readonly error: Error;
  /**
   * Call it before reopening: it keeps an old log from being applied to another file.
   * @param failure the reason that the last attempt failed; null at first
   * @returns the new path of the log; null when it was not moved
   */
  moveLogAside(failure: unknown): string | null;
}

export interface Pool {
  readonly name: string;
  readonly size: number;
  readonly used: number;
  readonly waiting: number;
}

/** On whose behalf and with what a connection is used. */
export interface Scope {
  /** The user of the operation; none for the server's own work. */
  readonly caller: Caller | undefined;
  /** The operation's budget for messages and chats that are read. */
  readonly content: ContentBudget | undefined;
  /** Logs a condition that delays operations; at most one line per minute. */
  readonly warn: (line: string) => void;
  readonly hooks: readonly ChangeHooks[];
  /** Undefined for the form of the migrations. */
  readonly form: OpenForm | undefined;
}

/** The scope of a process without features: it removes no deleted chat, because a feature may keep it. */
export const PLAIN_SCOPE: Scope = {
  caller: undefined,
  content: undefined,
  warn: () => {},
  hooks: [{ isKept: raw('1 = 1') }],
  form: undefined,
};

/** Statements that may take long. SQLite runs them in worker threads, so that others are not blocked. */
export interface LongReads {
  /** @throws like Connection.read */
  rows<T extends object>(statement: Sql, caller?: Caller): Promise<T[]>;
  /**
   * The bytes in the column `json` of the only row; null when there are none.
   * @throws like Connection.read
   */
  bytes(statement: Sql, caller?: Caller): Promise<Bytes | null>;
}

/** How a transaction runs; see pipeline.ts. */
export interface WriteOptions {
  /** The user whose turn is used, where turns apply. @default the server's own */
  readonly caller?: Caller | undefined;
  /** Before its commit, the transaction ends at this deadline. @default never */
  readonly deadline?: Deadline | undefined;
  /** Whether it only deletes, so that it may use reserved disk space. @default false */
  readonly isRemoval?: boolean | undefined;
}

/** A transaction on its way to the database. */
export interface Job<T> extends WriteOptions {
  readonly key: string;
  readonly work: (tx: Transaction) => Promise<T>;
  /** Whether its caller has received an error, so that it must not start. */
  readonly isGivenUp?: () => boolean;
  readonly enter?: EnterStep;
}

export type Transact = <T>(job: Job<T>) => Promise<T>;
export interface Connection {
  readonly sql: Dialect;
  /**
   * Runs a query, concurrently with others.
   * @param caller whose turn is used, where turns apply; the server's own by default
   * @throws DatabaseUnavailableError when the database is unreachable, TimeoutError when it took too long
   */
  read<T>(query: (db: Queryable) => Promise<T>, caller?: Caller): Promise<T>;
  readonly long: LongReads;
  /**
   * Runs a transaction, and retries it after conflicts. Transactions with the same key run one by one, so that a busy
   * chat uses one connection.
   * @throws DatabaseUnavailableError when the database is unreachable, TimeoutError when a statement took too long
   */
  write<T>(key: string, work: (tx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  readonly scope: Scope;
  /** Waits for running work, then closes. */
  close(): Promise<void>;
}

/** The connection of a process, with what only its opening, its health checks and erasures use. */
export interface Provider extends Connection {
  readonly transact: Transact;
  /** Like `read`, ahead of all waiting queries, for health checks. */
  probe<T>(query: (db: Queryable) => Promise<T>): Promise<T>;
  /** Whether a change would succeed now, as far as known. */
  takesChanges(): Promise<boolean>;
  /** The state of its pools; SQLite has none. */
  pools(): readonly Pool[];
  /**
   * SQLite: checkpoints and truncates the write-ahead log, which otherwise keeps deleted data while the file is open.
   * @returns false while another connection reads
   */
  emptyLog(): Promise<boolean>;
  /**
   * Settles when the SQLite file was replaced, deleted or damaged, and everything is closed. Calls fail from the
   * detection on. Null where nothing is detected.
   */
  readonly lost: Promise<ClosedDatabase> | null;
}

export interface ConnectionOptions {
  /**
   * Opens the database read-only, without migrating.
   * @default false
   */
  isReadOnly?: boolean | undefined;
  /**
   * The statement timeouts of a database server in milliseconds: an endless statement would hold its connection. SQLite
   * statements run to their end.
   * @default never
   */
  statementTimeouts?: { readMs: number; writeMs: number } | undefined;
  /**
   * The share of the connections, or threads, that one user may use at a time.
   * @default 1, which is all
   */
  shareOfAUser?: number | undefined;
  /** Called after each SQL statement except transaction control, for metrics and traces. */
  onStatement?: ReportStatement | undefined;
}
