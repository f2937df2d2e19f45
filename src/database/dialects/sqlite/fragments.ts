/** What several statements of SQLite have in common. */
import sql, { raw, Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../../conversation/chat-scoped.js';
import { columnNames, type Row, type TableName } from '../../../conversation/tables.js';
import { MESSAGE_COLUMNS } from '../../reading/row-format.js';

export const list = (keys: readonly unknown[]): Sql => sql`json_each(${JSON.stringify(keys)})`;

/** The rows of a table under an alias that are of their keys' chats. */
export const scoped = (keys: readonly ChatScoped[], table: string, alias: string): Sql => sql`
  ${list(keys.map(({ chatId, id }) => [chatId, id]))} k
  CROSS JOIN ${raw(`${table} ${alias} ON ${alias}."id" = k.value ->> 1 AND +${alias}."chatId" = k.value ->> 0`)}`;

/** Of more rows, a statement with a place for each value is too long to be kept for each number of them: they come as JSON. */
const FEW_ROWS = 64;

/** An INSERT of rows. SQLite has numbers for booleans. */
export function insertInto<Table extends TableName>(table: Table, rows: readonly Row<Table>[]): Sql {
  const columns = columnNames(table);
  const into = `INSERT INTO ${table} (${columns.map((name) => `"${name}"`).join(', ')})`;
  const valuesOf = (row: Row<Table>) =>
    columns.map((name) => (typeof row[name] === 'boolean' ? Number(row[name]) : row[name]));
  if (rows.length <= FEW_ROWS) {
    const values = rows.flatMap(valuesOf);
    const between = values.map((_, n) => (n === 0 ? `${into} VALUES (` : n % columns.length === 0 ? '), (' : ', '));
    return new Sql([...between, ')'], values);
  }
  return sql`${raw(into)} SELECT ${raw(columns.map((_, n) => `value ->> ${n}`).join(', '))} FROM ${list(rows.map(valuesOf))} WHERE true`;
}

/** The index of a key in its list. As it stands, the column counts as a BLOB, for json_each declares no types. */
export const keyIndex = raw('k."key" + 0');

/** Columns of messages m. */
export const columnsOf = (names: readonly string[]): Sql => raw(names.map((name) => `m."${name}"`).join(', '));

/** Rows of messages m as one JSON array of arrays. octet_length tells it from the row's header. */
export const messagesAsJson = (n: Sql, inlineBytes: number): Sql => sql`
  json_group_array(json_array(${n}, ${columnsOf(MESSAGE_COLUMNS)},
    iif(octet_length(m."data") <= ${inlineBytes}, m."data", octet_length(m."data")))) AS json`;

/** Of a chat c: that it is somebody's, and not about to go. See NOBODY. */
export const isThere = raw(`c."userId" <> ''`);

/**
 * One step of a walk j to the ancestor m at a depth: to the jump, unless that goes too far up, else to the parent. The walk
 * stops where a row does not lead to a smaller depth of its chat, so that it ends whatever is stored.
 */
export const jumpStep = raw(`
  FROM j
  CROSS JOIN messages far ON far."id" = j."jumpId" AND +far."chatId" = j."chatId" AND far."depth" < j.depth
  CROSS JOIN messages m ON m."id" = CASE WHEN far."depth" >= j."toDepth" THEN far."id" ELSE j."parentId" END
    AND +m."chatId" = j."chatId" AND m."depth" < j.depth
  WHERE j.depth > j."toDepth"`);

/** The parent p of a message of a walk w, one depth higher in the same chat. */
export const parentStep = raw(`
  FROM w CROSS JOIN messages p ON p."id" = w."parentId" AND +p."chatId" = w."chatId" AND p."depth" = w.depth - 1`);
