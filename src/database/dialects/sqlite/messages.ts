/** Messages, paths and graphs, on SQLite. */
import sql, { raw, type Sql } from 'sql-template-tag';
import { GRAPH_COLUMNS, jsonRows } from '../../reading/row-format.js';
import type { MessageStatements } from '../dialect.js';
import { list, keyIndex, columnsOf, messagesAsJson, jumpStep } from './fragments.js';
import { jsonLists } from './json-lists.js';

const ofKey = raw('k."key"');

export const messageStatements: MessageStatements = {
  rows: jsonRows,
  json: jsonLists,
  messagesById: (ids, inlineBytes) => sql`
    SELECT ${messagesAsJson(ofKey, inlineBytes)} FROM ${list(ids)} k CROSS JOIN messages m ON m."id" = k.value`,

  messageData: (ids) => sql`SELECT m."id", m."data" FROM ${list(ids)} k CROSS JOIN messages m ON m."id" = k.value`,

  messageAuthors: (ids) => sql`
    SELECT m."id", m."createdBy" FROM ${list(ids)} k CROSS JOIN messages m ON m."id" = k.value`,

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

  placesOnPaths: (keys) => sql`
    WITH RECURSIVE j(n, id, "parentId", depth, "jumpId", "toDepth", sought) AS (
      SELECT ${keyIndex}, m."id", m."parentId", m."depth", m."jumpId", s."depth", s."id"
      FROM ${list(keys.map((key) => [key.headId, key.messageId]))} k
      CROSS JOIN messages s ON s."id" = k.value ->> 1
      CROSS JOIN messages m ON m."id" = k.value ->> 0
      UNION ALL
      SELECT j.n, m."id", m."parentId", m."depth", m."jumpId", j."toDepth", j.sought
      ${jumpStep}
    )
    SELECT n, depth FROM j WHERE id = sought`,

  // UNION, not UNION ALL: walks that meet go on as one, so that a batch costs no more than the messages it covers.
  newestChildren: (messageIds, limit) => sql`
    WITH RECURSIVE w(id, "chatId", next) AS (
      SELECT m."id", m."chatId", ${newestChild(raw('m."chatId"'), raw('m."id"'))}
      FROM ${list(messageIds)} k CROSS JOIN messages m ON m."id" = k.value
      UNION
      SELECT w.next, w."chatId", ${newestChild(raw('w."chatId"'), raw('w.next'))} FROM w WHERE w.next IS NOT NULL
      LIMIT ${limit}
    )
    SELECT id, next FROM w`,

  leafBelow: (messageId, piece) => sql`
    WITH RECURSIVE w(id, "chatId", next, depth) AS (
      SELECT m."id", m."chatId", ${newestChild(raw('m."chatId"'), raw('m."id"'))}, m."depth"
      FROM messages m WHERE m."id" = ${messageId}
      UNION ALL
      SELECT w.next, w."chatId", ${newestChild(raw('w."chatId"'), raw('w.next'))}, w.depth + 1
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

function newestChild(chatId: Sql, parentId: Sql): Sql {
  return sql`(SELECT c."id" FROM messages c WHERE c."chatId" = ${chatId} AND c."parentId" = ${parentId}
    ORDER BY c."siblingIndex" DESC LIMIT 1)`;
}
