/** Chats, on SQL Server. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { ChatFilter, ChatPosition } from '../../../conversation/reads.js';
import { BIN2, ids } from './lists.js';
import type { Tables } from './tables.js';
import type { ChatRange, ChatStatements } from '../dialect.js';
import { chatColumns, isThere, countOf, behind } from './fragments.js';

/** How OPENJSON tells the types of values. */
const JSON_TYPES = { null: 0, string: 1, number: 2, boolean: 3, array: 4, object: 5 };

export function chatStatements(tables: Tables): ChatStatements {
  const { chats, messages, branches } = tables;

  return {
    metadata: (stored) => stored,
    chatsById: (keys) =>
      sql`SELECT ${chatColumns} FROM ${ids(keys)} INNER JOIN ${chats} c ON c.[id] = k.[id] AND ${isThere}`,

    chatsWithBranch: (keys) => sql`
    SELECT ${chatColumns}, b.[id] AS [branchId], b.[name] AS [branchName], b.[headMessageId], h.[depth] AS [headDepth],
      b.[createdAt] AS [branchCreatedAt], b.[seq] AS [branchSeq]
    FROM ${ids(keys)} INNER JOIN ${chats} c ON c.[id] = k.[id] AND ${isThere}
    LEFT JOIN ${branches} b ON b.[chatId] = c.[id] AND b.[isActive] = 1
    LEFT JOIN ${messages} h ON h.[id] = b.[headMessageId] AND h.[chatId] = b.[chatId]`,

    chats: (filter, range, order, limit) => sql`
    SELECT TOP (${limit}) ${chatColumns} FROM ${chats} c
    WHERE ${join([...chatConditions(filter), ...between(range)], ' AND ')}
    ORDER BY ${ORDER[order]}`,

    userMessageCounts: (userIds) => sql`
    SELECT k.[n], SUM(m.[last]) AS [total]
    FROM ${ids(userIds)} INNER JOIN ${chats} c ON c.[userId] = k.[id]
    CROSS APPLY (SELECT MAX(s.[seq]) AS [last] FROM ${messages} s WHERE s.[chatId] = c.[id]) m
    GROUP BY k.[n]`,

    filterSteps: {
      listed: (filter, range, order, limit) => sql`
      SELECT TOP (${limit}) c.[id], c.[updatedAt], c.[title] FROM ${chats} c
      WHERE ${join([...chatConditions(filter), ...between(range)], ' AND ')}
      ORDER BY ${ORDER[order]}`,
      meeting: null,
    },
    chatCount: (filter) => sql`
    SELECT COUNT(*) AS [total] FROM ${chats} c WHERE ${join(chatConditions(filter), ' AND ')}`,

    chatsAfter: (id, limit) => sql`
    SELECT TOP (${limit}) ${chatColumns} FROM ${chats} c WHERE ${isThere} ${behind('AND', 'c', id)} ORDER BY c.[id]`,
  };
}

const ORDER = { newest: raw('c.[updatedAt] DESC, c.[id] DESC'), oldest: raw('c.[updatedAt], c.[id]') };

const between = ({ after, before }: ChatRange): Sql[] => [...beyond(after, '<'), ...beyond(before, '>')];

/** There are no comparisons of rows; the first condition finds the place in the index. */
function beyond(position: ChatPosition | null, comparison: '<' | '>'): Sql[] {
  if (position === null) return [];
  const { updatedAt, id } = position;
  const is = raw(comparison);
  return [sql`c.[updatedAt] ${is}= ${updatedAt} AND (c.[updatedAt] ${is} ${updatedAt} OR c.[id] ${is} ${id})`];
}

/**
 * OPENJSON takes the metadata apart once for all conditions; what is nested too deep for it has no members. A dot behind
 * keeps spaces at the end apart.
 */
function chatConditions({ userId, metadata, updatedAfter = null, updatedBefore = null }: ChatFilter): Sql[] {
  const others = [
    userId === null ? isThere : sql`c.[userId] = ${userId}`,
    ...(updatedAfter === null ? [] : [sql`c.[updatedAt] > ${updatedAfter}`]),
    ...(updatedBefore === null ? [] : [sql`c.[updatedAt] < ${updatedBefore}`]),
  ];
  if (metadata.length === 0) return others;
  const members = metadata.map(({ key, equals }) => {
    // Of a longer key, OPENJSON has as much.
    const name = `${key.slice(0, 4000)}.`;
    return sql`${countOf(sql`CAST(e.[key] AS NVARCHAR(MAX)) ${BIN2} + N'.' = ${name} AND ${hasValue(equals)}`)} > 0`;
  });
  return [
    ...others,
    sql`EXISTS (
      SELECT 1 FROM OPENJSON(CASE WHEN ISJSON(c.[metadata]) = 1 THEN c.[metadata] END) e HAVING ${join(members, ' AND ')}
    )`,
  ];
}

/** Whether a member e of OPENJSON is exactly this canonical JSON value: texts come decoded, all else as it is written. */
function hasValue(canonical: string): Sql {
  const value: unknown = JSON.parse(canonical);
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as keyof typeof JSON_TYPES);
  const isOfType = sql`e.[type] = ${raw(String(JSON_TYPES[type]))}`;
  if (value === null) return isOfType;
  const text = typeof value === 'string' ? value : canonical;
  return sql`${isOfType} AND e.[value] ${BIN2} + N'.' = ${`${text}.`}`;
}
