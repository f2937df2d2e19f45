/** Messages, paths and graphs, on SQL Server. */
import sql from 'sql-template-tag';
import { GRAPH_COLUMNS, MESSAGE_COLUMNS, plainRows } from '../../reading/row-format.js';
import { ids, KEY, list, scoped } from './lists.js';
import type { Tables } from './tables.js';
import type { MessageStatements } from '../dialect.js';
import { columnsOf, messageColumns, noLimit, seqRanges, behind, isOfKey, jumpStep, parentStep } from './fragments.js';

const wholeMessages = [...MESSAGE_COLUMNS, 'data'];

export function messageStatements(tables: Tables): MessageStatements {
  const { messages, runs } = tables;

  return {
    rows: plainRows,
    json: null,
    messages: (keys, inlineBytes) => sql`
    SELECT k.[n], ${messageColumns(inlineBytes)} FROM ${scoped(keys)} INNER JOIN ${messages} m ON ${isOfKey('m')}`,

    messagesById: (keys, inlineBytes) => sql`
    SELECT k.[n], ${messageColumns(inlineBytes)} FROM ${ids(keys)} INNER JOIN ${messages} m ON m.[id] = k.[id]`,

    messageData: (keys) => sql`
    SELECT m.[id], m.[data] FROM ${scoped(keys)} INNER JOIN ${messages} m ON ${isOfKey('m')}`,

    messageAuthors: (keys) => sql`
    SELECT m.[chatId], m.[id], m.[createdBy] FROM ${scoped(keys)} INNER JOIN ${messages} m ON ${isOfKey('m')}`,

    // First along the jumps to where each piece ends, then parent by parent.
    // Both walks carry no more than they need; the wide rows are joined at the end.
    paths: (pieces, inlineBytes) => sql`
    WITH j AS (
      SELECT k.[n], m.[chatId], m.[id], m.[parentId], m.[depth], m.[jumpId], k.[toDepth], k.[length]
      FROM ${list(pieces, { chatId: KEY, messageId: KEY, toDepth: 'INT', length: 'INT' })}
      INNER JOIN ${messages} m ON m.[id] = k.[messageId] AND m.[chatId] = k.[chatId]
      WHERE k.[length] > 0
      UNION ALL
      SELECT j.[n], m.[chatId], m.[id], m.[parentId], m.[depth], m.[jumpId], j.[toDepth], j.[length]
      ${jumpStep(tables)}
    ),
    w AS (
      SELECT j.[n], j.[chatId], j.[id], j.[parentId], j.[depth], j.[length] AS [remaining] FROM j
      WHERE j.[toDepth] IS NULL OR j.[depth] = j.[toDepth]
      UNION ALL
      SELECT w.[n], p.[chatId], p.[id], p.[parentId], p.[depth], w.[remaining] - 1 ${parentStep(tables)}
      WHERE w.[remaining] > 1
    )
    SELECT w.[n], ${messageColumns(inlineBytes)} FROM w INNER JOIN ${messages} m ON m.[id] = w.[id]
    ${noLimit}`,

    placesOnPaths: (keys) => sql`
    WITH j AS (
      SELECT k.[n], m.[chatId], m.[id], m.[parentId], m.[depth], m.[jumpId], s.[depth] AS [toDepth], m.[id] AS [head]
      FROM ${list(keys, { chatId: KEY, headId: KEY, messageId: KEY })}
      INNER JOIN ${messages} s ON s.[id] = k.[messageId] AND s.[chatId] = k.[chatId]
      INNER JOIN ${messages} m ON m.[id] = k.[headId] AND m.[chatId] = k.[chatId]
      UNION ALL
      SELECT j.[n], m.[chatId], m.[id], m.[parentId], m.[depth], m.[jumpId], j.[toDepth], j.[head]
      ${jumpStep(tables)}
    )
    SELECT j.[n], j.[id], j.[depth], j.[toDepth] FROM j WHERE j.[depth] = j.[toDepth] OR j.[id] = j.[head]
    ${noLimit}`,

    // Not a walk, but every message of the chats that is as deep as the highest of those asked for.
    newestChildren: (keys) => sql`
    SELECT m.[id], (
      SELECT TOP (1) c.[id] FROM ${messages} c WHERE c.[chatId] = m.[chatId] AND c.[parentId] = m.[id]
        AND c.[depth] = m.[depth] + 1
      ORDER BY c.[siblingIndex] DESC
    ) AS [next]
    FROM (
      SELECT s.[chatId], MIN(s.[depth]) AS [depth] FROM ${scoped(keys)} INNER JOIN ${messages} s ON ${isOfKey('s')}
      GROUP BY s.[chatId]
    ) top_ones
    INNER JOIN ${messages} m ON m.[chatId] = top_ones.[chatId] AND m.[depth] >= top_ones.[depth]`,

    // The newest child is the one without a newer sibling.
    leafBelow: ({ chatId, id }, piece) => sql`
    WITH w AS (
      SELECT m.[id], m.[chatId], m.[depth] FROM ${messages} m WHERE m.[id] = ${id} AND m.[chatId] = ${chatId}
      UNION ALL
      SELECT c.[id], c.[chatId], c.[depth]
      FROM w INNER JOIN ${messages} c ON c.[chatId] = w.[chatId] AND c.[parentId] = w.[id] AND c.[depth] = w.[depth] + 1
      WHERE w.[depth] % ${piece} > 0 AND NOT EXISTS (
        SELECT 1 FROM ${messages} s
        WHERE s.[chatId] = c.[chatId] AND s.[parentId] = c.[parentId] AND s.[siblingIndex] > c.[siblingIndex]
      )
    )
    SELECT TOP (1) w.[id], (
      SELECT TOP (1) n.[id] FROM ${messages} n WHERE n.[chatId] = w.[chatId] AND n.[parentId] = w.[id]
        AND n.[depth] = w.[depth] + 1
      ORDER BY n.[siblingIndex] DESC
    ) AS [next]
    FROM w ORDER BY w.[depth] DESC
    ${noLimit}`,

    // Roots apart, since nothing equals NULL, and what says otherwise finds nothing in an index.
    childCounts: (parents) => sql`
    SELECT k.[n], ISNULL(CASE WHEN k.[parentId] IS NULL THEN (
      SELECT MAX(m.[siblingIndex]) + 1 FROM ${messages} m WHERE m.[chatId] = k.[chatId] AND m.[parentId] IS NULL
    ) ELSE (
      SELECT MAX(m.[siblingIndex]) + 1 FROM ${messages} m WHERE m.[chatId] = k.[chatId] AND m.[parentId] = k.[parentId]
    ) END, 0) AS [total]
    FROM ${list(parents, { chatId: KEY, parentId: KEY })}`,

    children: (ranges, inlineBytes) => sql`
    SELECT k.[n], ${messageColumns(inlineBytes)}
    FROM ${list(ranges, { chatId: KEY, parentId: KEY, start: 'INT', end: 'INT' })}
    CROSS APPLY (
      SELECT ${columnsOf('c', wholeMessages)} FROM ${messages} c
      WHERE c.[chatId] = k.[chatId] AND c.[parentId] = k.[parentId]
        AND c.[siblingIndex] >= k.[start] AND c.[siblingIndex] < k.[end]
      UNION ALL
      SELECT ${columnsOf('r', wholeMessages)} FROM ${messages} r
      WHERE k.[parentId] IS NULL AND r.[chatId] = k.[chatId] AND r.[parentId] IS NULL
        AND r.[siblingIndex] >= k.[start] AND r.[siblingIndex] < k.[end]
    ) m`,

    messageCounts: (chatIds) => sql`
    SELECT k.[n], ISNULL((SELECT MAX(m.[seq]) FROM ${messages} m WHERE m.[chatId] = k.[id]), 0) AS [total]
    FROM ${ids(chatIds)}`,

    newestMessages: (chatIds, inlineBytes) => sql`
    SELECT k.[n], ${messageColumns(inlineBytes)}
    FROM ${ids(chatIds)}
    CROSS APPLY (
      SELECT TOP (1) ${columnsOf('l', wholeMessages)} FROM ${messages} l WHERE l.[chatId] = k.[id] ORDER BY l.[seq] DESC
    ) m`,

    messageRanges: (ranges, inlineBytes) => sql`
    SELECT k.[n], ${messageColumns(inlineBytes)}
    FROM ${seqRanges(ranges)}
    INNER JOIN ${messages} m ON m.[chatId] = k.[chatId] AND m.[seq] BETWEEN k.[firstSeq] AND k.[lastSeq]`,

    graphs: (chatIds) => sql`
    SELECT k.[n], ${columnsOf('m', GRAPH_COLUMNS)} FROM ${ids(chatIds)} INNER JOIN ${messages} m ON m.[chatId] = k.[id]`,

    runStarts: (chatIds, limit) => sql`
    SELECT TOP (${limit}) r.[n], r.[seq], r.[above]
    FROM (
    SELECT k.[n], ISNULL((SELECT MAX(m.[seq]) FROM ${messages} m WHERE m.[chatId] = k.[id]), 0) + 1 AS [seq],
      CAST(NULL AS INT) AS [above]
    FROM ${ids(chatIds)}
    UNION ALL
    SELECT k.[n], s.[seq], s.[parentSeq] FROM ${ids(chatIds)} INNER JOIN ${runs} s ON s.[chatId] = k.[id]
    ) r`,

    nodesAt: (keys) => sql`
    SELECT c.[n], ${columnsOf('m', GRAPH_COLUMNS)}
    FROM (SELECT k.[n], k.[chatId] FROM ${list(
      keys.map(({ chatId }) => ({ chatId })),
      { chatId: KEY },
    )}) c
    INNER JOIN (SELECT k.[key], k.[seq] FROM ${list(
      keys.flatMap(({ seqs }, key) => seqs.map((seq) => ({ key, seq }))),
      { key: 'INT', seq: 'INT' },
    )}) s ON s.[key] = c.[n]
    INNER JOIN ${messages} m ON m.[chatId] = c.[chatId] AND m.[seq] = s.[seq]`,

    messagesAfter: (id, limit, inlineBytes) => sql`
    SELECT TOP (${limit}) 0 AS [n], ${messageColumns(inlineBytes)} FROM ${messages} m ${behind('WHERE', 'm', id)} ORDER BY m.[id]`,

    messageSizes: ({ chatId, firstSeq, lastSeq }) => sql`
    SELECT m.[seq], DATALENGTH(m.[data]) AS [bytes] FROM ${messages} m
    WHERE m.[chatId] = ${chatId} AND m.[seq] BETWEEN ${firstSeq} AND ${lastSeq} ORDER BY m.[seq]`,
  };
}
