/** SQLite. Parameters are plain `?`; `->>` reads JSON. */
import sql, { join, raw } from 'sql-template-tag';
import { jsonRows } from '../row-format.js';
import { baseDialect } from '../base/base-dialect.js';
import type { Dialect } from '../dialect.js';
import { list, sqliteDifferences } from './differences.js';
import { failure } from './failure.js';
import { jsonLists } from './json-lists.js';
import { searchStatements } from './search.js';

export const sqlite: Dialect = {
  ...baseDialect(sqliteDifferences),
  ...searchStatements,
  rows: jsonRows,
  json: jsonLists,
  metadata: (stored) => stored,
  failure,

  // The aggregate would return one row regardless of its LIMIT.
  messagesAfter: (id, count, inlineBytes) => sql`
    SELECT ${sqliteDifferences.messagesOf(raw('0'), inlineBytes)}
    FROM (SELECT * FROM messages WHERE "id" > ${id} ORDER BY "id" LIMIT ${count}) m`,

  updateBranches: (chatId, branches) => sql`
    UPDATE branches SET "headMessageId" = k.column2, "isActive" = k.column3
    FROM (VALUES ${join(branches.map(({ id, headMessageId, isActive }) => sql`(${id}, ${headMessageId}, ${Number(isActive)})`))}) k
    WHERE +branches."chatId" = ${chatId} AND branches."id" = k.column1`,

  updateDigests: (chatId, rows) => sql`
    UPDATE messages SET "contentHash" = k.value ->> 1, "usage" = k.value ->> 2
    FROM ${list(rows.map(({ id, contentHash, usage }) => [id, contentHash, usage]))} k
    WHERE +messages."chatId" = ${chatId} AND messages."id" = k.value ->> 0`,

  // Symbolic links are resolved by the file system.
  rowVersioning: null,
  identity: () => sql`SELECT file AS identity FROM pragma_database_list WHERE name = 'main'`,
};
