/** Building blocks of the statements in base/ that differ between databases. */
import type { Sql } from 'sql-template-tag';
import type { ChatFilter } from '../../conversation/reads.js';
import type { statementTemplate } from './statement-template.js';
import type { Row, TableName } from '../../conversation/tables.js';

/** The types of the columns of a list of keys; `chat` is a key that finds the partition of the rows. */
export type KeyKind = 'key' | 'int' | 'chat';

/**
 * A list of keys as a table: `from`, `n` (the index of a key), and its columns. `chat` is the id of the only chat of all
 * keys where the planner uses it, else null: a parameter, in place of the column, leads to one partition.
 */
export type KeyTable<Name extends string> = {
  readonly from: Sql;
  readonly n: Sql;
  readonly chat: Sql | null;
} & Readonly<Record<Name, Sql>>;

/** Rows of a table with the alias `s` in the condition. */
export interface FirstRows {
  table: TableName;
  where: Sql;
  order: Sql;
  limit: number;
}

/** Rows of any chat: those with a key, which is one of the values, in a column. */
export interface RowAnywhere {
  column: string;
  key: Sql;
  values: readonly string[];
}

export interface Differences {
  /**
   * The joins of a check in a form of the schema that reads the keys of a step first, and joins their rows. By default, a step reads
   * its rows at once.
   */
  joinsOfChecks?(joins: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Statements of features that the form of the schema replaces, by name. */
  replaced?: object;
  /** One of Parley's tables. */
  table(name: string): Sql;
  /** Follows SELECT, together with `limit` at the end of the statement. */
  top(count: number): Sql;
  limit(count: number): Sql;
  /** Follows an ORDER BY: `count` rows after `skipped`. */
  part(count: number, skipped: number): Sql;
  /** Follows an ORDER BY: the first `count` rows. */
  first(count: number): Sql;
  /** Marks a statement whose plan is the same for all values, so that a connection prepares it once. */
  prepared: Sql;
  /** Begins and ends a statement with a recursive walk, and marks it as prepared. */
  walk: { begin: Sql; end: Sql };
  /** A list of keys with at most one parameter per column, so that the statement is the same for any length. */
  keys<Name extends string>(
    keys: readonly { readonly [Key in NoInfer<Name>]: string | number | null }[],
    columns: Readonly<Record<Name, KeyKind>>,
  ): KeyTable<Name>;
  /** A value that the planner does not see: it would plan a prepared statement anew for each value. */
  hidden(value: string | number): Sql;
  /** Keeps the text of a statement with a list of ids, if that depends only on their number: see statementTemplate. */
  kept: typeof statementTemplate;
  /** A condition: the column has one of some values. */
  isOneOf(column: Sql, values: readonly string[]): Sql;
  /** A table joined to one before it, in this order. */
  join: Sql;
  /**
   * A join that must use an index regardless of the planner's estimates.
   * @param on the conditions of the alias
   */
  lookUp(table: TableName, alias: string, on: Sql): Sql;
  /** Like lookUp, with a row of nulls when nothing is found. */
  lookUpOrNull(table: TableName, alias: string, on: Sql): Sql;
  /** Like lookUp, for rows of any chat, where that has another form. */
  lookUpAnywhere?(table: TableName, alias: string, row: RowAnywhere): Sql;
  /** The first rows of a table for each key, under an alias. */
  firstOfEach(alias: string, rows: FirstRows): Sql;
  /** Joins the row of message_runs that begins the run of a message, or a row of nulls for the first run of the chat. */
  runOf(alias: string, message: string, chatId: Sql): Sql;
  /** The children or roots of a table of keys as m, from `start` to `end`, exclusive. */
  childrenOf(keys: KeyTable<'chatId' | 'parentId' | 'start' | 'end'>): Sql;
  /** The chatId of an alias whose id is also looked up. */
  chatIdBesideId(alias: string): Sql;
  /** Columns as rows, or as one row { json }: see row-format.ts. */
  rowsOf(columns: Readonly<Record<string, Sql>>): Sql;
  /** The columns of messages m, with data up to a size: see row-format.ts. */
  messagesOf(n: Sql, inlineBytes: number): Sql;
  /**
   * Rows as a JSON array of objects; null or an empty array for none.
   * @param from follows FROM: all rows of the alias by default
   */
  jsonOf(alias: string, columns: readonly string[], from?: Sql): Sql;
  payloadMember(alias: string, name: 'branchId' | 'headId'): Sql;
  /** The approximate size of a text column in bytes, without reading the text. */
  bytes(column: Sql): Sql;
  isTrue(column: Sql): Sql;
  boolean(value: boolean): Sql;
  /** A number to compare with an INT or BIGINT column. */
  number(value: number): Sql;
  metadata: {
    column: Sql;
    /** Canonical JSON as a value of the column. */
    value(json: string): Sql;
    /** Conditions on members of the metadata. */
    has(members: ChatFilter['metadata']): Sql[];
    /** Whether the conditions read unindexed metadata in a statement that blocks the server. */
    isReadInSteps: boolean;
  };
  /** The condition that the words of the title of a chat c are not stored. */
  hasOutdatedWords: Sql;
  /** A prefix followed by a number as 8 hexadecimal digits in lower case. */
  idOf(prefix: string, seq: Sql): Sql;
  startsWith(column: Sql, prefix: string): Sql;
  /**
   * INSERT of any number of rows.
   * @param unlessThere a unique column: rows whose value exists are skipped
   */
  insert<Table extends Exclude<TableName, 'chats'>>(
    table: Table,
    rows: readonly Row<Table>[],
    unlessThere?: keyof Row<Table>,
  ): Sql;
  /** Locks a read row: placed after the table, or after the statement, which it marks as prepared. */
  lock: { table: Sql; statement: Sql };
  /** The same, and skips a row that another transaction has locked. */
  lockIfFree: { table: Sql; statement: Sql };
}
