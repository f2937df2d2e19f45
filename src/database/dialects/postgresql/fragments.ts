/** What several statements of PostgreSQL have in common. */
import sql, { raw, type Sql } from 'sql-template-tag';
import { MESSAGE_COLUMNS } from '../../reading/row-format.js';

/** A list of keys as k(value, ord). */
export const list = (keys: readonly string[]): Sql => sql`unnest(${keys}::text[]) WITH ORDINALITY AS k(value, ord)`;

/** The index of a key in its list. */
export const keyIndex = raw('k.ord - 1');

/** The columns of an alias, with n. The driver hands out a BIGINT as text: the times fit a double. */
export function columnsOf(n: Sql, alias: string, columns: readonly string[]): Sql {
  const selected = columns.map((name) =>
    name === 'createdAt' ? `${alias}."createdAt"::float8 AS "createdAt"` : `${alias}."${name}"`,
  );
  return sql`(${n})::int AS n, ${raw(selected.join(', '))}`;
}

/** Those of messages m, with n. octet_length tells how long data is from the row, wherever the value itself is. */
export const messageColumns = (n: Sql, inlineBytes: number): Sql => sql`${columnsOf(n, 'm', MESSAGE_COLUMNS)},
  CASE WHEN octet_length(m."data") <= ${inlineBytes}::int THEN m."data" END AS "data",
  CASE WHEN octet_length(m."data") > ${inlineBytes}::int THEN octet_length(m."data") END AS "dataBytes"`;

export const chatColumns = raw(
  'c."id", c."userId", c."title", c."metadata"::text AS "metadata", c."createdAt", c."updatedAt", c."version"',
);

/** Of a chat c: that it is somebody's, and not about to go. See NOBODY. */
export const isThere = raw(`c."userId" <> ''`);

/** The message of an id, looked up by the primary key whatever the planner thinks. */
export const lookUp = (id: string, alias: string): Sql =>
  raw(`CROSS JOIN LATERAL (SELECT * FROM messages l WHERE l."id" = ${id} OFFSET 0) ${alias}`);

/** One step of a walk j to the ancestor m at a depth: to the jump, unless that goes too far up, else to the parent. */
export const jumpStep = sql`
  FROM j
  ${lookUp('j."jumpId"', 'far')}
  ${lookUp('CASE WHEN far."depth" >= j."toDepth" THEN far."id" ELSE j."parentId" END', 'm')}
  WHERE j.depth > j."toDepth"`;

export function seqRanges(ranges: readonly { chatId: string; firstSeq: number; lastSeq: number }[]): Sql {
  return sql`unnest(${ranges.map((range) => range.chatId)}::text[], ${ranges.map((range) => range.firstSeq)}::bigint[],
    ${ranges.map((range) => range.lastSeq)}::bigint[]) WITH ORDINALITY AS k("chatId", "first", "last", ord)`;
}
