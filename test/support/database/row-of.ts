/** Rows of any table, for tests of statements. */
import { TABLES, type Column, type ColumnKind, type Row, type TableName } from '../../../src/conversation/tables.js';

const VALUES: Record<ColumnKind, string | number | boolean> = {
  key: 'c',
  text: '[]',
  jsonb: '{}',
  boolean: true,
  int: 1,
  long: 1,
  time: 0,
};

/** A row for statements. Its nullable columns are null, and its ids are `c`. */
export function rowOf<Table extends TableName>(table: Table): Row<Table> {
  const values = Object.entries<Column>(TABLES[table]).map(([name, { kind, isNullable }]) => [
    name,
    isNullable ? null : VALUES[kind],
  ]);
  return Object.fromEntries(values) as Row<Table>;
}
