import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { usageStatements } from '../../../src/features/usage/statements.js';
import { rowOf } from '../../support/database/row-of.js';

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = usageStatements(differences);
  const row = rowOf('monthly_usage');
  return {
    insertUsage: [sql.insertUsage([row])],
    updateMonth: (['add', 'replace'] as const).map((how) => sql.updateMonth(row, how)),
  };
}

/** The others. */
export function otherStatements({ differences }: Dialect): Record<string, Sql[]> {
  const { usagePage } = usageStatements(differences);
  const userId = "u'";
  return {
    usagePage: [null, { month: '2026-11', userId, model: '' }].flatMap((at) => [
      usagePage({ from: null, to: null, userId: null }, { after: at, before: null }, 'first', 1001),
      usagePage({ from: '2026-01', to: '2026-11', userId }, { after: null, before: at }, 'last', 9),
    ]),
  };
}
