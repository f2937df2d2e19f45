import sql, { join, raw } from 'sql-template-tag';
import { canonicalJson } from '../../../conversation/text/canonical-json.js';
import { plainRows } from '../row-format.js';
import { baseDialect } from '../base/base-dialect.js';
import { fragmentsOf, type Fragments } from '../base/fragments.js';
import type { Dialect, JsonStatements } from '../dialect.js';
import type { Differences } from '../differences.js';
import { columnsWith, postgresqlDifferences } from './differences.js';
import { failure } from './failure.js';
import { searchStatements } from './search.js';
import type { JsonColumn, JsonMember } from '../../../conversation/json-lists.js';

/**
 * Lists of messages with selected columns: writing JSON is slower than reading rows, and narrow rows take half as long as
 * wide ones.
 */
const leanLists = ({ lookUp, walk }: Differences, f: Fragments): JsonStatements => ({
  answers: 'rows',

  // Omits messages whose parent is not the previous row: the data is damaged.
  path: (end, members, maxBytes) => sql`
    ${walk.begin} ${f.runs(end)}
    SELECT ${columnsWith(raw('m."depth"'), 'm', columnsOfMembers(members))} FROM (
      SELECT m.*, sum(octet_length(m."data")) OVER o AS bytes,
        CASE WHEN lag(m."seq") OVER o = m."seq" - 1 THEN m."parentId" = lag(m."id") OVER o ELSE true END AS follows
      FROM w ${lookUp('messages', 'm', sql`${f.isInRun(end.chatId)} ORDER BY m."seq"`)}
      WINDOW o AS (ROWS UNBOUNDED PRECEDING)
    ) m
    WHERE m.follows AND m.bytes <= ${maxBytes}`,

  graph: (chatId, members) => sql`
    SELECT ${columnsWith(raw('m."seq"'), 'm', columnsOfMembers(members))} FROM messages m WHERE m."chatId" = ${chatId}`,

  segments: null,
});

export const postgresqlDialect = (differences: Differences): Dialect => ({
  ...baseDialect(differences),
  ...searchStatements,
  rows: plainRows,
  json: leanLists(differences, fragmentsOf(differences)),
  // JSONB reorders keys.
  metadata: canonicalJson,
  failure,

  // The ids appear twice: the planner overestimates rows of JSON and would scan the whole table.
  updateBranches: (chatId, branches) => sql`
    UPDATE branches b SET "headMessageId" = k."headMessageId", "isActive" = k."isActive"
    FROM json_to_recordset(${JSON.stringify(branches)}::json) AS k("id" text, "headMessageId" text, "isActive" boolean)
    WHERE ${differences.chatIdBesideId('b')} = ${chatId} AND b."id" = k."id" AND b."id" = ANY (${branches.map(({ id }) => id)}::text[])`,

  updateDigests: (chatId, rows) => sql`
    UPDATE messages m SET "contentHash" = k."contentHash", "usage" = k."usage"
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS k("id" text, "contentHash" text, "usage" text)
    WHERE ${differences.chatIdBesideId('m')} = ${chatId} AND m."id" = k."id" AND m."id" = ANY (${rows.map(({ id }) => id)}::text[])`,

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

/** Unique and ordered, so that few distinct statements are planned. */
function columnsOfMembers(members: readonly JsonMember[]): JsonColumn[] {
  const columns = members.flatMap(({ value }): JsonColumn[] => {
    if ('column' in value) return [value.column];
    // The files of the rows are read afterwards.
    return 'files' in value ? ['id', 'data'] : [];
  });
  return columns.length === 0 ? ['id'] : [...new Set(columns)].sort();
}
