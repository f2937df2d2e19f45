/**
 * PostgreSQL. Lists of keys are arrays. A walk looks each next message up in a LATERAL subquery with OFFSET 0, which
 * keeps the planner from joining it with the whole table: it takes a recursive part for far larger than it is.
 */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { canonicalJson } from '../../conversation/canonical-json.js';
import type { ChatFilter, ChatPosition } from '../../conversation/reads.js';
import { commonStatements } from './common-statements.js';
import { LAST_CHARACTERS, type Dialect, type Failure, type HitRequest } from './dialect.js';
import { driverErrors, NO_CONNECTION_KINDS } from '../opening/driver-error.js';
import { bestHits, SCORE } from './hit-order.js';
import { GRAPH_COLUMNS, plainRows, MESSAGE_COLUMNS } from '../reading/row-format.js';
import { logStatements } from './log-statements.js';

/** A list of keys as k(value, ord). */
const list = (keys: readonly string[]): Sql => sql`unnest(${keys}::text[]) WITH ORDINALITY AS k(value, ord)`;

/** The index of a key in its list. */
const keyIndex = raw('k.ord - 1');

/** The columns of an alias, with n. The driver hands out a BIGINT as text: the times fit a double. */
function columnsOf(n: Sql, alias: string, columns: readonly string[]): Sql {
  const selected = columns.map((name) =>
    name === 'createdAt' ? `${alias}."createdAt"::float8 AS "createdAt"` : `${alias}."${name}"`,
  );
  return sql`(${n})::int AS n, ${raw(selected.join(', '))}`;
}

/** Those of messages m, with n. octet_length tells how long data is from the row, wherever the value itself is. */
const messageColumns = (n: Sql, inlineBytes: number): Sql => sql`${columnsOf(n, 'm', MESSAGE_COLUMNS)},
  CASE WHEN octet_length(m."data") <= ${inlineBytes}::int THEN m."data" END AS "data",
  CASE WHEN octet_length(m."data") > ${inlineBytes}::int THEN octet_length(m."data") END AS "dataBytes"`;

const chatColumns = raw(
  'c."id", c."userId", c."title", c."metadata"::text AS "metadata", c."createdAt", c."updatedAt", c."version"',
);

/** Of a chat c: that it is somebody's, and not about to go. See NOBODY. */
const isThere = raw(`c."userId" <> ''`);

/** A branch with the depth of its head, which makes its messageCount. */
const branchesWithHead = (keys: Sql): Sql =>
  sql`SELECT b.*, h."depth" AS "headDepth", ${keyIndex} AS n ${keys} LEFT JOIN messages h ON h."id" = b."headMessageId"`;

/** The message of an id, looked up by the primary key whatever the planner thinks. */
const lookUp = (id: string, alias: string): Sql =>
  raw(`CROSS JOIN LATERAL (SELECT * FROM messages l WHERE l."id" = ${id} OFFSET 0) ${alias}`);

/** One step of a walk j to the ancestor m at a depth: to the jump, unless that goes too far up, else to the parent. */
const jumpStep = sql`
  FROM j
  ${lookUp('j."jumpId"', 'far')}
  ${lookUp('CASE WHEN far."depth" >= j."toDepth" THEN far."id" ELSE j."parentId" END', 'm')}
  WHERE j.depth > j."toDepth"`;

/** The order in which a table's rows are listed. */
const listOrder = { branches: raw('"seq"'), checkpoints: raw('"seq" DESC') };

/** How many rows stand before a position in a table's list. */
const rowsUpTo = {
  branches: (seq: number) => sql`count(*) FILTER (WHERE t."seq" <= ${seq}::bigint)`,
  checkpoints: (seq: number) => sql`count(*) FILTER (WHERE t."seq" >= ${seq}::bigint)`,
};
const rowsBefore = {
  branches: (seq: number) => sql`count(*) FILTER (WHERE t."seq" < ${seq}::bigint)`,
  checkpoints: (seq: number) => sql`count(*) FILTER (WHERE t."seq" > ${seq}::bigint)`,
};

export const postgresql: Dialect = {
  failure,
  rows: plainRows,
  // JSONB orders the keys in its own way.
  metadata: canonicalJson,

  // The lock that an UPDATE takes, without a dead row.
  lockChat: (id) => sql`SELECT ${chatColumns} FROM chats c WHERE c."id" = ${id} AND ${isThere} FOR NO KEY UPDATE`,

  ladder: (messageId) => sql`
    WITH RECURSIVE w(id, depth, "jumpId") AS (
      SELECT "id", "depth", "jumpId" FROM messages WHERE "id" = ${messageId}
      UNION ALL
      SELECT j."id", j."depth", j."jumpId" FROM w ${lookUp('w."jumpId"', 'j')} WHERE w.id <> w."jumpId"
    )
    SELECT id, depth, "jumpId" FROM w`,

  lastAssistant: (messageId, inlineBytes) => sql`
    WITH RECURSIVE w(id, "parentId", name) AS (
      SELECT "id", "parentId", "name" FROM messages WHERE "id" = ${messageId}
      UNION ALL
      SELECT p."id", p."parentId", p."name" FROM w ${lookUp('w."parentId"', 'p')} WHERE w.name <> 'assistant'
    )
    SELECT ${messageColumns(raw('0'), inlineBytes)} FROM w ${lookUp('w.id', 'm')} WHERE w.name = 'assistant'`,

  insertChat: (chat) => sql`
    INSERT INTO chats ("id", "userId", "title", "metadata", "createdAt", "updatedAt", "version")
    VALUES (${chat.id}, ${chat.userId}, ${chat.title}, ${chat.metadata}::jsonb, ${chat.createdAt}, ${chat.updatedAt},
      ${chat.version})`,

  updateChat: (chat) => sql`
    UPDATE chats SET "title" = ${chat.title}, "metadata" = ${chat.metadata}::jsonb, "updatedAt" = ${chat.updatedAt},
      "version" = ${chat.version}
    WHERE "id" = ${chat.id}`,

  insertMessages: (messages) => sql`
    INSERT INTO messages ("id", "chatId", "parentId", "name", "type", "createdAt", "depth", "seq", "siblingIndex",
      "jumpId", "preview", "data")
    SELECT "id", "chatId", "parentId", "name", "type", "createdAt", "depth", "seq", "siblingIndex", "jumpId", "preview",
      "data"
    FROM json_to_recordset(${JSON.stringify(messages)}::json) AS m("id" text, "chatId" text, "parentId" text, "name" text,
      "type" text, "createdAt" bigint, "depth" int, "seq" int, "siblingIndex" int, "jumpId" text, "preview" text,
      "data" text)`,

  insertTexts: (texts) => sql`
    INSERT INTO message_texts ("messageId", "chatId", "name", "createdAt", "seq", "length", "terms")
    SELECT "messageId", "chatId", "name", "createdAt", "seq", "length", "terms"
    FROM json_to_recordset(${JSON.stringify(texts)}::json) AS t("messageId" text, "chatId" text, "name" text,
      "createdAt" bigint, "seq" int, "length" int, "terms" text)
    ON CONFLICT ("messageId") DO NOTHING`,

  deleteTexts: ({ chatId, firstSeq, lastSeq }) => sql`
    DELETE FROM message_texts
    WHERE "messageId" IN (
      SELECT "id" FROM messages WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq}
    )`,

  insertBranches: (branches) => sql`
    INSERT INTO branches ("id", "chatId", "name", "headMessageId", "isActive", "createdAt", "seq")
    SELECT "id", "chatId", "name", "headMessageId", "isActive", "createdAt", "seq"
    FROM json_to_recordset(${JSON.stringify(branches)}::json) AS b("id" text, "chatId" text, "name" text,
      "headMessageId" text, "isActive" boolean, "createdAt" bigint, "seq" int)`,

  // The ids twice: rows out of JSON are taken for a hundred, which would have the whole table read.
  updateBranches: (branches) => sql`
    UPDATE branches b SET "headMessageId" = k."headMessageId", "isActive" = k."isActive"
    FROM json_to_recordset(${JSON.stringify(branches)}::json) AS k("id" text, "headMessageId" text, "isActive" boolean)
    WHERE b."id" = k."id" AND b."id" = ANY (${branches.map(({ id }) => id)}::text[])`,

  deactivateBranch: (chatId) => sql`
    UPDATE branches SET "isActive" = false WHERE "chatId" = ${chatId} AND "isActive"`,

  insertEvents: (events) => sql`
    INSERT INTO chat_events ("chatId", "seq", "type", "actorId", "payload", "createdAt")
    SELECT "chatId", "seq", "type", "actorId", "payload", "createdAt"
    FROM json_to_recordset(${JSON.stringify(events)}::json) AS e("chatId" text, "seq" int, "type" text, "actorId" text,
      "payload" text, "createdAt" bigint)`,

  // What rows refer to is looked for at the end of a statement, and all parts of a WITH are one.
  together(changes) {
    const parts = changes.slice(0, -1).map((change, n) => sql`${raw(`changed${n}`)} AS (${change})`);
    return parts.length === 0 ? changes : [sql`WITH ${join(parts, ', ')} ${changes.at(-1)}`];
  },

  branchNames: (chatId, prefix) => sql`
    SELECT "name" FROM branches
    WHERE "chatId" = ${chatId} AND "name" BETWEEN ${prefix} AND ${prefix + LAST_CHARACTERS}`,

  chatsById: (ids) => sql`
    SELECT ${chatColumns} FROM ${list(ids)} JOIN chats c ON c."id" = k.value AND ${isThere}`,

  chatsWithBranch: (ids) => sql`
    SELECT ${chatColumns}, b."id" AS "branchId", b."name" AS "branchName", b."headMessageId", h."depth" AS "headDepth",
      b."createdAt" AS "branchCreatedAt", b."seq" AS "branchSeq"
    FROM ${list(ids)} JOIN chats c ON c."id" = k.value AND ${isThere}
    LEFT JOIN branches b ON b."chatId" = c."id" AND b."isActive" LEFT JOIN messages h ON h."id" = b."headMessageId"`,

  messagesById: (ids, inlineBytes) => sql`
    SELECT ${messageColumns(keyIndex, inlineBytes)} FROM ${list(ids)} ${lookUp('k.value', 'm')}`,

  messageData: (ids) => sql`SELECT m."id", m."data" FROM ${list(ids)} ${lookUp('k.value', 'm')}`,

  paths: (pieces, inlineBytes) => {
    const messageIds = pieces.map((piece) => piece.messageId);
    const lengths = pieces.map((piece) => piece.length);
    // Whole paths end at the messages themselves: without the walk to where a piece ends, they are planned sooner.
    const areWhole = pieces.every((piece) => piece.toDepth === null);
    const ends = areWhole
      ? sql`
        j(n, id, "parentId", length) AS (
          SELECT ${keyIndex}, m."id", m."parentId", k.length
          FROM unnest(${messageIds}::text[], ${lengths}::int[]) WITH ORDINALITY AS k(id, length, ord) ${lookUp('k.id', 'm')}
          WHERE k.length > 0
        )`
      : sql`
        j(n, id, "parentId", depth, "jumpId", "toDepth", length) AS (
          SELECT ${keyIndex}, m."id", m."parentId", m."depth", m."jumpId", k."toDepth", k.length
          FROM unnest(${messageIds}::text[], ${pieces.map((piece) => piece.toDepth)}::int[], ${lengths}::int[])
            WITH ORDINALITY AS k(id, "toDepth", length, ord) ${lookUp('k.id', 'm')}
          WHERE k.length > 0
          UNION ALL
          SELECT j.n, m."id", m."parentId", m."depth", m."jumpId", j."toDepth", j.length
          ${jumpStep}
        )`;
    const isEnd = areWhole ? sql`true` : sql`"toDepth" IS NULL OR depth = "toDepth"`;
    // First along the jumps to where each piece ends, then parent by parent. Both walks carry no more than they need;
    // the wide rows are joined at the end.
    return sql`
    WITH RECURSIVE ${ends},
    w(n, id, "parentId", remaining) AS (
      SELECT n, id, "parentId", length FROM j WHERE ${isEnd}
      UNION ALL
      SELECT w.n, p."id", p."parentId", w.remaining - 1 FROM w ${lookUp('w."parentId"', 'p')} WHERE w.remaining > 1
    )
    SELECT ${messageColumns(raw('w.n'), inlineBytes)} FROM w ${lookUp('w.id', 'm')}`;
  },

  // UNION, not UNION ALL: walks that meet go on as one, so that a batch costs no more than the messages it covers.
  newestChildren: (messageIds) => sql`
    WITH RECURSIVE w(id, "chatId", next) AS (
      SELECT m."id", m."chatId", ${newestChild(raw('m."chatId"'), raw('m."id"'))}
      FROM ${list(messageIds)} ${lookUp('k.value', 'm')}
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

  // A comparison with NULL finds nothing in an index of PostgreSQL when it says IS NOT DISTINCT FROM: hence the two.
  childCounts: (parents) => sql`
    SELECT ${keyIndex} AS n, coalesce(CASE WHEN k."parentId" IS NULL THEN (
      SELECT max(m."siblingIndex") + 1 FROM messages m WHERE m."chatId" = k."chatId" AND m."parentId" IS NULL
    ) ELSE (
      SELECT max(m."siblingIndex") + 1 FROM messages m WHERE m."chatId" = k."chatId" AND m."parentId" = k."parentId"
    ) END, 0) AS total
    FROM unnest(${parents.map((parent) => parent.chatId)}::text[], ${parents.map((parent) => parent.parentId)}::text[])
      WITH ORDINALITY AS k("chatId", "parentId", ord)`,

  children: (ranges, inlineBytes) => sql`
    SELECT ${messageColumns(keyIndex, inlineBytes)}
    FROM unnest(${ranges.map((range) => range.chatId)}::text[], ${ranges.map((range) => range.parentId)}::text[],
      ${ranges.map((range) => range.start)}::int[], ${ranges.map((range) => range.end)}::int[])
      WITH ORDINALITY AS k("chatId", "parentId", "start", "end", ord)
    CROSS JOIN LATERAL (
      SELECT * FROM messages m WHERE m."chatId" = k."chatId" AND m."parentId" = k."parentId"
        AND m."siblingIndex" >= k."start" AND m."siblingIndex" < k."end"
      UNION ALL
      SELECT * FROM messages m WHERE k."parentId" IS NULL AND m."chatId" = k."chatId" AND m."parentId" IS NULL
        AND m."siblingIndex" >= k."start" AND m."siblingIndex" < k."end"
    ) m`,

  messageCounts: (chatIds) => sql`
    SELECT ${keyIndex} AS n, coalesce((SELECT max(m."seq") FROM messages m WHERE m."chatId" = k.value), 0) AS total
    FROM ${list(chatIds)}`,

  newestMessages: (chatIds, inlineBytes) => sql`
    SELECT ${messageColumns(keyIndex, inlineBytes)}
    FROM ${list(chatIds)}
    CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m."chatId" = k.value ORDER BY m."seq" DESC LIMIT 1) m`,

  messageRanges: (ranges, inlineBytes) => sql`
    SELECT ${messageColumns(keyIndex, inlineBytes)}
    FROM ${seqRanges(ranges)}
    CROSS JOIN LATERAL (
      SELECT * FROM messages m WHERE m."chatId" = k."chatId" AND m."seq" BETWEEN k."first" AND k."last" OFFSET 0
    ) m`,

  graphs: (chatIds) => sql`
    SELECT ${columnsOf(keyIndex, 'm', GRAPH_COLUMNS)} FROM ${list(chatIds)} JOIN messages m ON m."chatId" = k.value`,

  branchesById: (ids) => branchesWithHead(sql`FROM ${list(ids)} JOIN branches b ON b."id" = k.value`),
  branchesByName: (keys) =>
    branchesWithHead(sql`
      FROM ${nameKeys(keys)} JOIN branches b ON b."chatId" = k."chatId" AND b."name" = k."name"`),
  activeBranches: (chatIds) =>
    branchesWithHead(sql`FROM ${list(chatIds)} JOIN branches b ON b."chatId" = k.value AND b."isActive"`),
  branchesAt: (messageIds) => sql`
    ${branchesWithHead(sql`
      FROM ${list(messageIds)} ${lookUp('k.value', 'm')}
      JOIN branches b ON b."chatId" = m."chatId" AND b."headMessageId" = m."id"`)}
    ORDER BY n, b."seq"`,

  branchesOf: (chatIds) => sql`
    ${branchesWithHead(sql`FROM ${list(chatIds)} JOIN branches b ON b."chatId" = k.value`)}
    ORDER BY n, b."seq"`,

  ancestors: (pieces) => sql`
    WITH RECURSIVE j(n, id, "parentId", depth, "jumpId", "toDepth") AS (
      SELECT ${keyIndex}, m."id", m."parentId", m."depth", m."jumpId", k."toDepth"
      FROM ${depths(pieces)} ${lookUp('k.id', 'm')}
      UNION ALL
      SELECT j.n, m."id", m."parentId", m."depth", m."jumpId", j."toDepth"
      ${jumpStep}
    )
    SELECT n, id FROM j WHERE depth = "toDepth"`,

  // UNION, not UNION ALL: paths that meet go on as one.
  linksAbove: (pieces) => sql`
    WITH RECURSIVE w(id, "parentId", depth, "toDepth") AS (
      SELECT m."id", m."parentId", m."depth", k."toDepth" FROM ${depths(pieces)} ${lookUp('k.id', 'm')}
      UNION
      SELECT p."id", p."parentId", p."depth", w."toDepth" FROM w ${lookUp('w."parentId"', 'p')}
      WHERE w.depth > w."toDepth"
    )
    SELECT id, "parentId" FROM w ORDER BY depth DESC`,

  rankBounds: (table, chatIds, after, before) => sql`
    SELECT ${keyIndex} AS n, count(*) AS total,
      ${after === null ? sql`0` : rowsUpTo[table](after)} AS low,
      ${before === null ? sql`count(*)` : rowsBefore[table](before)} AS high
    FROM ${list(chatIds)} JOIN ${raw(table)} t ON t."chatId" = k.value
    GROUP BY k.ord`,

  ranked: (table, ranges) => sql`
    SELECT ${keyIndex} AS n, r.*${table === 'branches' ? sql`, h."depth" AS "headDepth"` : empty}
    FROM unnest(${ranges.map((range) => range.chatId)}::text[], ${ranges.map((range) => range.start)}::bigint[],
      ${ranges.map((range) => range.end)}::bigint[]) WITH ORDINALITY AS k("chatId", "start", "end", ord)
    CROSS JOIN LATERAL (
      SELECT t.*, row_number() OVER (ORDER BY t.${listOrder[table]}) - 1 AS rank FROM ${raw(table)} t
      WHERE t."chatId" = k."chatId"
    ) r
    ${table === 'branches' ? sql`LEFT JOIN messages h ON h."id" = r."headMessageId"` : empty}
    WHERE r.rank >= k."start" AND r.rank < k."end"
    ORDER BY n, r.rank`,

  checkpointsAt: (messageIds) => sql`
    SELECT ${keyIndex} AS n, c.*
    FROM ${list(messageIds)} ${lookUp('k.value', 'm')}
    JOIN checkpoints c ON c."chatId" = m."chatId" AND c."messageId" = m."id"
    ORDER BY n, c."seq" DESC`,
  checkpointsById: (ids) => sql`SELECT c.* FROM ${list(ids)} JOIN checkpoints c ON c."id" = k.value`,
  checkpointsByName: (keys) => sql`
    SELECT c.* FROM ${nameKeys(keys)} JOIN checkpoints c ON c."chatId" = k."chatId" AND c."name" = k."name"`,

  events: (ranges) => sql`
    SELECT ${keyIndex} AS n, e.*
    FROM ${seqRanges(ranges)}
    CROSS JOIN LATERAL (
      SELECT * FROM chat_events e WHERE e."chatId" = k."chatId" AND e."seq" BETWEEN k."first" AND k."last" OFFSET 0
    ) e
    ORDER BY n, e."seq"`,

  ...logStatements,
  ...commonStatements(
    (name) => raw(`"${name}"`),
    (count, behind) => sql`LIMIT ${count} OFFSET ${behind}`,
  ),

  logStates: (chatIds) => sql`
    SELECT k.value AS "chatId", c."userId", c."version", d."userId" AS "deletedUserId", d."seq" AS "deletedSeq",
      d."actorId" AS "deletedBy", d."createdAt" AS "deletedAt"
    FROM ${list(chatIds)} LEFT JOIN chats c ON c."id" = k.value AND ${isThere} LEFT JOIN deleted_chats d ON d."id" = k.value`,

  headNow: (chatId, branchName) => sql`
    SELECT c."version", b."id" AS "branchId", b."headMessageId"
    FROM chats c JOIN branches b ON b."chatId" = c."id"
    WHERE c."id" = ${chatId} AND ${isThere} AND ${branchName === null ? raw('b."isActive"') : sql`b."name" = ${branchName}`}`,

  chats: (filter, { after, before }, order, limit) => sql`
    SELECT ${chatColumns} FROM chats c
    WHERE ${join([...chatConditions(filter), ...beyond(after, raw('<')), ...beyond(before, raw('>'))], ' AND ')}
    ORDER BY ${raw(order === 'newest' ? 'c."updatedAt" DESC, c."id" DESC' : 'c."updatedAt", c."id"')}
    LIMIT ${limit}`,

  chatCount: (filter) => sql`SELECT count(*) AS total FROM chats c WHERE ${join(chatConditions(filter), ' AND ')}`,

  // The index tells which texts have all the words; whether they have the patterns, the texts themselves. OFFSET 0 keeps n,
  // which is used twice, from being worked out twice.
  hits: (request) => sql`
    WITH scored AS (
      SELECT d."messageId", d."chatId", d."createdAt", d."seq", (
        SELECT sum(${SCORE})::bigint FROM (
          SELECT octet_length(d."terms") - octet_length(replace(d."terms", p, substr(p, 2))) AS n
          FROM unnest(${request.required}::text[]) AS p OFFSET 0
        ) counted
      ) AS score
      FROM message_texts d
      WHERE (d."vector" @@ ${tsQuery(request)}::tsquery OR d."vector" IS NULL)
        AND d."chatId" NOT IN (SELECT "id" FROM chats WHERE "userId" = '')
        AND NOT EXISTS (SELECT 1 FROM unnest(${request.required}::text[]) AS p WHERE strpos(d."terms", p) = 0)
        ${request.excluded.length === 0 ? empty : sql`AND NOT EXISTS (SELECT 1 FROM unnest(${request.excluded}::text[]) AS p WHERE strpos(d."terms", p) > 0)`}
        ${request.names === null ? empty : sql`AND d."name" = ANY (${request.names}::text[])`}
        ${request.chatIds === null ? empty : sql`AND d."chatId" = ANY (${request.chatIds}::text[])`}
        ${request.userId === null ? empty : sql`AND EXISTS (SELECT 1 FROM chats c WHERE c."id" = d."chatId" AND c."userId" = ${request.userId})`}
    )
    ${bestHits(request)}`,

  messagesAfter: (id, limit, inlineBytes) => sql`
    SELECT ${messageColumns(raw('0'), inlineBytes)}
    FROM (SELECT * FROM messages WHERE "id" > ${id} ORDER BY "id" LIMIT ${limit}) m`,

  chatsAfter: (id, limit) => sql`
    SELECT ${chatColumns} FROM chats c WHERE c."id" > ${id} AND ${isThere} ORDER BY c."id" LIMIT ${limit}`,

  tidySearch: null,

  messageSizes: ({ chatId, firstSeq, lastSeq }) => sql`
    SELECT "seq", octet_length("data") AS bytes FROM messages
    WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq}::int AND ${lastSeq}::int ORDER BY "seq"`,

  // What anybody may ask, of a server that has not been started twice in a microsecond.
  identity: () => sql`
    SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), d.oid, current_schema()) AS identity
    FROM pg_database d WHERE d.datname = current_database()`,
};

/** Words are letters and digits; chats stand behind a slash: see the migration. */
function tsQuery({ index, chatIds }: HitRequest): string {
  // A tsquery has an end, and among so many chats the word decides.
  const chats =
    chatIds === null || chatIds.length > 100 ? undefined : chatIds.map((id) => `'/${id.replace(/['\\]/g, '$&$&')}'`);
  const words = index.map(({ term, isPrefix }) => `'${term}'${isPrefix ? ':*' : ''}`);
  return [...(chats === undefined ? [] : [`(${chats.join(' | ')})`]), ...words].join(' & ');
}

function seqRanges(ranges: readonly { chatId: string; firstSeq: number; lastSeq: number }[]): Sql {
  return sql`unnest(${ranges.map((range) => range.chatId)}::text[], ${ranges.map((range) => range.firstSeq)}::bigint[],
    ${ranges.map((range) => range.lastSeq)}::bigint[]) WITH ORDINALITY AS k("chatId", "first", "last", ord)`;
}

function nameKeys(keys: readonly { chatId: string; name: string }[]): Sql {
  return sql`unnest(${keys.map((key) => key.chatId)}::text[], ${keys.map((key) => key.name)}::text[])
    WITH ORDINALITY AS k("chatId", "name", ord)`;
}

function depths(pieces: readonly { messageId: string; toDepth: number }[]): Sql {
  return sql`unnest(${pieces.map((piece) => piece.messageId)}::text[], ${pieces.map((piece) => piece.toDepth)}::int[])
    WITH ORDINALITY AS k(id, "toDepth", ord)`;
}

function newestChild(chatId: Sql, parentId: Sql): Sql {
  return sql`(SELECT c."id" FROM messages c WHERE c."chatId" = ${chatId} AND c."parentId" = ${parentId}
    ORDER BY c."siblingIndex" DESC LIMIT 1)`;
}

function beyond(position: ChatPosition | null, comparison: Sql): Sql[] {
  return position === null
    ? []
    : [sql`(c."updatedAt", c."id") ${comparison} (${position.updatedAt}::bigint, ${position.id})`];
}

/**
 * Containment goes by the index, but takes an object that has more for one that has it: hence also equality. Every operator
 * takes a long value out of its storage anew: || does it once for all of them, and OFFSET 0 keeps that from being undone.
 */
function chatConditions({ userId, metadata }: ChatFilter): Sql[] {
  const owner = userId === null ? [isThere] : [sql`c."userId" = ${userId}`];
  if (metadata.length === 0) return owner;
  const all = metadata.map(({ key, equals }) => `${JSON.stringify(key)}:${equals}`);
  const members = metadata.map(({ key, equals }) => sql`d."members" -> ${key}::text = ${equals}::jsonb`);
  return [
    ...owner,
    sql`c."metadata" @> ${`{${all.join()}}`}::jsonb`,
    sql`EXISTS (
      SELECT 1 FROM (SELECT c."metadata" || '{}'::jsonb AS "members" OFFSET 0) d WHERE ${join(members, ' AND ')}
    )`,
  ];
}

/** In the way of each other: serialization failures, deadlocks, locks that are held. */
const BUSY = /^(40001|40P01|55P03)$/;
/** No connection, a server that starts, stops or takes no more connections, a full disk, a standby that takes no writes. */
const UNAVAILABLE = /^(08\w{3}|57P0[1235]|53[134]00|25006|28\w{3}|3D000|P1001|P1002|P1008|P1017|E[A-Z]+)$/;
/** The server has ended a statement by statement_timeout. */
const TIMEOUT = '57014';
const NO_CONNECTION = /Connection terminated|timeout exceeded when trying to connect|connection error|Connection ended/;

function failure(error: unknown): Failure {
  for (const { codes, kind, message } of driverErrors(error)) {
    if (codes.some((code) => BUSY.test(code))) return 'busy';
    if (codes.includes(TIMEOUT)) return 'timeout';
    if (codes.includes('42P01')) return 'no table';
    if (codes.includes('23505')) return 'duplicate';
    // What the server says has a code, and may quote what a client has sent.
    const isCut = codes.length === 0 && NO_CONNECTION.test(message);
    if (isCut || kind in NO_CONNECTION_KINDS || codes.some((code) => UNAVAILABLE.test(code))) return 'unavailable';
  }
  return 'other';
}
