/** The columns of all tables that hold ids of users, as tables.ts declares them: an erasure changes exactly these. */
import { TABLES, type Column, type TableName, type UserIdRule } from './tables.js';

type RulesOf<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends { userId: infer Rule } ? Rule : never;
}[keyof Columns];

/** The tables with a column of this rule. */
export type TableWithUserId<Rule extends UserIdRule> = {
  [Table in TableName]: Rule extends RulesOf<(typeof TABLES)[Table]> ? Table : never;
}[TableName];

export interface UserIdColumn<Table extends TableName = TableName> {
  readonly table: Table;
  readonly column: string;
}

/** The columns of this rule. */
export function userIdColumns<Rule extends UserIdRule>(rule: Rule): UserIdColumn<TableWithUserId<Rule>>[] {
  return Object.entries(TABLES).flatMap(([table, columns]) =>
    Object.entries<Column>(columns).flatMap(([column, { userId }]) =>
      userId === rule ? [{ table: table as TableWithUserId<Rule>, column }] : [],
    ),
  );
}
