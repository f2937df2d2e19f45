/** The statements of changes, on SQL Server. */
import sql, { raw } from 'sql-template-tag';
import { KEY, list } from './lists.js';
import type { Tables } from './tables.js';
import type { ChangeStatements } from '../dialect.js';
import {
  BRANCH_COLUMNS,
  columnsOf,
  chatColumns,
  insertInto,
  isThere,
  ladderStep,
  noLimit,
  parentStep,
} from './fragments.js';

export function changeStatements(tables: Tables): ChangeStatements {
  const { chats, messages, branches, texts } = tables;

  return {
    // An UPDATE that changes nothing takes the lock. Its OUTPUT could be older than the lock: hence the SELECT.
    lockChat: (id) => sql`
    UPDATE ${chats} SET [version] = [version] WHERE [id] = ${id} AND [userId] <> N'';
    SELECT ${chatColumns} FROM ${chats} c WHERE c.[id] = ${id} AND ${isThere};`,

    tip: (chatId, branchName) => sql`
    WITH w AS (
      SELECT m.[chatId], m.[id], m.[depth], m.[seq], m.[jumpId]
      FROM ${branches} b INNER JOIN ${messages} m ON m.[id] = b.[headMessageId] AND m.[chatId] = b.[chatId]
      WHERE b.[chatId] = ${chatId} AND ${branchName === null ? raw('b.[isActive] = 1') : sql`b.[name] = ${branchName}`}
      UNION ALL
      SELECT j.[chatId], j.[id], j.[depth], j.[seq], j.[jumpId] ${ladderStep(tables)}
    )
    SELECT ${columnsOf('b', BRANCH_COLUMNS)}, h.[depth] AS [headDepth],
      (SELECT MAX(m.[seq]) FROM ${messages} m WHERE m.[chatId] = ${chatId}) AS [lastSeq],
      CASE WHEN b.[headMessageId] IS NULL THEN (
        SELECT MAX(m.[siblingIndex]) FROM ${messages} m WHERE m.[chatId] = ${chatId} AND m.[parentId] IS NULL
      ) ELSE (
        SELECT MAX(m.[siblingIndex]) FROM ${messages} m
        WHERE m.[chatId] = ${chatId} AND m.[parentId] = b.[headMessageId]
      ) END AS [lastIndex],
      (SELECT w.[id] AS [id], w.[depth] AS [depth], w.[seq] AS [seq], w.[jumpId] AS [jumpId] FROM w FOR JSON PATH)
        AS [ladder]
    FROM ${branches} b LEFT JOIN ${messages} h ON h.[id] = b.[headMessageId] AND h.[chatId] = b.[chatId]
    WHERE b.[chatId] = ${chatId} AND ${branchName === null ? raw('b.[isActive] = 1') : sql`b.[name] = ${branchName}`}
    ${noLimit}`,

    ladder: ({ chatId, id }) => sql`
    WITH w AS (
      SELECT m.[chatId], m.[id], m.[depth], m.[seq], m.[jumpId] FROM ${messages} m
      WHERE m.[id] = ${id} AND m.[chatId] = ${chatId}
      UNION ALL
      SELECT j.[chatId], j.[id], j.[depth], j.[seq], j.[jumpId] ${ladderStep(tables)}
    )
    SELECT w.[id], w.[depth], w.[seq], w.[jumpId] FROM w
    ${noLimit}`,

    assistantAbove: ({ chatId, id }, piece) => sql`
    WITH w AS (
      SELECT m.[chatId], m.[id], m.[parentId], m.[name], m.[depth] FROM ${messages} m
      WHERE m.[id] = ${id} AND m.[chatId] = ${chatId}
      UNION ALL
      SELECT p.[chatId], p.[id], p.[parentId], p.[name], p.[depth] ${parentStep(tables)}
      WHERE w.[name] <> N'assistant' AND (w.[depth] % ${piece} > 0 OR w.[id] = ${id})
    )
    SELECT TOP (1) w.[id], w.[depth], w.[name] FROM w ORDER BY w.[depth]
    ${noLimit}`,

    insertChat: (chat) => sql`
    INSERT INTO ${chats} ([id], [userId], [title], [metadata], [createdAt], [updatedAt], [version])
    VALUES (${chat.id}, ${chat.userId}, ${chat.title}, ${chat.metadata}, ${chat.createdAt}, ${chat.updatedAt},
      ${chat.version})`,

    updateChat: (chat) => sql`
    UPDATE ${chats} SET [userId] = ${chat.userId}, [title] = ${chat.title}, [metadata] = ${chat.metadata},
      [updatedAt] = ${chat.updatedAt}, [version] = ${chat.version}
    WHERE [id] = ${chat.id}`,

    insertMessages: (rows) => insertInto(tables, 'messages', rows),

    insertRuns: (rows) => insertInto(tables, 'message_runs', rows),

    insertTexts: (rows) => sql`${insertInto(tables, 'message_texts', rows)}
    WHERE NOT EXISTS (SELECT 1 FROM ${texts} t WHERE t.[messageId] = k.[messageId])
    ORDER BY k.[n]`,

    deleteTexts: ({ chatId, firstSeq, lastSeq }) => sql`
    DELETE FROM ${texts}
    WHERE [messageId] IN (
      SELECT m.[id] FROM ${messages} m WHERE m.[chatId] = ${chatId} AND m.[seq] BETWEEN ${firstSeq} AND ${lastSeq}
    )`,

    insertBranches: (rows) => insertInto(tables, 'branches', rows),

    updateBranches: (rows) => sql`
    UPDATE b SET [headMessageId] = k.[headMessageId], [isActive] = CAST(k.[isActive] AS BIT)
    FROM ${list(
      rows.map(({ id, headMessageId, isActive }) => ({ id, headMessageId, isActive: Number(isActive) })),
      { id: KEY, headMessageId: KEY, isActive: 'INT' },
    )} INNER JOIN ${branches} b ON b.[id] = k.[id]`,

    deactivateBranch: (chatId) => sql`
    UPDATE ${branches} SET [isActive] = 0 WHERE [chatId] = ${chatId} AND [isActive] = 1`,

    insertEvents: (rows) => insertInto(tables, 'chat_events', rows),

    // In a batch, what comes behind a statement that fails is still run, and the last error is the one that is told.
    together: (changes) => changes,
    // No upper end: which text comes last depends on whether code units are compared or code points.
    branchNames: (chatId, prefix, from, limit) => sql`
    SELECT TOP (${limit}) b.[name] FROM ${branches} b
    WHERE b.[chatId] = ${chatId} AND b.[name] >= ${from} AND CHARINDEX(${prefix}, b.[name]) = 1
    ORDER BY b.[name]`,
  };
}
