/**
 * The columns of the stored tables, in order, as prisma/schema.prisma has them. Row types, INSERTs, copies, checksums,
 * archives and JSON members derive from them.
 */
import { TABLES } from '../generated/tables.js';

export { TABLES };

/**
 * How a column is stored. `key`: text of at most 255 characters; `text`: of any length, which is JSON in messages;
 * `jsonb`: JSON text that PostgreSQL stores as JSONB; `long`: 64 bits; `time`: milliseconds since 1970.
 */
export type ColumnKind = 'key' | 'text' | 'jsonb' | 'int' | 'long' | 'time' | 'boolean';

export interface Column {
  readonly kind: ColumnKind;
  readonly isNullable: boolean;
}

export type Columns = Readonly<Record<string, Column>>;

type ValueOf<Kind extends ColumnKind> = Kind extends 'int' | 'long' | 'time'
  ? number
  : Kind extends 'boolean'
    ? boolean
    : string;

export type RowOf<Table extends Columns> = {
  readonly [Name in keyof Table]:
    | ValueOf<Table[Name]['kind']>
    | (Table[Name]['isNullable'] extends true ? null : never);
};

export type TableName = keyof typeof TABLES;
export type Row<Table extends TableName> = RowOf<(typeof TABLES)[Table]>;

/**
 * The names of a table's columns, in order.
 * @param except columns to leave out
 */
export function columnNames<Table extends TableName, Left extends string = never>(
  table: Table,
  except: readonly Left[] = [],
): Exclude<keyof Row<Table> & string, Left>[] {
  const left: readonly string[] = except;
  const names = Object.keys(TABLES[table]).filter((name) => !left.includes(name));
  return names as Exclude<keyof Row<Table> & string, Left>[];
}

export function pickColumns<From, Name extends keyof From>(row: From, names: readonly Name[]): Pick<From, Name> {
  const picked: Partial<Pick<From, Name>> = {};
  for (const name of names) picked[name] = row[name];
  return picked as Pick<From, Name>;
}

type UnsetColumns<Table extends Columns> = {
  readonly [Name in keyof Table as Table[Name]['isNullable'] extends true ? Exclude<Name, 'parentId'> : never]: null;
};

/** Null for each nullable column of messages except parentId: imports and older archives have no values for them. */
export const UNSET_MESSAGE_COLUMNS = Object.fromEntries(
  Object.entries<Column>(TABLES.messages).flatMap(([name, { isNullable }]) =>
    isNullable && name !== 'parentId' ? [[name, null]] : [],
  ),
) as UnsetColumns<typeof TABLES.messages>;

/** Columns of messages that are read separately. */
export const SEPARATE_MESSAGE_COLUMNS = ['jumpId', 'preview', 'createdBy', 'contentHash', 'usage'] as const;

/** Columns of messages that are computed from `data` and the parent, by a save or later: see fill-digests.ts. */
export const DIGEST_COLUMNS = ['contentHash', 'usage'] as const;

/** Columns of messages that follow from the graph and from `data`: archives leave them out. */
const DERIVED_MESSAGE_COLUMNS = ['depth', 'seq', 'siblingIndex', 'jumpId', 'preview', ...DIGEST_COLUMNS] as const;

/** Columns of messages in a line of an archive, which ends with `data`. */
export const ARCHIVED_MESSAGE_COLUMNS = columnNames('messages', ['chatId', 'data', ...DERIVED_MESSAGE_COLUMNS]);

/** Columns of messages that a client sets in addition to the content: all that neither the server nor the content determines. */
export const SAVED_MESSAGE_COLUMNS = columnNames('messages', [
  ...(['id', 'chatId', 'parentId', 'data', 'createdAt', 'createdBy'] as const),
  ...DERIVED_MESSAGE_COLUMNS,
]);
