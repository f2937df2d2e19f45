/** What several statements of PostgreSQL have in common. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../../conversation/chat-scoped.js';
import {
  columnNames,
  TABLES,
  type Column,
  type ColumnKind,
  type Row,
  type TableName,
} from '../../../conversation/tables.js';
import { MESSAGE_COLUMNS } from '../../reading/row-format.js';

/** A list of keys as k(value, ord). */
export const list = (keys: readonly string[]): Sql => sql`unnest(${keys}::text[]) WITH ORDINALITY AS k(value, ord)`;

/** The same of rows of chats, as k("chatId", id, ord). */
export const scoped = (keys: readonly ChatScoped[]): Sql => sql`
  unnest(${keys.map(({ chatId }) => chatId)}::text[], ${keys.map(({ id }) => id)}::text[])
    WITH ORDINALITY AS k("chatId", id, ord)`;

/** The index of a key in its list. */
export const keyIndex = raw('k.ord - 1');

const TYPES: Readonly<Record<ColumnKind, string>> = {
  key: 'text',
  text: 'text',
  json: 'text',
  jsonb: 'jsonb',
  int: 'int',
  time: 'bigint',
  boolean: 'boolean',
};

/** An INSERT of rows, which travel as one JSON text. */
export function insertInto<Table extends TableName>(table: Table, rows: readonly Row<Table>[]): Sql {
  const columns = columnNames(table);
  const names = raw(columns.map((name) => `"${name}"`).join(', '));
  const typed = Object.entries<Column>(TABLES[table]).map(([name, { kind }]) => `"${name}" ${TYPES[kind]}`);
  const values = rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
  return sql`
    INSERT INTO ${raw(table)} (${names}) SELECT ${names}
    FROM json_to_recordset(${JSON.stringify(values)}::json) AS k(${raw(typed.join(', '))})`;
}

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

/** The message of any chat with an id, looked up by an index whatever the planner thinks. */
export const lookUp = (id: string, alias: string, condition = ''): Sql =>
  raw(`CROSS JOIN LATERAL (SELECT * FROM messages l WHERE l."id" = ${id} ${condition} OFFSET 0) ${alias}`);

/** The same within a chat. @param condition on the message l */
export const lookUpIn = (chatId: string, id: string, alias: string, condition = ''): Sql =>
  lookUp(id, alias, `AND l."chatId" = ${chatId} ${condition}`);

/** The message m of a key. */
export const messageOfKey = lookUpIn('k."chatId"', 'k.id', 'm');

/**
 * One step of a walk j to the ancestor m at a depth: to the jump, unless that goes too far up, else to the parent. The walk
 * stops where a row does not lead to a smaller depth of its chat, so that it ends whatever is stored.
 */
export const jumpStep = sql`
  FROM j
  ${lookUpIn('j."chatId"', 'j."jumpId"', 'far', 'AND l."depth" < j.depth')}
  ${lookUpIn(
    'j."chatId"',
    'CASE WHEN far."depth" >= j."toDepth" THEN far."id" ELSE j."parentId" END',
    'm',
    'AND l."depth" < j.depth',
  )}
  WHERE j.depth > j."toDepth"`;

/** The parent p of a message of a walk w, one depth higher in the same chat. */
export const parentStep = sql`FROM w ${lookUpIn('w."chatId"', 'w."parentId"', 'p', 'AND l."depth" = w.depth - 1')}`;

/** The jump of a message of a walk w, at a smaller depth of the same chat. */
export const ladderStep = sql`FROM w ${lookUpIn('w."chatId"', 'w."jumpId"', 'j', 'AND l."depth" < w.depth')}`;

export function seqRanges(ranges: readonly { chatId: string; firstSeq: number; lastSeq: number }[]): Sql {
  return sql`unnest(${ranges.map((range) => range.chatId)}::text[], ${ranges.map((range) => range.firstSeq)}::bigint[],
    ${ranges.map((range) => range.lastSeq)}::bigint[]) WITH ORDINALITY AS k("chatId", "first", "last", ord)`;
}
