/** Messages, paths and graphs, on SQLite. */
import sql, { raw, type Sql } from 'sql-template-tag';
import { GRAPH_COLUMNS, jsonRows } from '../../reading/row-format.js';
import type { MessageStatements } from '../dialect.js';
import { list, keyIndex, columnsOf, messagesAsJson, jumpStep, parentStep, scoped } from './fragments.js';
import { jsonLists } from './json-lists.js';

const ofKey = raw('k."key"');

export const messageStatements: MessageStatements = {
  rows: jsonRows,
  json: jsonLists,
  messages: (keys, inlineBytes) => sql`
    SELECT ${messagesAsJson(ofKey, inlineBytes)} FROM ${scoped(keys, 'messages', 'm')}`,

  messagesById: (ids, inlineBytes) => sql`
    SELECT ${messagesAsJson(ofKey, inlineBytes)} FROM ${list(ids)} k CROSS JOIN messages m ON m."id" = k.value`,

  messageData: (keys) => sql`SELECT m."id", m."data" FROM ${scoped(keys, 'messages', 'm')}`,

  messageAuthors: (keys) => sql`
    SELECT m."chatId", m."id", m."createdBy" FROM ${scoped(keys, 'messages', 'm')}`,

  // First along the jumps to where each piece ends, then parent by parent.
  // Both walks carry no more than they need; the wide rows are joined at the end.
  paths: (pieces, inlineBytes) => sql`
    WITH RECURSIVE k(n, id, "toDepth", length, "chatId") AS (
      SELECT ${keyIndex}, value ->> 0, value ->> 1, value ->> 2, value ->> 3
      FROM ${list(pieces.map((piece) => [piece.messageId, piece.toDepth, piece.length, piece.chatId]))} k
    ),
    j(n, "chatId", id, "parentId", depth, "jumpId", "toDepth", length) AS (
      SELECT k.n, m."chatId", m."id", m."parentId", m."depth", m."jumpId", k."toDepth", k.length
      FROM k CROSS JOIN messages m ON m."id" = k.id AND +m."chatId" = k."chatId" WHERE k.length > 0
      UNION ALL
      SELECT j.n, j."chatId", m."id", m."parentId", m."depth", m."jumpId", j."toDepth", j.length
      ${jumpStep}
    ),
    w(n, "chatId", id, "parentId", depth, remaining) AS (
      SELECT n, "chatId", id, "parentId", depth, length FROM j WHERE "toDepth" IS NULL OR depth = "toDepth"
      UNION ALL
      SELECT w.n, w."chatId", p."id", p."parentId", p."depth", w.remaining - 1 ${parentStep}
      WHERE w.remaining > 1
    )
    SELECT ${messagesAsJson(raw('w.n'), inlineBytes)} FROM w CROSS JOIN messages m ON m."id" = w.id`,

  placesOnPaths: (keys) => sql`
    WITH RECURSIVE j(n, "chatId", id, "parentId", depth, "jumpId", "toDepth", head) AS (
      SELECT ${keyIndex}, m."chatId", m."id", m."parentId", m."depth", m."jumpId", s."depth", m."id"
      FROM ${list(keys.map((key) => [key.headId, key.messageId, key.chatId]))} k
      CROSS JOIN messages s ON s."id" = k.value ->> 1 AND +s."chatId" = k.value ->> 2
      CROSS JOIN messages m ON m."id" = k.value ->> 0 AND +m."chatId" = k.value ->> 2
      UNION ALL
      SELECT j.n, j."chatId", m."id", m."parentId", m."depth", m."jumpId", j."toDepth", j.head
      ${jumpStep}
    )
    SELECT n, id, depth, "toDepth" FROM j WHERE depth = "toDepth" OR id = head`,

  // UNION, not UNION ALL: walks that meet go on as one, so that a batch costs no more than the messages it covers.
  newestChildren: (messages, limit) => sql`
    WITH RECURSIVE w(id, "chatId", depth, next) AS (
      SELECT m."id", m."chatId", m."depth", ${newestChild('m."id"', 'm."chatId"', 'm."depth"')}
      FROM ${scoped(messages, 'messages', 'm')}
      UNION
      SELECT w.next, w."chatId", w.depth + 1, ${newestChild('w.next', 'w."chatId"', 'w.depth + 1')}
      FROM w WHERE w.next IS NOT NULL
      LIMIT ${limit}
    )
    SELECT id, next FROM w`,

  leafBelow: ({ chatId, id }, piece) => sql`
    WITH RECURSIVE w(id, "chatId", next, depth) AS (
      SELECT m."id", m."chatId", ${newestChild('m."id"', 'm."chatId"', 'm."depth"')}, m."depth"
      FROM messages m WHERE m."id" = ${id} AND +m."chatId" = ${chatId}
      UNION ALL
      SELECT w.next, w."chatId", ${newestChild('w.next', 'w."chatId"', 'w.depth + 1')}, w.depth + 1
      FROM w WHERE w.next IS NOT NULL AND w.depth % ${piece} > 0
    )
    SELECT id, next FROM w ORDER BY depth DESC LIMIT 1`,

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

  runStarts: (chatIds, limit) => sql`
    SELECT json_group_array(json_array(r.n, r.seq, r.above)) AS json
    FROM (
      SELECT ${keyIndex} AS n,
        coalesce((SELECT max(m."seq") FROM messages m WHERE m."chatId" = k.value), 0) + 1 AS seq, NULL AS above
      FROM ${list(chatIds)} k
      UNION ALL
      SELECT ${keyIndex}, r."seq", r."parentSeq" FROM ${list(chatIds)} k CROSS JOIN message_runs r ON r."chatId" = k.value
      LIMIT ${limit}
    ) r`,

  nodesAt: (keys) => sql`
    SELECT json_group_array(json_array(k.value ->> 0, ${columnsOf(GRAPH_COLUMNS)})) AS json
    FROM ${list(keys.flatMap(({ chatId, seqs }, n) => seqs.map((seq) => [n, chatId, seq])))} k
    CROSS JOIN messages m ON m."chatId" = k.value ->> 1 AND m."seq" = k.value ->> 2`,

  messagesAfter: (id, limit, inlineBytes) => sql`
    SELECT ${messagesAsJson(raw('0'), inlineBytes)}
    FROM (SELECT * FROM messages WHERE "id" > ${id} ORDER BY "id" LIMIT ${limit}) m`,

  messageSizes: ({ chatId, firstSeq, lastSeq }) => sql`
    SELECT "seq", octet_length("data") AS bytes FROM messages
    WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq} ORDER BY "seq"`,
};

/** One depth lower: a walk down ends whatever is stored. */
function newestChild(parentId: string, chatId: string, depth: string): Sql {
  return raw(`(SELECT c."id" FROM messages c WHERE c."chatId" = ${chatId} AND c."parentId" = ${parentId}
    AND c."depth" = ${depth} + 1 ORDER BY c."siblingIndex" DESC LIMIT 1)`);
}
