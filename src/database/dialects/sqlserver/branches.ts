/** Branches and checkpoints, on SQL Server. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { ids, KEY, list, scoped } from './lists.js';
import type { Tables } from './tables.js';
import type { BranchStatements, PathTop } from '../dialect.js';
import { BRANCH_COLUMNS, columnsOf, noLimit, countOf, isOfKey, jumpStep } from './fragments.js';

const TABLES = {
  branches: {
    columns: BRANCH_COLUMNS,
    upTo: (seq: number) => sql`t.[seq] <= ${seq}`,

    before: (seq: number) => sql`t.[seq] < ${seq}`,
  },

  checkpoints: {
    columns: ['id', 'chatId', 'name', 'messageId', 'createdAt', 'seq'],
    upTo: (seq: number) => sql`t.[seq] >= ${seq}`,

    before: (seq: number) => sql`t.[seq] > ${seq}`,
  },
};

const checkpointColumns = columnsOf('c', TABLES.checkpoints.columns);

const nameKeys = (keys: readonly { chatId: string; name: string }[]): Sql => list(keys, { chatId: KEY, name: KEY });

/** The messages of an alias that are the tops of pieces k. */
const tops = (pieces: readonly PathTop[], { messages }: Tables, alias: string): Sql => sql`
      ${list(pieces, { chatId: KEY, messageId: KEY, toDepth: 'INT' })}
      INNER JOIN ${messages} ${raw(`${alias} ON ${alias}.[id] = k.[messageId] AND ${alias}.[chatId] = k.[chatId]`)}`;

export function branchStatements(tables: Tables): BranchStatements {
  const { messages, branches, checkpoints, named } = tables;
  /** A branch with the depth of its head, which makes its messageCount. */
  const branchesWithHead = (keys: Sql, limit?: number): Sql => sql`
    SELECT ${limit === undefined ? empty : sql`TOP (${limit})`} ${columnsOf('b', TABLES.branches.columns)}, h.[depth] AS [headDepth], k.[n]
    ${keys} LEFT JOIN ${messages} h ON h.[id] = b.[headMessageId] AND h.[chatId] = b.[chatId]`;

  return {
    branches: (keys) => branchesWithHead(sql`FROM ${scoped(keys)} INNER JOIN ${branches} b ON ${isOfKey('b')}`),
    branchesById: (keys) => branchesWithHead(sql`FROM ${ids(keys)} INNER JOIN ${branches} b ON b.[id] = k.[id]`),
    branchesByName: (keys) =>
      branchesWithHead(sql`
    FROM ${nameKeys(keys)} INNER JOIN ${branches} b ON b.[chatId] = k.[chatId] AND b.[name] = k.[name]`),
    activeBranches: (chatIds) =>
      branchesWithHead(sql`
    FROM ${ids(chatIds)} INNER JOIN ${branches} b ON b.[chatId] = k.[id] AND b.[isActive] = 1`),
    branchesAt: (keys, limit) =>
      branchesWithHead(
        sql`
    FROM ${scoped(keys)} INNER JOIN ${branches} b ON b.[chatId] = k.[chatId] AND b.[headMessageId] = k.[id]`,
        limit,
      ),

    oldestBranchAt: (chatId, messageId) => sql`
    SELECT TOP (1) ${columnsOf('b', TABLES.branches.columns)}, h.[depth] AS [headDepth]
    FROM ${branches} b INNER JOIN ${messages} h ON h.[id] = b.[headMessageId] AND h.[chatId] = b.[chatId]
    WHERE b.[chatId] = ${chatId} AND b.[headMessageId] = ${messageId} ORDER BY b.[seq]`,

    ancestors: (pieces) => sql`
    WITH j AS (
      SELECT k.[n], m.[chatId], m.[id], m.[parentId], m.[depth], m.[jumpId], k.[toDepth] FROM ${tops(pieces, tables, 'm')}
      UNION ALL
      SELECT j.[n], m.[chatId], m.[id], m.[parentId], m.[depth], m.[jumpId], j.[toDepth]
      ${jumpStep(tables)}
    )
    SELECT j.[n], j.[id] FROM j WHERE j.[depth] = j.[toDepth]
    ${noLimit}`,

    // Not the paths alone, but every message of the chats between the depths.
    linksAbove: (pieces) => sql`
    SELECT m.[chatId], m.[id], m.[parentId]
    FROM (
      SELECT s.[chatId], MIN(k.[toDepth]) AS [highest], MAX(s.[depth]) AS [deepest] FROM ${tops(pieces, tables, 's')}
      GROUP BY s.[chatId]
    ) spans
    INNER JOIN ${messages} m
      ON m.[chatId] = spans.[chatId] AND m.[depth] BETWEEN spans.[highest] AND spans.[deepest]
    ORDER BY m.[depth] DESC`,

    rankBounds: (name, chatIds, after, before) => sql`
    SELECT k.[n], COUNT(*) AS [total],
      ${after === null ? raw('0') : countOf(TABLES[name].upTo(after))} AS [low],
      ${before === null ? raw('COUNT(*)') : countOf(TABLES[name].before(before))} AS [high]
    FROM ${ids(chatIds)} INNER JOIN ${named(name)} t ON t.[chatId] = k.[id]
    GROUP BY k.[n]`,

    listed: (name, ranges, order, limit) => sql`
    SELECT k.[n], ${columnsOf('r', TABLES[name].columns)}${name === 'branches' ? raw(', h.[depth] AS [headDepth]') : empty}
    FROM ${list(ranges, { chatId: KEY, above: 'INT', below: 'INT' })}
    CROSS APPLY (
      SELECT TOP (${limit}) ${columnsOf('t', TABLES[name].columns)} FROM ${named(name)} t
      WHERE t.[chatId] = k.[chatId] AND t.[seq] > k.[above] AND t.[seq] < k.[below]
      ORDER BY t.[seq] ${raw(order)}
    ) r
    ${name === 'branches' ? sql`LEFT JOIN ${messages} h ON h.[id] = r.[headMessageId] AND h.[chatId] = r.[chatId]` : empty}`,

    checkpointsAt: (keys, limit) => sql`
    SELECT TOP (${limit}) k.[n], ${checkpointColumns}
    FROM ${scoped(keys)} INNER JOIN ${checkpoints} c ON c.[chatId] = k.[chatId] AND c.[messageId] = k.[id]`,

    checkpoints: (keys) => sql`
    SELECT ${checkpointColumns} FROM ${scoped(keys)} INNER JOIN ${checkpoints} c ON ${isOfKey('c')}`,

    checkpointsById: (keys) => sql`
    SELECT ${checkpointColumns} FROM ${ids(keys)} INNER JOIN ${checkpoints} c ON c.[id] = k.[id]`,

    checkpointsByName: (keys) => sql`
    SELECT ${checkpointColumns}
    FROM ${nameKeys(keys)} INNER JOIN ${checkpoints} c ON c.[chatId] = k.[chatId] AND c.[name] = k.[name]`,
  };
}
