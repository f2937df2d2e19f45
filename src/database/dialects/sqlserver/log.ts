/** The log of a chat, on SQL Server. */
import sql, { raw } from 'sql-template-tag';
import { eventConditions, ofBranch, ORDER } from '../log-statements.js';
import { BIN2, ids, KEY, list } from './lists.js';
import type { Tables } from './tables.js';
import type { LogStatements } from '../dialect.js';
import { columnsOf, isThere, seqRanges } from './fragments.js';

const EVENT_COLUMNS = ['chatId', 'seq', 'type', 'actorId', 'payload', 'createdAt'];

export function logStatements(tables: Tables): LogStatements {
  const { chats, branches, events, deletedChats } = tables;

  return {
    events: (ranges) => sql`
    SELECT k.[n], ${columnsOf('e', EVENT_COLUMNS)}
    FROM ${seqRanges(ranges)}
    INNER JOIN ${events} e ON e.[chatId] = k.[chatId] AND e.[seq] BETWEEN k.[firstSeq] AND k.[lastSeq]
    ORDER BY k.[n], e.[seq]`,

    eventsAfter: (chatId, after, limit) => sql`
    SELECT TOP (${limit}) ${columnsOf('e', EVENT_COLUMNS)}, d.[createdAt] AS [deletedAt]
    FROM ${events} e LEFT JOIN ${deletedChats} d ON d.[id] = e.[chatId]
    WHERE e.[chatId] = ${chatId} AND e.[seq] > ${after}
    ORDER BY e.[seq]`,

    filteredEvents: (ranges, filter, from, limit) => sql`
    SELECT k.[n], ${columnsOf('e', EVENT_COLUMNS)}
    FROM ${list(
      ranges.map(({ chatId, firstSeq, lastSeq, branchId }) => ({ chatId, firstSeq, lastSeq, branchId })),
      { chatId: KEY, firstSeq: 'INT', lastSeq: 'INT', branchId: KEY },
    )}
    CROSS APPLY (
      SELECT TOP (${limit}) ${columnsOf('s', EVENT_COLUMNS)} FROM ${events} s
      WHERE s.[chatId] = k.[chatId] AND s.[seq] BETWEEN k.[firstSeq] AND k.[lastSeq]
        ${eventConditions(filter)}
        ${ofBranch(ranges, sql`AND JSON_VALUE(s.[payload], '$.branchId') ${BIN2} = k.[branchId]`)}
      ORDER BY s.[seq] ${ORDER[from]}
    ) e`,

    logStates: (chatIds) => sql`
    SELECT k.[id] AS [chatId], c.[userId], c.[version], d.[userId] AS [deletedUserId], d.[seq] AS [deletedSeq],
      d.[actorId] AS [deletedBy], d.[createdAt] AS [deletedAt]
    FROM ${ids(chatIds)} LEFT JOIN ${chats} c ON c.[id] = k.[id] AND ${isThere} LEFT JOIN ${deletedChats} d ON d.[id] = k.[id]`,

    standings: (keys) => sql`
    SELECT k.[chatId], c.[userId], c.[version], d.[userId] AS [deletedUserId], d.[seq] AS [deletedSeq],
      d.[actorId] AS [deletedBy], d.[createdAt] AS [deletedAt], f.[createdAt] AS [madeAt],
      t.[payload] AS [transfer], t.[createdAt] AS [transferredAt]
    FROM ${list(keys, { chatId: KEY, after: 'INT' })}
    LEFT JOIN ${chats} c ON c.[id] = k.[chatId] AND ${isThere} LEFT JOIN ${deletedChats} d ON d.[id] = k.[chatId]
    LEFT JOIN ${events} f ON f.[chatId] = c.[id] AND f.[seq] = 1
    LEFT JOIN ${events} t ON t.[chatId] = c.[id] AND t.[seq] > k.[after] AND t.[type] = N'ChatTransferred'`,

    headNow: (chatId, branchName) => sql`
    SELECT c.[version], b.[id] AS [branchId], b.[headMessageId]
    FROM ${chats} c INNER JOIN ${branches} b ON b.[chatId] = c.[id]
    WHERE c.[id] = ${chatId} AND ${isThere} AND ${branchName === null ? raw('b.[isActive] = 1') : sql`b.[name] = ${branchName}`}`,

    nearestActivation: ({ chatId, firstSeq, lastSeq }, nearest) => sql`
    SELECT TOP (1) JSON_VALUE(e.[payload], '$.branchId') AS [branchId] FROM ${events} e
    WHERE e.[chatId] = ${chatId} AND e.[seq] BETWEEN ${firstSeq} AND ${lastSeq} AND e.[type] = N'BranchActivated'
    ORDER BY e.[seq] ${raw(nearest === 'first' ? 'ASC' : 'DESC')}`,

    headEvents: ({ chatId, firstSeq, lastSeq }, branchIds) => sql`
    SELECT e.[seq], k.[id] AS [branchId], JSON_VALUE(e.[payload], '$.headId') AS [headId]
    FROM ${events} e INNER JOIN ${ids(branchIds)} ON k.[id] = JSON_VALUE(e.[payload], '$.branchId') ${BIN2}
    WHERE e.[chatId] = ${chatId} AND e.[seq] BETWEEN ${firstSeq} AND ${lastSeq}
      AND e.[type] IN (N'BranchCreated', N'BranchHeadMoved')`,
  };
}
