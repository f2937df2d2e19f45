/** PostgreSQL. */
import sql, { join, raw } from 'sql-template-tag';
import { canonicalJson } from '../../../conversation/text/canonical-json.js';
import { plainRows } from '../row-format.js';
import { baseDialect } from '../base/base-dialect.js';
import type { Dialect } from '../dialect.js';
import type { Differences } from '../differences.js';
import { postgresqlDifferences } from './differences.js';
import { failure } from './failure.js';
import { leanLists } from './lean-lists.js';
import { searchStatements } from './search.js';

export const postgresqlDialect = (differences: Differences): Dialect => ({
  ...baseDialect(differences),
  ...searchStatements,
  rows: plainRows,
  json: leanLists,
  // JSONB reorders keys.
  metadata: canonicalJson,
  failure,

  // The ids appear twice: the planner overestimates rows of JSON and would scan the whole table.
  updateBranches: (chatId, branches) => sql`
    UPDATE branches b SET "headMessageId" = k."headMessageId", "isActive" = k."isActive"
    FROM json_to_recordset(${JSON.stringify(branches)}::json) AS k("id" text, "headMessageId" text, "isActive" boolean)
    WHERE b."chatId" = ${chatId} AND b."id" = k."id" AND b."id" = ANY (${branches.map(({ id }) => id)}::text[])`,

  updateDigests: (chatId, rows) => sql`
    UPDATE messages m SET "contentHash" = k."contentHash", "usage" = k."usage"
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS k("id" text, "contentHash" text, "usage" text)
    WHERE m."chatId" = ${chatId} AND m."id" = k."id" AND m."id" = ANY (${rows.map(({ id }) => id)}::text[])`,

  // One WITH statement: references are checked at its end.
  combineWrites(changes) {
    const parts = changes.slice(0, -1).map((change, n) => sql`${raw(`changed${n}`)} AS (${change})`);
    return parts.length === 0
      ? changes
      : [sql`${postgresqlDifferences.prepared} WITH ${join(parts, ', ')} ${changes.at(-1)}`];
  },

  // Readable by every user; unique unless a server starts twice in a microsecond.
  rowVersioning: null,
  identity: () => sql`
    SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), d.oid, current_schema()) AS identity
    FROM pg_database d WHERE d.datname = current_database()`,
});

export const postgresql = postgresqlDialect(postgresqlDifferences);
