/**
 * SQLite. CROSS JOIN pins the order of the joins: the short list first, then the index. `->>` takes JSON text apart.
 * Parameters are plain `?`: numbered ones fail through the adapter.
 */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { ChatFilter, ChatPosition } from '../../conversation/reads.js';
import { commonStatements } from './common-statements.js';
import { LAST_CHARACTERS, type Dialect, type Failure, type HitRequest } from './dialect.js';
import { driverErrors } from '../opening/driver-error.js';
import { bestHits, SCORE } from './hit-order.js';
import { GRAPH_COLUMNS, jsonRows, MESSAGE_COLUMNS } from '../reading/row-format.js';
import { logStatements } from './log-statements.js';

const list = (keys: readonly unknown[]): Sql => sql`json_each(${JSON.stringify(keys)})`;

/** The index of a key in its list. As it stands, the column counts as a BLOB, for json_each declares no types. */
const keyIndex = raw('k."key" + 0');

/** Columns of messages m. */
const columnsOf = (names: readonly string[]): Sql => raw(names.map((name) => `m."${name}"`).join(', '));

/** Rows of messages m as one JSON array of arrays. octet_length tells it from the row's header. */
const messagesAsJson = (n: Sql, inlineBytes: number): Sql => sql`
  json_group_array(json_array(${n}, ${columnsOf(MESSAGE_COLUMNS)},
    iif(octet_length(m."data") <= ${inlineBytes}, m."data", octet_length(m."data")))) AS json`;

const ofKey = raw('k."key"');

/** Of a chat c: that it is somebody's, and not about to go. See NOBODY. */
const isThere = raw(`c."userId" <> ''`);

/** A branch with the depth of its head, which makes its messageCount. */
const branchesWithHead = (keys: Sql): Sql =>
  sql`SELECT b.*, h."depth" AS "headDepth", ${keyIndex} AS n ${keys} LEFT JOIN messages h ON h."id" = b."headMessageId"`;

/** One step of a walk j to the ancestor m at a depth: to the jump, unless that goes too far up, else to the parent. */
const jumpStep = raw(`
  FROM j
  CROSS JOIN messages far ON far."id" = j."jumpId"
  CROSS JOIN messages m ON m."id" = CASE WHEN far."depth" >= j."toDepth" THEN far."id" ELSE j."parentId" END
  WHERE j.depth > j."toDepth"`);

/** The order in which a table's rows are listed. */
const listOrder = { branches: raw('"seq"'), checkpoints: raw('"seq" DESC') };

/** How many rows stand before a position in a table's list. */
const rowsUpTo = {
  branches: (seq: number) => sql`sum("seq" <= ${seq})`,
  checkpoints: (seq: number) => sql`sum("seq" >= ${seq})`,
};
const rowsBefore = {
  branches: (seq: number) => sql`sum("seq" < ${seq})`,
  checkpoints: (seq: number) => sql`sum("seq" > ${seq})`,
};

export const sqlite: Dialect = {
  failure,
  rows: jsonRows,
  metadata: (stored) => stored,

  lockChat: (id) => sql`UPDATE chats SET "version" = "version" WHERE "id" = ${id} AND "userId" <> '' RETURNING *`,

  ladder: (messageId) => sql`
    WITH RECURSIVE w(id, depth, "jumpId") AS (
      SELECT "id", "depth", "jumpId" FROM messages WHERE "id" = ${messageId}
      UNION ALL
      SELECT j."id", j."depth", j."jumpId" FROM w JOIN messages j ON j."id" = w."jumpId" WHERE w.id <> w."jumpId"
    )
    SELECT id, depth, "jumpId" FROM w`,

  lastAssistant: (messageId, inlineBytes) => sql`
    WITH RECURSIVE w(id, "parentId", name) AS (
      SELECT "id", "parentId", "name" FROM messages WHERE "id" = ${messageId}
      UNION ALL
      SELECT p."id", p."parentId", p."name" FROM w JOIN messages p ON p."id" = w."parentId"
      WHERE w.name <> 'assistant'
    )
    SELECT ${messagesAsJson(raw('0'), inlineBytes)} FROM w CROSS JOIN messages m ON m."id" = w.id WHERE w.name = 'assistant'`,

  insertChat: (chat) => sql`
    INSERT INTO chats ("id", "userId", "title", "metadata", "createdAt", "updatedAt", "version")
    VALUES (${chat.id}, ${chat.userId}, ${chat.title}, ${chat.metadata}, ${chat.createdAt}, ${chat.updatedAt}, ${chat.version})`,

  updateChat: (chat) => sql`
    UPDATE chats SET "title" = ${chat.title}, "metadata" = ${chat.metadata}, "updatedAt" = ${chat.updatedAt},
      "version" = ${chat.version}
    WHERE "id" = ${chat.id}`,

  insertMessages: (messages) => sql`
    INSERT INTO messages ("id", "chatId", "parentId", "name", "type", "createdAt", "depth", "seq", "siblingIndex",
      "jumpId", "preview", "data")
    SELECT value ->> 'id', value ->> 'chatId', value ->> 'parentId', value ->> 'name', value ->> 'type',
      value ->> 'createdAt', value ->> 'depth', value ->> 'seq', value ->> 'siblingIndex', value ->> 'jumpId',
      value ->> 'preview', value ->> 'data'
    FROM ${list(messages)}`,

  // The triggers of message_texts keep the full-text index.
  insertTexts: (texts) => sql`
    INSERT INTO message_texts ("messageId", "chatId", "name", "createdAt", "seq", "length", "terms")
    SELECT value ->> 'messageId', value ->> 'chatId', value ->> 'name', value ->> 'createdAt', value ->> 'seq',
      value ->> 'length', value ->> 'terms'
    FROM ${list(texts)} WHERE true
    ON CONFLICT ("messageId") DO NOTHING`,

  deleteTexts: ({ chatId, firstSeq, lastSeq }) => sql`
    DELETE FROM message_texts
    WHERE "messageId" IN (
      SELECT "id" FROM messages WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq}
    )`,

  insertBranches: (branches) => sql`
    INSERT INTO branches ("id", "chatId", "name", "headMessageId", "isActive", "createdAt", "seq")
    SELECT value ->> 'id', value ->> 'chatId', value ->> 'name', value ->> 'headMessageId', value ->> 'isActive',
      value ->> 'createdAt', value ->> 'seq'
    FROM ${list(branches)}`,

  updateBranches: (branches) => sql`
    UPDATE branches SET "headMessageId" = k.value ->> 'headMessageId', "isActive" = k.value ->> 'isActive'
    FROM ${list(branches)} k WHERE branches."id" = k.value ->> 'id'`,

  deactivateBranch: (chatId) => sql`
    UPDATE branches SET "isActive" = 0 WHERE "chatId" = ${chatId} AND "isActive" = 1`,

  insertEvents: (events) => sql`
    INSERT INTO chat_events ("chatId", "seq", "type", "actorId", "payload", "createdAt")
    SELECT value ->> 'chatId', value ->> 'seq', value ->> 'type', value ->> 'actorId', value ->> 'payload',
      value ->> 'createdAt'
    FROM ${list(events)}`,

  together: (changes) => changes,

  branchNames: (chatId, prefix) => sql`
    SELECT "name" FROM branches
    WHERE "chatId" = ${chatId} AND "name" BETWEEN ${prefix} AND ${prefix + LAST_CHARACTERS}`,

  chatsById: (ids) => sql`SELECT c.* FROM ${list(ids)} k CROSS JOIN chats c ON c."id" = k.value AND ${isThere}`,

  chatsWithBranch: (ids) => sql`
    SELECT c.*, b."id" AS "branchId", b."name" AS "branchName", b."headMessageId", h."depth" AS "headDepth",
      b."createdAt" AS "branchCreatedAt", b."seq" AS "branchSeq"
    FROM ${list(ids)} k CROSS JOIN chats c ON c."id" = k.value AND ${isThere}
    LEFT JOIN branches b ON b."chatId" = c."id" AND b."isActive" = 1 LEFT JOIN messages h ON h."id" = b."headMessageId"`,

  messagesById: (ids, inlineBytes) => sql`
    SELECT ${messagesAsJson(ofKey, inlineBytes)} FROM ${list(ids)} k CROSS JOIN messages m ON m."id" = k.value`,

  messageData: (ids) => sql`SELECT m."id", m."data" FROM ${list(ids)} k CROSS JOIN messages m ON m."id" = k.value`,

  // First along the jumps to where each piece ends, then parent by parent.
  // Both walks carry no more than they need; the wide rows are joined at the end.
  paths: (pieces, inlineBytes) => sql`
    WITH RECURSIVE k(n, id, "toDepth", length) AS (
      SELECT ${keyIndex}, value ->> 0, value ->> 1, value ->> 2
      FROM ${list(pieces.map((piece) => [piece.messageId, piece.toDepth, piece.length]))} k
    ),
    j(n, id, "parentId", depth, "jumpId", "toDepth", length) AS (
      SELECT k.n, m."id", m."parentId", m."depth", m."jumpId", k."toDepth", k.length
      FROM k CROSS JOIN messages m ON m."id" = k.id WHERE k.length > 0
      UNION ALL
      SELECT j.n, m."id", m."parentId", m."depth", m."jumpId", j."toDepth", j.length
      ${jumpStep}
    ),
    w(n, id, "parentId", remaining) AS (
      SELECT n, id, "parentId", length FROM j WHERE "toDepth" IS NULL OR depth = "toDepth"
      UNION ALL
      SELECT w.n, p."id", p."parentId", w.remaining - 1 FROM w CROSS JOIN messages p ON p."id" = w."parentId"
      WHERE w.remaining > 1
    )
    SELECT ${messagesAsJson(raw('w.n'), inlineBytes)} FROM w CROSS JOIN messages m ON m."id" = w.id`,

  // UNION, not UNION ALL: walks that meet go on as one, so that a batch costs no more than the messages it covers.
  newestChildren: (messageIds) => sql`
    WITH RECURSIVE w(id, "chatId", next) AS (
      SELECT m."id", m."chatId", ${newestChild(raw('m."chatId"'), raw('m."id"'))}
      FROM ${list(messageIds)} k CROSS JOIN messages m ON m."id" = k.value
      UNION
      SELECT w.next, w."chatId", ${newestChild(raw('w."chatId"'), raw('w.next'))} FROM w WHERE w.next IS NOT NULL
    )
    SELECT id, next FROM w`,

  latestLeaf: (messageId) => sql`
    WITH RECURSIVE w(id, "chatId", next) AS (
      SELECT m."id", m."chatId", ${newestChild(raw('m."chatId"'), raw('m."id"'))}
      FROM messages m WHERE m."id" = ${messageId}
      UNION ALL
      SELECT w.next, w."chatId", ${newestChild(raw('w."chatId"'), raw('w.next'))} FROM w WHERE w.next IS NOT NULL
    )
    SELECT id FROM w WHERE next IS NULL`,

  childCounts: (parents) => sql`
    SELECT ${keyIndex} AS n, coalesce((
      SELECT max(m."siblingIndex") + 1 FROM messages m
      WHERE m."chatId" = k.value ->> 0 AND m."parentId" IS k.value ->> 1
    ), 0) AS total
    FROM ${list(parents.map((parent) => [parent.chatId, parent.parentId]))} k`,

  children: (ranges, inlineBytes) => sql`
    SELECT ${messagesAsJson(ofKey, inlineBytes)}
    FROM ${list(ranges.map((range) => [range.chatId, range.parentId, range.start, range.end]))} k
    CROSS JOIN messages m ON m."chatId" = k.value ->> 0 AND m."parentId" IS k.value ->> 1
      AND m."siblingIndex" >= k.value ->> 2 AND m."siblingIndex" < k.value ->> 3`,

  messageCounts: (chatIds) => sql`
    SELECT ${keyIndex} AS n, coalesce((SELECT max(m."seq") FROM messages m WHERE m."chatId" = k.value), 0) AS total
    FROM ${list(chatIds)} k`,

  newestMessages: (chatIds, inlineBytes) => sql`
    SELECT ${messagesAsJson(ofKey, inlineBytes)}
    FROM ${list(chatIds)} k
    CROSS JOIN messages m ON m."chatId" = k.value
      AND m."seq" = (SELECT max(l."seq") FROM messages l WHERE l."chatId" = k.value)`,

  messageRanges: (ranges, inlineBytes) => sql`
    SELECT ${messagesAsJson(ofKey, inlineBytes)}
    FROM ${list(ranges.map((range) => [range.chatId, range.firstSeq, range.lastSeq]))} k
    CROSS JOIN messages m ON m."chatId" = k.value ->> 0 AND m."seq" BETWEEN k.value ->> 1 AND k.value ->> 2`,

  graphs: (chatIds) => sql`
    SELECT json_group_array(json_array(${ofKey}, ${columnsOf(GRAPH_COLUMNS)})) AS json
    FROM ${list(chatIds)} k CROSS JOIN messages m ON m."chatId" = k.value`,

  branchesById: (ids) => branchesWithHead(sql`FROM ${list(ids)} k CROSS JOIN branches b ON b."id" = k.value`),
  branchesByName: (keys) =>
    branchesWithHead(sql`
      FROM ${list(keys.map((key) => [key.chatId, key.name]))} k
      CROSS JOIN branches b ON b."chatId" = k.value ->> 0 AND b."name" = k.value ->> 1`),
  activeBranches: (chatIds) =>
    branchesWithHead(sql`FROM ${list(chatIds)} k CROSS JOIN branches b ON b."chatId" = k.value AND b."isActive" = 1`),
  branchesAt: (messageIds) => sql`
    ${branchesWithHead(sql`
      FROM ${list(messageIds)} k
      CROSS JOIN messages m ON m."id" = k.value
      CROSS JOIN branches b ON b."chatId" = m."chatId" AND b."headMessageId" = m."id"`)}
    ORDER BY n, b."seq"`,

  branchesOf: (chatIds) => sql`
    ${branchesWithHead(sql`FROM ${list(chatIds)} k CROSS JOIN branches b ON b."chatId" = k.value`)}
    ORDER BY n, b."seq"`,

  ancestors: (pieces) => sql`
    WITH RECURSIVE j(n, id, "parentId", depth, "jumpId", "toDepth") AS (
      SELECT ${keyIndex}, m."id", m."parentId", m."depth", m."jumpId", k.value ->> 1
      FROM ${list(pieces.map((piece) => [piece.messageId, piece.toDepth]))} k
      CROSS JOIN messages m ON m."id" = k.value ->> 0
      UNION ALL
      SELECT j.n, m."id", m."parentId", m."depth", m."jumpId", j."toDepth"
      ${jumpStep}
    )
    SELECT n, id FROM j WHERE depth = "toDepth"`,

  // UNION, not UNION ALL: paths that meet go on as one.
  linksAbove: (pieces) => sql`
    WITH RECURSIVE w(id, "parentId", depth, "toDepth") AS (
      SELECT m."id", m."parentId", m."depth", k.value ->> 1
      FROM ${list(pieces.map((piece) => [piece.messageId, piece.toDepth]))} k
      CROSS JOIN messages m ON m."id" = k.value ->> 0
      UNION
      SELECT p."id", p."parentId", p."depth", w."toDepth" FROM w CROSS JOIN messages p ON p."id" = w."parentId"
      WHERE w.depth > w."toDepth"
    )
    SELECT id, "parentId" FROM w ORDER BY depth DESC`,

  rankBounds: (table, chatIds, after, before) => sql`
    SELECT ${keyIndex} AS n, count(*) AS total,
      ${after === null ? sql`0` : rowsUpTo[table](after)} AS low,
      ${before === null ? sql`count(*)` : rowsBefore[table](before)} AS high
    FROM ${list(chatIds)} k CROSS JOIN ${raw(table)} t ON t."chatId" = k.value
    GROUP BY n`,

  ranked: (table, ranges) => sql`
    SELECT ${keyIndex} AS n, r.*${table === 'branches' ? sql`, h."depth" AS "headDepth"` : empty}
    FROM ${list(ranges.map((range) => [range.chatId, range.start, range.end]))} k
    JOIN (
      SELECT t.*, row_number() OVER (PARTITION BY t."chatId" ORDER BY t.${listOrder[table]}) - 1 AS rank
      FROM ${raw(table)} t
      WHERE t."chatId" IN (SELECT value FROM ${list(ranges.map((range) => range.chatId))})
    ) r ON r."chatId" = k.value ->> 0 AND r.rank >= k.value ->> 1 AND r.rank < k.value ->> 2
    ${table === 'branches' ? sql`LEFT JOIN messages h ON h."id" = r."headMessageId"` : empty}
    ORDER BY n, r.rank`,

  checkpointsAt: (messageIds) => sql`
    SELECT ${keyIndex} AS n, c.*
    FROM ${list(messageIds)} k
    CROSS JOIN messages m ON m."id" = k.value
    CROSS JOIN checkpoints c ON c."chatId" = m."chatId" AND c."messageId" = m."id"
    ORDER BY n, c."seq" DESC`,
  checkpointsById: (ids) => sql`SELECT c.* FROM ${list(ids)} k CROSS JOIN checkpoints c ON c."id" = k.value`,
  checkpointsByName: (keys) => sql`
    SELECT c.* FROM ${list(keys.map((key) => [key.chatId, key.name]))} k
    CROSS JOIN checkpoints c ON c."chatId" = k.value ->> 0 AND c."name" = k.value ->> 1`,

  events: (ranges) => sql`
    SELECT ${keyIndex} AS n, e.*
    FROM ${list(ranges.map((range) => [range.chatId, range.firstSeq, range.lastSeq]))} k
    CROSS JOIN chat_events e ON e."chatId" = k.value ->> 0 AND e."seq" BETWEEN k.value ->> 1 AND k.value ->> 2
    ORDER BY n, e."seq"`,

  ...logStatements,
  ...commonStatements(
    (name) => raw(`"${name}"`),
    (count, behind) => sql`LIMIT ${count} OFFSET ${behind}`,
  ),

  logStates: (chatIds) => sql`
    SELECT k.value AS "chatId", c."userId", c."version", d."userId" AS "deletedUserId", d."seq" AS "deletedSeq",
      d."actorId" AS "deletedBy", d."createdAt" AS "deletedAt"
    FROM ${list(chatIds)} k LEFT JOIN chats c ON c."id" = k.value AND ${isThere} LEFT JOIN deleted_chats d ON d."id" = k.value`,

  headNow: (chatId, branchName) => sql`
    SELECT c."version", b."id" AS "branchId", b."headMessageId"
    FROM chats c JOIN branches b ON b."chatId" = c."id"
    WHERE c."id" = ${chatId} AND ${isThere} AND ${branchName === null ? raw('b."isActive" = 1') : sql`b."name" = ${branchName}`}`,

  chats: (filter, { after, before }, order, limit) => sql`
    SELECT c.* FROM chats c
    WHERE ${join([...chatConditions(filter), ...beyond(after, raw('<')), ...beyond(before, raw('>'))], ' AND ')}
    ORDER BY ${raw(order === 'newest' ? '"updatedAt" DESC, "id" DESC' : '"updatedAt", "id"')}
    LIMIT ${limit}`,

  chatCount: (filter) => sql`SELECT count(*) AS total FROM chats c WHERE ${join(chatConditions(filter), ' AND ')}`,

  // The index tells which texts have all the words; whether they have the patterns, the texts themselves. The limit keeps
  // n, which is used twice, from being worked out twice.
  hits: (request) => sql`
    WITH scored("messageId", "chatId", "createdAt", "seq", score) AS (
      SELECT d."messageId", d."chatId", d."createdAt", d."seq", (
        SELECT sum(${SCORE})
        FROM (
          SELECT octet_length(d."terms") - octet_length(replace(d."terms", value, substr(value, 2))) AS n
          FROM ${list(request.required)} LIMIT -1
        )
      )
      FROM messages_fts CROSS JOIN message_texts d ON d."id" = messages_fts.rowid
      WHERE messages_fts MATCH ${ftsQuery(request)}
        AND d."chatId" NOT IN (SELECT "id" FROM chats WHERE "userId" = '')
        AND NOT EXISTS (SELECT 1 FROM ${list(request.required)} WHERE instr(d."terms", value) = 0)
        ${request.excluded.length === 0 ? empty : sql`AND NOT EXISTS (SELECT 1 FROM ${list(request.excluded)} WHERE instr(d."terms", value) > 0)`}
        ${request.names === null ? empty : sql`AND d."name" IN (SELECT value FROM ${list(request.names)})`}
    )
    ${bestHits(request)}`,

  messagesAfter: (id, limit, inlineBytes) => sql`
    SELECT ${messagesAsJson(raw('0'), inlineBytes)}
    FROM (SELECT * FROM messages WHERE "id" > ${id} ORDER BY "id" LIMIT ${limit}) m`,

  chatsAfter: (id, limit) => sql`
    SELECT c.* FROM chats c WHERE c."id" > ${id} AND ${isThere} ORDER BY c."id" LIMIT ${limit}`,

  // What was removed stays in it until its parts are merged.
  tidySearch: (pages) => sql`INSERT INTO messages_fts (messages_fts, rank) VALUES ('merge', ${pages})`,

  messageSizes: ({ chatId, firstSeq, lastSeq }) => sql`
    SELECT "seq", octet_length("data") AS bytes FROM messages
    WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq} ORDER BY "seq"`,

  // Links apart: those are for the file system to tell.
  identity: () => sql`SELECT file AS identity FROM pragma_database_list WHERE name = 'main'`,
};

/** In the language of FTS5, every word quoted: they are letters and digits, and some are operators there. */
function ftsQuery({ index, chatIds, userId }: HitRequest): string {
  const scope = [
    ...(chatIds === null ? [] : [`(${chatIds.map((chatId) => `scope:"c${hex(chatId)}"`).join(' OR ')})`]),
    ...(userId === null ? [] : [`scope:"u${hex(userId)}"`]),
  ];
  const words = index.map(({ term, isPrefix }) => `terms:"${term}"${isPrefix ? ' *' : ''}`);
  return [...scope, ...words].join(' AND ');
}

/** As hex() does it, save for the case, which does not matter to the index. */
function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}

function newestChild(chatId: Sql, parentId: Sql): Sql {
  return sql`(SELECT c."id" FROM messages c WHERE c."chatId" = ${chatId} AND c."parentId" = ${parentId}
    ORDER BY c."siblingIndex" DESC LIMIT 1)`;
}

function beyond(position: ChatPosition | null, comparison: Sql): Sql[] {
  return position === null ? [] : [sql`("updatedAt", "id") ${comparison} (${position.updatedAt}, ${position.id})`];
}

/**
 * The member as canonical JSON, which tells true, 1 and "1" apart, and in which equal values are equal. Of the functions in
 * a statement, all that take the same text parse it once; json_each would each time.
 */
function chatConditions({ userId, metadata }: ChatFilter): Sql[] {
  const owner = userId === null ? [isThere] : [sql`c."userId" = ${userId}`];
  const members = metadata.map(({ key, equals }) => sql`c."metadata" -> ${`$.${JSON.stringify(key)}`} = ${equals}`);
  return [...owner, ...members];
}

/** The disk is full, cannot be written or read, or the file is gone. */
const UNAVAILABLE = /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT)/;

function failure(error: unknown): Failure {
  for (const { codes, message } of driverErrors(error)) {
    if (codes.some((code) => code.startsWith('SQLITE_BUSY'))) return 'busy';
    if (codes.some((code) => /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(code))) return 'duplicate';
    if (codes.some((code) => UNAVAILABLE.test(code))) return 'unavailable';
    if (message.startsWith('no such table')) return 'no table';
  }
  return 'other';
}
