/** SQL Server 2016 and newer, in T-SQL that Babelfish accepts. Replaces the downward walks of base/. */
import sql from 'sql-template-tag';
import { plainRows } from '../row-format.js';
import { baseDialect } from '../base/base-dialect.js';
import { fragmentsOf, isThere } from '../base/fragments.js';
import type { Dialect } from '../dialect.js';
import { sqlserverDifferences } from './differences.js';
import { failure } from './failure.js';
import { KEY, list, longTexts, LOOP_JOIN } from './lists.js';
import { searchStatements } from './search.js';

/**
 * @param schema of letters, digits and _
 * @param options.hasFullTextIndex whether an index can be queried: see full-text.ts
 */
export function sqlserver(schema: string, { hasFullTextIndex }: { hasFullTextIndex: boolean }): Dialect {
  const differences = sqlserverDifferences(schema);
  const { table, keys, walk } = differences;
  const { chatColumns, isRow, scoped } = fragmentsOf(differences);
  const chats = table('chats');
  const branches = table('branches');
  const messages = table('messages');

  return {
    ...baseDialect(differences),
    ...searchStatements(schema, table, hasFullTextIndex),
    rows: plainRows,
    json: null,
    pathOfRuns: null,
    metadata: (stored) => stored,
    failure,

    // A no-op UPDATE takes the lock. Its OUTPUT could predate the lock: hence the SELECT.
    lockChat: (id) => sql`
    UPDATE ${chats} SET "version" = "version" WHERE "id" = ${id} AND "userId" <> '';
    SELECT ${chatColumns()} FROM ${chats} c WHERE c."id" = ${id} AND ${isThere};`,

    // A scan would lock rows of other chats.
    updateBranches: (chatId, rows) => sql`
    UPDATE b SET "headMessageId" = k."headMessageId", "isActive" = CAST(k."isActive" AS BIT)
    FROM ${list(
      rows.map(({ id, headMessageId, isActive }) => ({ id, headMessageId, isActive: Number(isActive) })),
      { id: KEY, headMessageId: KEY, isActive: 'INT' },
      ['headMessageId'],
    )} JOIN ${branches} b WITH (FORCESEEK) ON b."id" = k."id" AND b."chatId" = ${chatId} ${LOOP_JOIN}`,

    updateDigests: (chatId, rows) => sql`
    UPDATE m SET "contentHash" = k."contentHash", "usage" = d."text"
    FROM ${list(
      rows.map(({ id, contentHash }) => ({ id, contentHash })),
      { id: KEY, contentHash: KEY },
    )}
    JOIN ${longTexts(rows.map(({ usage }) => usage))} d ON d."n" = k."n"
    JOIN ${messages} m WITH (FORCESEEK) ON m."id" = k."id" AND m."chatId" = ${chatId} OPTION (FORCE ORDER)`,

    deleteTexts: ({ chatId, firstSeq, lastSeq }) => sql`
    DELETE t FROM ${table('message_texts')} t WITH (FORCESEEK)
    JOIN ${messages} m WITH (FORCESEEK) ON m."id" = t."messageId" AND m."chatId" = t."chatId"
    WHERE t."chatId" = ${chatId} AND m."chatId" = ${chatId} AND m."seq" BETWEEN ${firstSeq} AND ${lastSeq} ${LOOP_JOIN}`,

    // Returns every message of the chats between the depths, not only the paths.
    linksAbove(pieces) {
      const k = keys(pieces, { chatId: 'chat', messageId: 'key', toDepth: 'int' });
      return sql`
    SELECT m."chatId", m."id", m."parentId"
    FROM (
      SELECT s."chatId", MIN(k."toDepth") AS "highest", MAX(s."depth") AS "deepest"
      FROM ${k.from} JOIN ${messages} s ON ${isRow('s', { id: k.messageId, chatId: k.chatId })}
      GROUP BY s."chatId"
    ) spans
    JOIN ${messages} m ON m."chatId" = spans."chatId" AND m."depth" BETWEEN spans."highest" AND spans."deepest"
    ORDER BY m."depth" DESC`;
    },

    // Returns every message of the chats at or below the highest requested depth, instead of walking.
    newestChildren(asked) {
      const k = scoped(asked);
      return sql`
    SELECT m."id", (
      SELECT TOP (1) c."id" FROM ${messages} c WHERE c."chatId" = m."chatId" AND c."parentId" = m."id"
        AND c."depth" = m."depth" + 1
      ORDER BY c."siblingIndex" DESC
    ) AS "next"
    FROM (
      SELECT s."chatId", MIN(s."depth") AS "depth" FROM ${k.from} JOIN ${messages} s ON ${isRow('s', k)} GROUP BY s."chatId"
    ) top_ones
    JOIN ${messages} m ON m."chatId" = top_ones."chatId" AND m."depth" >= top_ones."depth"`;
    },

    // The newest child is the one without a newer sibling.
    leafBelow: ({ chatId, id }, piece) => sql`
    ${walk.begin} w AS (
      SELECT m."id", m."chatId", m."depth" FROM ${messages} m WHERE m."id" = ${id} AND m."chatId" = ${chatId}
      UNION ALL
      SELECT c."id", c."chatId", c."depth"
      FROM w JOIN ${messages} c ON c."chatId" = w."chatId" AND c."parentId" = w."id" AND c."depth" = w."depth" + 1
      WHERE w."depth" % ${piece} > 0 AND NOT EXISTS (
        SELECT 1 FROM ${messages} s
        WHERE s."chatId" = c."chatId" AND s."parentId" = c."parentId" AND s."siblingIndex" > c."siblingIndex"
      )
    )
    SELECT TOP (1) w."id", (
      SELECT TOP (1) n."id" FROM ${messages} n WHERE n."chatId" = w."chatId" AND n."parentId" = w."id"
        AND n."depth" = w."depth" + 1
      ORDER BY n."siblingIndex" DESC
    ) AS "next"
    FROM w ORDER BY w."depth" DESC ${walk.end}`,

    rowVersioning: () => sql`
    SELECT CAST(d.[is_read_committed_snapshot_on] AS INT) AS [isOn] FROM sys.databases d WHERE d.[name] = DB_NAME()`,

    // Containers may share a server name, but not also a database id and creation time.
    identity: () => sql`
    SELECT CONCAT(@@SERVERNAME, N' ', d.[database_id], N' ', CONVERT(NVARCHAR(30), d.[create_date], 126), N' ',
      SCHEMA_ID(${schema})) AS [identity]
    FROM sys.databases d WHERE d.[name] = DB_NAME()`,
  };
}
