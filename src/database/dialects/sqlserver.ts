/**
 * SQL Server 2016 and newer, in T-SQL that Babelfish understands as well.
 *
 * - A recursive part may hold no TOP, DISTINCT, aggregate or outer join, and is joined by UNION ALL alone: where others
 *   walk from many messages at once, and go on as one where they meet, this reads more of the chat without a walk.
 * - 100 steps are all that a walk takes, unless MAXRECURSION says that there is no limit.
 * - Lists are JSON (sqlserver-lists.ts). Rows come out as rows, since its JSON has no arrays of values.
 * - Columns are named one by one, in brackets: what `*` stands for loses its capitals on Babelfish.
 * - Trailing spaces do not count in a comparison. Ids and names have none; where other text is compared, a full stop is
 *   put behind it.
 */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { ChatFilter, ChatPosition } from '../../conversation/reads.js';
import { commonStatements } from './common-statements.js';
import { ofBranch, type Dialect } from './dialect.js';
import { GRAPH_COLUMNS, MESSAGE_COLUMNS, plainRows } from '../reading/row-format.js';
import { failure } from './sqlserver-failure.js';
import { BIN2, ids, KEY, list, longTexts } from './sqlserver-lists.js';
import { searchStatement } from './sqlserver-search.js';

const CHAT_COLUMNS = ['id', 'userId', 'title', 'metadata', 'createdAt', 'updatedAt', 'version'];
const TABLES = {
  branches: {
    columns: ['id', 'chatId', 'name', 'headMessageId', 'isActive', 'createdAt', 'seq'],
    listOrder: raw('t.[seq]'),
    upTo: (seq: number) => sql`t.[seq] <= ${seq}`,
    before: (seq: number) => sql`t.[seq] < ${seq}`,
  },
  checkpoints: {
    columns: ['id', 'chatId', 'name', 'messageId', 'createdAt', 'seq'],
    listOrder: raw('t.[seq] DESC'),
    upTo: (seq: number) => sql`t.[seq] >= ${seq}`,
    before: (seq: number) => sql`t.[seq] > ${seq}`,
  },
};
const EVENT_COLUMNS = ['chatId', 'seq', 'type', 'actorId', 'payload', 'createdAt'];

const columnsOf = (alias: string, columns: readonly string[]): Sql =>
  raw(columns.map((column) => `${alias}.[${column}]`).join(', '));

const chatColumns = columnsOf('c', CHAT_COLUMNS);
/** Those of messages m. DATALENGTH tells two bytes a code unit, without reading the value. */
const messageColumns = (inlineBytes: number): Sql => sql`${columnsOf('m', MESSAGE_COLUMNS)},
      CASE WHEN DATALENGTH(m.[data]) / 2 <= ${inlineBytes} THEN m.[data] END AS [data],
      CASE WHEN DATALENGTH(m.[data]) / 2 > ${inlineBytes} THEN DATALENGTH(m.[data]) / 2 END AS [dataBytes]`;
const wholeMessages = [...MESSAGE_COLUMNS, 'data'];
const checkpointColumns = columnsOf('c', TABLES.checkpoints.columns);

/** Of a chat c: that it is somebody's, and not about to go. See NOBODY. */
const isThere = raw("c.[userId] <> N''");

const noLimit = raw('OPTION (MAXRECURSION 0)');

const nameKeys = (keys: readonly { chatId: string; name: string }[]): Sql => list(keys, { chatId: KEY, name: KEY });
const depths = (pieces: readonly { messageId: string; toDepth: number }[]): Sql =>
  list(pieces, { messageId: KEY, toDepth: 'INT' });
const seqRanges = (ranges: readonly { chatId: string; firstSeq: number; lastSeq: number }[]): Sql =>
  list(ranges, { chatId: KEY, firstSeq: 'INT', lastSeq: 'INT' });

/**
 * @param schema of letters, digits and _
 * @param options.hasFullTextIndex whether there is one that can be asked: see sqlserver-full-text.ts
 */
export function sqlserver(schema: string, { hasFullTextIndex }: { hasFullTextIndex: boolean }): Dialect {
  const table = (name: string): Sql => raw(`[${schema}].[${name}]`);
  const chats = table('chats');
  const messages = table('messages');
  const branches = table('branches');
  const checkpoints = table('checkpoints');
  const events = table('chat_events');
  const texts = table('message_texts');
  const deletedChats = table('deleted_chats');

  /** A branch with the depth of its head, which makes its messageCount. */
  const branchesWithHead = (keys: Sql): Sql => sql`
    SELECT ${columnsOf('b', TABLES.branches.columns)}, h.[depth] AS [headDepth], k.[n]
    ${keys} LEFT JOIN ${messages} h ON h.[id] = b.[headMessageId]`;

  /** One step of a walk j to the ancestor m at a depth: to the jump, unless that goes too far up, else to the parent. */
  const jumpStep = sql`
      FROM j
      INNER JOIN ${messages} far ON far.[id] = j.[jumpId]
      INNER JOIN ${messages} m ON m.[id] = CASE WHEN far.[depth] >= j.[toDepth] THEN far.[id] ELSE j.[parentId] END
      WHERE j.[depth] > j.[toDepth]`;

  return {
    failure,
    rows: plainRows,
    metadata: (stored) => stored,
    ...commonStatements(table, (count, behind) => sql`OFFSET ${behind} ROWS FETCH NEXT ${count} ROWS ONLY`),

    // An UPDATE that changes nothing takes the lock. Its OUTPUT could be older than the lock: hence the SELECT.
    lockChat: (id) => sql`
    UPDATE ${chats} SET [version] = [version] WHERE [id] = ${id} AND [userId] <> N'';
    SELECT ${chatColumns} FROM ${chats} c WHERE c.[id] = ${id} AND ${isThere};`,

    ladder: (messageId) => sql`
    WITH w AS (
      SELECT m.[id], m.[depth], m.[jumpId] FROM ${messages} m WHERE m.[id] = ${messageId}
      UNION ALL
      SELECT j.[id], j.[depth], j.[jumpId] FROM w INNER JOIN ${messages} j ON j.[id] = w.[jumpId]
      WHERE w.[id] <> w.[jumpId]
    )
    SELECT w.[id], w.[depth], w.[jumpId] FROM w
    ${noLimit}`,

    lastAssistant: (messageId, inlineBytes) => sql`
    WITH w AS (
      SELECT m.[id], m.[parentId], m.[name] FROM ${messages} m WHERE m.[id] = ${messageId}
      UNION ALL
      SELECT p.[id], p.[parentId], p.[name] FROM w INNER JOIN ${messages} p ON p.[id] = w.[parentId]
      WHERE w.[name] <> N'assistant'
    )
    SELECT 0 AS [n], ${messageColumns(inlineBytes)} FROM w INNER JOIN ${messages} m ON m.[id] = w.[id]
    WHERE w.[name] = N'assistant'
    ${noLimit}`,

    insertChat: (chat) => sql`
    INSERT INTO ${chats} ([id], [userId], [title], [metadata], [createdAt], [updatedAt], [version])
    VALUES (${chat.id}, ${chat.userId}, ${chat.title}, ${chat.metadata}, ${chat.createdAt}, ${chat.updatedAt},
      ${chat.version})`,

    updateChat: (chat) => sql`
    UPDATE ${chats} SET [title] = ${chat.title}, [metadata] = ${chat.metadata}, [updatedAt] = ${chat.updatedAt},
      [version] = ${chat.version}
    WHERE [id] = ${chat.id}`,

    insertMessages: (rows) => sql`
    INSERT INTO ${messages} ([id], [chatId], [parentId], [name], [type], [createdAt], [depth], [seq], [siblingIndex],
      [jumpId], [preview], [data])
    SELECT k.[id], k.[chatId], k.[parentId], k.[name], k.[type], k.[createdAt], k.[depth], k.[seq], k.[siblingIndex],
      k.[jumpId], k.[preview], d.[text]
    FROM ${list(rows, {
      id: KEY,
      chatId: KEY,
      parentId: KEY,
      name: KEY,
      type: KEY,
      createdAt: 'BIGINT',
      depth: 'INT',
      seq: 'INT',
      siblingIndex: 'INT',
      jumpId: KEY,
      preview: KEY,
    })}
    INNER JOIN ${longTexts(rows.map((row) => row.data))} d ON d.[n] = k.[n]`,

    insertTexts: (rows) => sql`
    INSERT INTO ${texts} ([messageId], [chatId], [name], [createdAt], [seq], [length], [terms])
    SELECT k.[messageId], k.[chatId], k.[name], k.[createdAt], k.[seq], k.[length], d.[text]
    FROM ${list(rows, {
      messageId: KEY,
      chatId: KEY,
      name: KEY,
      createdAt: 'BIGINT',
      seq: 'INT',
      length: 'INT',
    })}
    INNER JOIN ${longTexts(rows.map((row) => row.terms))} d ON d.[n] = k.[n]
    WHERE NOT EXISTS (SELECT 1 FROM ${texts} t WHERE t.[messageId] = k.[messageId])`,

    deleteTexts: ({ chatId, firstSeq, lastSeq }) => sql`
    DELETE FROM ${texts}
    WHERE [messageId] IN (
      SELECT m.[id] FROM ${messages} m WHERE m.[chatId] = ${chatId} AND m.[seq] BETWEEN ${firstSeq} AND ${lastSeq}
    )`,

    insertBranches: (rows) => sql`
    INSERT INTO ${branches} ([id], [chatId], [name], [headMessageId], [isActive], [createdAt], [seq])
    SELECT k.[id], k.[chatId], k.[name], k.[headMessageId], CAST(k.[isActive] AS BIT), k.[createdAt], k.[seq]
    FROM ${list(
      rows.map((row) => ({ ...row, isActive: Number(row.isActive) })),
      { id: KEY, chatId: KEY, name: KEY, headMessageId: KEY, isActive: 'INT', createdAt: 'BIGINT', seq: 'INT' },
    )}`,

    updateBranches: (rows) => sql`
    UPDATE b SET [headMessageId] = k.[headMessageId], [isActive] = CAST(k.[isActive] AS BIT)
    FROM ${list(
      rows.map(({ id, headMessageId, isActive }) => ({ id, headMessageId, isActive: Number(isActive) })),
      { id: KEY, headMessageId: KEY, isActive: 'INT' },
    )} INNER JOIN ${branches} b ON b.[id] = k.[id]`,

    deactivateBranch: (chatId) => sql`
    UPDATE ${branches} SET [isActive] = 0 WHERE [chatId] = ${chatId} AND [isActive] = 1`,

    insertEvents: (rows) => sql`
    INSERT INTO ${events} ([chatId], [seq], [type], [actorId], [payload], [createdAt])
    SELECT k.[chatId], k.[seq], k.[type], k.[actorId], d.[text], k.[createdAt]
    FROM ${list(rows, { chatId: KEY, seq: 'INT', type: KEY, actorId: KEY, createdAt: 'BIGINT' })}
    INNER JOIN ${longTexts(rows.map((row) => row.payload))} d ON d.[n] = k.[n]`,

    // In a batch, what comes behind a statement that fails is still run, and the last error is the one that is told.
    together: (changes) => changes,

    // No upper end: which text comes last depends on whether code units are compared or code points.
    branchNames: (chatId, prefix) => sql`
    SELECT b.[name] FROM ${branches} b
    WHERE b.[chatId] = ${chatId} AND b.[name] >= ${prefix} AND CHARINDEX(${prefix}, b.[name]) = 1`,

    chatsById: (keys) =>
      sql`SELECT ${chatColumns} FROM ${ids(keys)} INNER JOIN ${chats} c ON c.[id] = k.[id] AND ${isThere}`,

    chatsWithBranch: (keys) => sql`
    SELECT ${chatColumns}, b.[id] AS [branchId], b.[name] AS [branchName], b.[headMessageId], h.[depth] AS [headDepth],
      b.[createdAt] AS [branchCreatedAt], b.[seq] AS [branchSeq]
    FROM ${ids(keys)} INNER JOIN ${chats} c ON c.[id] = k.[id] AND ${isThere}
    LEFT JOIN ${branches} b ON b.[chatId] = c.[id] AND b.[isActive] = 1
    LEFT JOIN ${messages} h ON h.[id] = b.[headMessageId]`,

    messagesById: (keys, inlineBytes) => sql`
    SELECT k.[n], ${messageColumns(inlineBytes)} FROM ${ids(keys)} INNER JOIN ${messages} m ON m.[id] = k.[id]`,

    messageData: (keys) => sql`SELECT m.[id], m.[data] FROM ${ids(keys)} INNER JOIN ${messages} m ON m.[id] = k.[id]`,

    // First along the jumps to where each piece ends, then parent by parent.
    // Both walks carry no more than they need; the wide rows are joined at the end.
    paths: (pieces, inlineBytes) => sql`
    WITH j AS (
      SELECT k.[n], m.[id], m.[parentId], m.[depth], m.[jumpId], k.[toDepth], k.[length]
      FROM ${list(pieces, { messageId: KEY, toDepth: 'INT', length: 'INT' })}
      INNER JOIN ${messages} m ON m.[id] = k.[messageId]
      WHERE k.[length] > 0
      UNION ALL
      SELECT j.[n], m.[id], m.[parentId], m.[depth], m.[jumpId], j.[toDepth], j.[length]
      ${jumpStep}
    ),
    w AS (
      SELECT j.[n], j.[id], j.[parentId], j.[length] AS [remaining] FROM j
      WHERE j.[toDepth] IS NULL OR j.[depth] = j.[toDepth]
      UNION ALL
      SELECT w.[n], p.[id], p.[parentId], w.[remaining] - 1 FROM w INNER JOIN ${messages} p ON p.[id] = w.[parentId]
      WHERE w.[remaining] > 1
    )
    SELECT w.[n], ${messageColumns(inlineBytes)} FROM w INNER JOIN ${messages} m ON m.[id] = w.[id]
    ${noLimit}`,

    // Not a walk, but every message of the chats that is as deep as the highest of those asked for.
    newestChildren: (keys) => sql`
    SELECT m.[id], (
      SELECT TOP (1) c.[id] FROM ${messages} c WHERE c.[chatId] = m.[chatId] AND c.[parentId] = m.[id]
      ORDER BY c.[siblingIndex] DESC
    ) AS [next]
    FROM (
      SELECT s.[chatId], MIN(s.[depth]) AS [depth] FROM ${ids(keys)} INNER JOIN ${messages} s ON s.[id] = k.[id]
      GROUP BY s.[chatId]
    ) top_ones
    INNER JOIN ${messages} m ON m.[chatId] = top_ones.[chatId] AND m.[depth] >= top_ones.[depth]`,

    // The newest child is the one without a newer sibling.
    latestLeaf: (messageId) => sql`
    WITH w AS (
      SELECT m.[id], m.[chatId], m.[depth] FROM ${messages} m WHERE m.[id] = ${messageId}
      UNION ALL
      SELECT c.[id], c.[chatId], c.[depth]
      FROM w INNER JOIN ${messages} c ON c.[chatId] = w.[chatId] AND c.[parentId] = w.[id]
      WHERE NOT EXISTS (
        SELECT 1 FROM ${messages} s
        WHERE s.[chatId] = c.[chatId] AND s.[parentId] = c.[parentId] AND s.[siblingIndex] > c.[siblingIndex]
      )
    )
    SELECT TOP (1) w.[id] FROM w ORDER BY w.[depth] DESC
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

    branchesById: (keys) => branchesWithHead(sql`FROM ${ids(keys)} INNER JOIN ${branches} b ON b.[id] = k.[id]`),
    branchesByName: (keys) =>
      branchesWithHead(sql`
    FROM ${nameKeys(keys)} INNER JOIN ${branches} b ON b.[chatId] = k.[chatId] AND b.[name] = k.[name]`),
    activeBranches: (chatIds) =>
      branchesWithHead(sql`
    FROM ${ids(chatIds)} INNER JOIN ${branches} b ON b.[chatId] = k.[id] AND b.[isActive] = 1`),
    branchesAt: (messageIds) => sql`
    ${branchesWithHead(sql`
    FROM ${ids(messageIds)}
    INNER JOIN ${messages} m ON m.[id] = k.[id]
    INNER JOIN ${branches} b ON b.[chatId] = m.[chatId] AND b.[headMessageId] = m.[id]`)}
    ORDER BY k.[n], b.[seq]`,

    branchesOf: (chatIds) => sql`
    ${branchesWithHead(sql`FROM ${ids(chatIds)} INNER JOIN ${branches} b ON b.[chatId] = k.[id]`)}
    ORDER BY k.[n], b.[seq]`,

    ancestors: (pieces) => sql`
    WITH j AS (
      SELECT k.[n], m.[id], m.[parentId], m.[depth], m.[jumpId], k.[toDepth]
      FROM ${depths(pieces)} INNER JOIN ${messages} m ON m.[id] = k.[messageId]
      UNION ALL
      SELECT j.[n], m.[id], m.[parentId], m.[depth], m.[jumpId], j.[toDepth]
      ${jumpStep}
    )
    SELECT j.[n], j.[id] FROM j WHERE j.[depth] = j.[toDepth]
    ${noLimit}`,

    // Not the paths alone, but every message of the chats between the depths.
    linksAbove: (pieces) => sql`
    SELECT m.[id], m.[parentId]
    FROM (
      SELECT s.[chatId], MIN(k.[toDepth]) AS [highest], MAX(s.[depth]) AS [deepest]
      FROM ${depths(pieces)} INNER JOIN ${messages} s ON s.[id] = k.[messageId]
      GROUP BY s.[chatId]
    ) spans
    INNER JOIN ${messages} m
      ON m.[chatId] = spans.[chatId] AND m.[depth] BETWEEN spans.[highest] AND spans.[deepest]
    ORDER BY m.[depth] DESC`,

    rankBounds: (name, chatIds, after, before) => sql`
    SELECT k.[n], COUNT(*) AS [total],
      ${after === null ? raw('0') : countOf(TABLES[name].upTo(after))} AS [low],
      ${before === null ? raw('COUNT(*)') : countOf(TABLES[name].before(before))} AS [high]
    FROM ${ids(chatIds)} INNER JOIN ${table(name)} t ON t.[chatId] = k.[id]
    GROUP BY k.[n]`,

    ranked: (name, ranges) => sql`
    SELECT k.[n], ${columnsOf('r', TABLES[name].columns)}${name === 'branches' ? raw(', h.[depth] AS [headDepth]') : empty}
    FROM ${list(ranges, { chatId: KEY, start: 'INT', end: 'INT' })}
    CROSS APPLY (
      SELECT ${columnsOf('t', TABLES[name].columns)}, ROW_NUMBER() OVER (ORDER BY ${TABLES[name].listOrder}) - 1 AS [rank]
      FROM ${table(name)} t WHERE t.[chatId] = k.[chatId]
    ) r
    ${name === 'branches' ? sql`LEFT JOIN ${messages} h ON h.[id] = r.[headMessageId]` : empty}
    WHERE r.[rank] >= k.[start] AND r.[rank] < k.[end]
    ORDER BY k.[n], r.[rank]`,

    checkpointsAt: (messageIds) => sql`
    SELECT k.[n], ${checkpointColumns}
    FROM ${ids(messageIds)}
    INNER JOIN ${messages} m ON m.[id] = k.[id]
    INNER JOIN ${checkpoints} c ON c.[chatId] = m.[chatId] AND c.[messageId] = m.[id]
    ORDER BY k.[n], c.[seq] DESC`,
    checkpointsById: (keys) => sql`
    SELECT ${checkpointColumns} FROM ${ids(keys)} INNER JOIN ${checkpoints} c ON c.[id] = k.[id]`,
    checkpointsByName: (keys) => sql`
    SELECT ${checkpointColumns}
    FROM ${nameKeys(keys)} INNER JOIN ${checkpoints} c ON c.[chatId] = k.[chatId] AND c.[name] = k.[name]`,

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

    logStates: (chatIds) => sql`
    SELECT k.[id] AS [chatId], c.[userId], c.[version], d.[userId] AS [deletedUserId], d.[seq] AS [deletedSeq],
      d.[actorId] AS [deletedBy], d.[createdAt] AS [deletedAt]
    FROM ${ids(chatIds)} LEFT JOIN ${chats} c ON c.[id] = k.[id] AND ${isThere} LEFT JOIN ${deletedChats} d ON d.[id] = k.[id]`,

    headNow: (chatId, branchName) => sql`
    SELECT c.[version], b.[id] AS [branchId], b.[headMessageId]
    FROM ${chats} c INNER JOIN ${branches} b ON b.[chatId] = c.[id]
    WHERE c.[id] = ${chatId} AND ${isThere} AND ${branchName === null ? raw('b.[isActive] = 1') : sql`b.[name] = ${branchName}`}`,

    nearestEvent: ({ chatId, firstSeq, lastSeq, nearest, types, branchId }) => sql`
    SELECT TOP (1) ${columnsOf('e', EVENT_COLUMNS)} FROM ${events} e
    WHERE e.[chatId] = ${chatId} AND e.[seq] BETWEEN ${firstSeq} AND ${lastSeq} AND e.[type] IN (${join(types)})
      ${branchId === null ? empty : sql`AND e.[payload] LIKE ${ofBranch(branchId)}`}
    ORDER BY e.[seq] ${raw(nearest === 'first' ? 'ASC' : 'DESC')}`,

    chats: (filter, { after, before }, order, limit) => sql`
    SELECT TOP (${limit}) ${chatColumns} FROM ${chats} c
    WHERE ${join([...chatConditions(filter), ...beyond(after, '<'), ...beyond(before, '>')], ' AND ')}
    ORDER BY ${raw(order === 'newest' ? 'c.[updatedAt] DESC, c.[id] DESC' : 'c.[updatedAt], c.[id]')}`,

    chatCount: (filter) => sql`
    SELECT COUNT(*) AS [total] FROM ${chats} c WHERE ${join(chatConditions(filter), ' AND ')}`,

    hits: (request) => searchStatement(schema, request, hasFullTextIndex),

    messagesAfter: (id, limit, inlineBytes) => sql`
    SELECT TOP (${limit}) 0 AS [n], ${messageColumns(inlineBytes)} FROM ${messages} m ${behind('WHERE', 'm', id)} ORDER BY m.[id]`,

    chatsAfter: (id, limit) => sql`
    SELECT TOP (${limit}) ${chatColumns} FROM ${chats} c WHERE ${isThere} ${behind('AND', 'c', id)} ORDER BY c.[id]`,

    tidySearch: null,

    messageSizes: ({ chatId, firstSeq, lastSeq }) => sql`
    SELECT m.[seq], DATALENGTH(m.[data]) AS [bytes] FROM ${messages} m
    WHERE m.[chatId] = ${chatId} AND m.[seq] BETWEEN ${firstSeq} AND ${lastSeq} ORDER BY m.[seq]`,

    // Servers in containers may all have one name, but hardly made a database of one number in the same millisecond.
    identity: () => sql`
    SELECT CONCAT(@@SERVERNAME, N' ', d.[database_id], N' ', CONVERT(NVARCHAR(30), d.[create_date], 126), N' ',
      SCHEMA_ID(${schema})) AS [identity]
    FROM sys.databases d WHERE d.[name] = DB_NAME()`,
  };
}

function countOf(condition: Sql): Sql {
  return sql`SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;
}

/** Nothing comes before ''; it is compared as if it were spaces, though, and before those come control characters. */
function behind(word: 'WHERE' | 'AND', alias: string, id: string): Sql {
  return id === '' ? empty : sql`${raw(word)} ${raw(alias)}.[id] > ${id}`;
}

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
function chatConditions({ userId, metadata }: ChatFilter): Sql[] {
  const owner = userId === null ? [isThere] : [sql`c.[userId] = ${userId}`];
  if (metadata.length === 0) return owner;
  const members = metadata.map(({ key, equals }) => {
    // Of a longer key, OPENJSON has as much.
    const name = `${key.slice(0, 4000)}.`;
    return sql`${countOf(sql`CAST(e.[key] AS NVARCHAR(MAX)) ${BIN2} + N'.' = ${name} AND ${hasValue(equals)}`)} > 0`;
  });
  return [
    ...owner,
    sql`EXISTS (
      SELECT 1 FROM OPENJSON(CASE WHEN ISJSON(c.[metadata]) = 1 THEN c.[metadata] END) e HAVING ${join(members, ' AND ')}
    )`,
  ];
}

/** How OPENJSON tells the types of values. */
const JSON_TYPES = { null: 0, string: 1, number: 2, boolean: 3, array: 4, object: 5 };

/** Whether a member e of OPENJSON is exactly this canonical JSON value: texts come decoded, all else as it is written. */
function hasValue(canonical: string): Sql {
  const value: unknown = JSON.parse(canonical);
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as keyof typeof JSON_TYPES);
  const isOfType = sql`e.[type] = ${raw(String(JSON_TYPES[type]))}`;
  if (value === null) return isOfType;
  const text = typeof value === 'string' ? value : canonical;
  return sql`${isOfType} AND e.[value] ${BIN2} + N'.' = ${`${text}.`}`;
}
