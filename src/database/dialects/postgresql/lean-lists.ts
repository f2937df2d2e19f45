/**
 * Lists of messages with selected columns on PostgreSQL: writing JSON is slower than reading rows, and narrow rows take
 * half as long as wide ones.
 */
import sql, { raw } from 'sql-template-tag';
import type { JsonColumn, JsonMember } from '../../../conversation/json-lists.js';
import type { JsonStatements } from '../dialect.js';
import { columnsWith, postgresqlDifferences } from './differences.js';

const { lookUp, walk } = postgresqlDifferences;

const parentIn = (chatId: string) =>
  lookUp('messages', 'p', sql`p."id" = w."next" AND p."chatId" = ${chatId} AND p."depth" = w.n - 1`);

export const leanLists: JsonStatements = {
  answers: 'rows',

  // The walk carries the columns; a later join would look up each message twice.
  path({ chatId, messageId, length }, members, maxBytes) {
    const columns = columnsOfMembers(members);
    const names = raw(['"next"', 'bytes', 'n', ...columns.map((column) => `"${column}"`)].join(', '));
    return sql`
    ${walk.begin} w(left_over, ${names}) AS (
      SELECT ${length}::int, m."parentId", octet_length(m."data")::bigint, ${columnsWith(raw('m."depth"'), 'm', columns)}
      FROM messages m WHERE m."id" = ${messageId} AND m."chatId" = ${chatId} AND ${length} > 0
      UNION ALL
      SELECT w.left_over - 1, p."parentId", w.bytes + octet_length(p."data"), ${columnsWith(raw('p."depth"'), 'p', columns)}
      FROM w ${parentIn(chatId)} WHERE w.left_over > 1 AND w.bytes <= ${maxBytes}
    )
    SELECT ${columnsWith(raw('w.n'), 'w', columns)} FROM w`;
  },

  graph: (chatId, members) => sql`
    SELECT ${columnsWith(raw('m."seq"'), 'm', columnsOfMembers(members))} FROM messages m WHERE m."chatId" = ${chatId}`,

  segments: null,
};

/** Unique and ordered, so that few distinct statements are planned. */
function columnsOfMembers(members: readonly JsonMember[]): JsonColumn[] {
  const columns = members.flatMap(({ value }): JsonColumn[] => {
    if ('column' in value) return [value.column];
    // The files of the rows are read afterwards.
    return 'files' in value ? ['id', 'data'] : [];
  });
  return columns.length === 0 ? ['id'] : [...new Set(columns)].sort();
}
