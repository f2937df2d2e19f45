import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { ALL_CHECKS } from '../../../src/features/all-features.js';
import { checkedRows } from '../../../src/features/maintenance/checking/check-database.js';

/** See test/support/database/keyed-statements.ts. */
export const keyedStatements = (): Record<string, Sql[]> => ({});

/** Checks read whole tables. */
export const otherStatements = ({ differences }: Dialect): Record<string, Sql[]> => ({
  checkedRows: ALL_CHECKS.flatMap((check) => [
    checkedRows(differences, check, null, 9),
    checkedRows(
      differences,
      check,
      check.key.map((name) => (/seq|Offset|position/.test(name) ? 1 : "c'")),
      9,
    ),
  ]),
});
