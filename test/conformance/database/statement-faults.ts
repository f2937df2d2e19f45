/** The faults of statements for SQL Server, by its grammar and the columns of the migrations. */
import type { Sql } from 'sql-template-tag';
import { expect } from 'vitest';
import { bundledMigrations } from '../../../src/database/drivers/bundled-migrations.js';
import { columnFaults, parameterFaults, schemaOf, tSqlFaults } from './t-sql.js';

export interface Statement {
  text: string;
  values: Record<string, unknown>;
}

export const migrations = bundledMigrations('sqlserver');
export const schema = schemaOf(migrations.map(({ sql }) => sql).join('\n'));

/** Statements that differ only in values are parsed once. */
export const parsed = new Map<string, string[]>();

export function faultsOf({ text, values }: Statement): string[] {
  const faults = parsed.get(text) ?? [...tSqlFaults(text), ...columnFaults(text, schema)];
  parsed.set(text, faults);
  return [...faults, ...parameterFaults(text, values)];
}

export function expectSound(statements: readonly Statement[]): void {
  expect(statements).not.toEqual([]);
  for (const statement of statements)
    expect({ statement, faults: faultsOf(statement) }).toEqual({ statement, faults: [] });
}

/** The statement as the driver sends it, which a test below checks. */
export function asSent({ strings, values }: Sql): Statement {
  const text = strings.reduce((before, after, n) => `${before}@P${n}${after}`);
  return { text, values: Object.fromEntries(values.map((value, n) => [`P${n + 1}`, value])) };
}
