/** The differences between the databases: every statement in base/ is made of these, and a database replaces the few others. */
import type { Sql } from 'sql-template-tag';
import type { ChatFilter } from '../../conversation/reads.js';
import type { Row, TableName } from '../../conversation/tables.js';

/** The types of the columns of a list of keys. */
export type KeyKind = 'key' | 'int';

/** A list of keys as a table that a statement reads: `from`, `n` (the index of a key), and its columns. */
export type KeyTable<Name extends string> = { readonly from: Sql; readonly n: Sql } & Readonly<Record<Name, Sql>>;

/** Rows of a table, which has the alias `s` in the condition. */
export interface FirstRows {
  table: TableName;
  where: Sql;
  order: Sql;
  limit: number;
}

export interface Differences {
  /** One of Parley's tables. */
  table(name: string): Sql;
  /** Follows SELECT, together with `limit` at the end of the statement. */
  top(count: number): Sql;
  limit(count: number): Sql;
  /** Follows an ORDER BY: so many rows after so many others. */
  part(count: number, skipped: number): Sql;
  /** Follows an ORDER BY: so many rows. */
  first(count: number): Sql;
  /** Begins a statement with a walk, and ends it. */
  walk: { begin: Sql; end: Sql };
  /** A list of keys: one parameter for each column at most, so that the statement is the same for any number of them. */
  keys<Name extends string>(
    keys: readonly { readonly [Key in NoInfer<Name>]: string | number | null }[],
    columns: Readonly<Record<Name, KeyKind>>,
  ): KeyTable<Name>;
  /** That a column has one of some values. */
  isOneOf(column: Sql, values: readonly string[]): Sql;
  /** A table joined to one before it, in this order. */
  join: Sql;
  /** The same, where an index must find the rows whatever the planner expects. @param on the conditions of the alias */
  lookUp(table: TableName, alias: string, on: Sql): Sql;
  /** The same with a row of nulls where none is found. */
  lookUpOrNull(table: TableName, alias: string, on: Sql): Sql;
  /** The first rows of a table for each key, under an alias. */
  firstOfEach(alias: string, rows: FirstRows): Sql;
  /** The children or roots of a table of keys as m, from `start` to before `end`. */
  childrenOf(keys: KeyTable<'chatId' | 'parentId' | 'start' | 'end'>): Sql;
  /** The chatId of an alias, where its id is looked up as well. */
  chatIdBesideId(alias: string): Sql;
  /** Columns as rows, or as one row { json }: see row-format.ts. */
  rowsOf(columns: Readonly<Record<string, Sql>>): Sql;
  /** The columns of messages m, with their data unless it is longer: see row-format.ts. */
  messagesOf(n: Sql, inlineBytes: number): Sql;
  /** All rows of an alias as a JSON array of objects. */
  jsonOf(alias: string, columns: readonly string[]): Sql;
  /** A member of the payload of an event. */
  payloadMember(alias: string, name: 'branchId' | 'headId'): Sql;
  /** The size of a text column in bytes, or about that, without reading the text. */
  bytes(column: Sql): Sql;
  /** The condition of a column that is a boolean. */
  isTrue(column: Sql): Sql;
  /** A value of a column that is a boolean. */
  boolean(value: boolean): Sql;
  /** A number to compare with an INT or BIGINT column. */
  number(value: number): Sql;
  /** The column metadata of chats c. */
  metadata: {
    /** The column as text. */
    column: Sql;
    /** Canonical JSON as a value of the column. */
    value(json: string): Sql;
    /** Conditions that objects have members. */
    has(members: ChatFilter['metadata']): Sql[];
    /** Whether no index has the members, and the statement blocks the server while it reads them. */
    isReadInSteps: boolean;
  };
  startsWith(column: Sql, prefix: string): Sql;
  /** INSERT of any number of rows. @param unlessThere a unique column: a row whose value exists is left out */
  insert<Table extends Exclude<TableName, 'chats'>>(
    table: Table,
    rows: readonly Row<Table>[],
    unlessThere?: keyof Row<Table>,
  ): Sql;
  /** Keeps others from changing a row that is read: after the table, or after the statement. */
  lock: { table: Sql; statement: Sql };
}
