/** Lists of messages as JSON, on SQLite: `format` puts each object together, which takes half as long as JSON's own functions. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { JsonColumn } from '../../../conversation/reads.js';
import type { JsonStatements } from '../dialect.js';
import { jsonTemplate, LAST_TIME_MS, type JsonTemplate } from '../json-template.js';

/** Of messages m, as JSON. Data is JSON already. */
const VALUES: Partial<Record<JsonColumn, string>> = {
  createdAt: `date(m."createdAt" / 1000, 'unixepoch'), time(m."createdAt" / 1000, 'unixepoch'), m."createdAt" % 1000`,
  data: 'm."data"',
  depth: 'm."depth"',
  seq: 'm."seq"',
  siblingIndex: 'm."siblingIndex"',
};

/** Two short functions and a number are sooner than strftime, whose %f takes a third of all the rest. */
const PLACES = { createdAt: '"%sT%s.%03dZ"' };

const valueOf = (column: JsonColumn): Sql => raw(VALUES[column] ?? `json_quote(m."${column}")`);

export const jsonLists: JsonStatements = {
  answers: 'json',
  // The walk ends where there is too much, of which no more is put together than that.
  path({ messageId, length }, members, maxBytes) {
    const template = jsonTemplate(members, PLACES);
    const bytesOf = (alias: string) => raw(template.hasData ? `octet_length(${alias}."data")` : '0');
    return sql`
    WITH RECURSIVE w(row, "parentId", n, bytes) AS (
      SELECT m.rowid, m."parentId", 1, ${bytesOf('m')} FROM messages m WHERE m."id" = ${messageId} AND ${length} > 0
      UNION ALL
      SELECT p.rowid, p."parentId", w.n + 1, w.bytes + ${bytesOf('p')}
      FROM w CROSS JOIN messages p ON p."id" = w."parentId" WHERE w.n < ${length} AND w.bytes <= ${maxBytes}
    )
    ${listOf(
      template,
      sql`(SELECT row, bytes FROM w ORDER BY n DESC) w CROSS JOIN messages m ON m.rowid = w.row`,
      sql`max(w.bytes) <= ${maxBytes}`,
    )}`;
  },

  graph: (chatId, members) =>
    listOf(jsonTemplate(members, PLACES), sql`(SELECT * FROM messages WHERE "chatId" = ${chatId} ORDER BY "seq") m`),
};

/** Bytes, which the driver hands out as they are. Of nothing there is no list. */
function listOf({ format, columns, hasTime }: JsonTemplate, messages: Sql, isSmall = raw('true')): Sql {
  const object = sql`format(${join([format, ...columns.map(valueOf)])})`;
  const hasOdd = hasTime ? sql`total(m."createdAt" NOT BETWEEN 0 AND ${LAST_TIME_MS}) > 0` : raw('false');
  return sql`SELECT CASE WHEN count(*) > 0 AND ${isSmall} AND NOT ${hasOdd} THEN CAST(group_concat(${object}) AS BLOB) END AS json
    FROM ${messages}`;
}
