/** Messages, paths and graphs, on PostgreSQL. */
import sql, { raw, type Sql } from 'sql-template-tag';
import { GRAPH_COLUMNS, plainRows } from '../../reading/row-format.js';
import type { MessageStatements } from '../dialect.js';
import { leanLists } from './lean-lists.js';
import {
  list,
  keyIndex,
  columnsOf,
  messageColumns,
  lookUp,
  lookUpIn,
  messageOfKey,
  jumpStep,
  parentStep,
  scoped,
  seqRanges,
} from './fragments.js';

export const messageStatements: MessageStatements = {
  rows: plainRows,
  json: leanLists,
  messages: (keys, inlineBytes) => sql`
    SELECT ${messageColumns(keyIndex, inlineBytes)} FROM ${scoped(keys)} ${messageOfKey}`,

  messagesById: (ids, inlineBytes) => sql`
    SELECT ${messageColumns(keyIndex, inlineBytes)} FROM ${list(ids)} ${lookUp('k.value', 'm')}`,

  messageData: (keys) => sql`SELECT m."id", m."data" FROM ${scoped(keys)} ${messageOfKey}`,

  messageAuthors: (keys) => sql`SELECT m."chatId", m."id", m."createdBy" FROM ${scoped(keys)} ${messageOfKey}`,

  paths: (pieces, inlineBytes) => {
    const chatIds = pieces.map((piece) => piece.chatId);
    const messageIds = pieces.map((piece) => piece.messageId);
    const lengths = pieces.map((piece) => piece.length);
    // Whole paths end at the messages themselves: without the walk to where a piece ends, they are planned sooner.
    const areWhole = pieces.every((piece) => piece.toDepth === null);
    const ends = areWhole
      ? sql`
        j(n, "chatId", id, "parentId", depth, length) AS (
          SELECT ${keyIndex}, m."chatId", m."id", m."parentId", m."depth", k.length
          FROM unnest(${chatIds}::text[], ${messageIds}::text[], ${lengths}::int[])
            WITH ORDINALITY AS k("chatId", id, length, ord) ${messageOfKey}
          WHERE k.length > 0
        )`
      : sql`
        j(n, "chatId", id, "parentId", depth, "jumpId", "toDepth", length) AS (
          SELECT ${keyIndex}, m."chatId", m."id", m."parentId", m."depth", m."jumpId", k."toDepth", k.length
          FROM unnest(${chatIds}::text[], ${messageIds}::text[], ${pieces.map((piece) => piece.toDepth)}::int[],
            ${lengths}::int[]) WITH ORDINALITY AS k("chatId", id, "toDepth", length, ord) ${messageOfKey}
          WHERE k.length > 0
          UNION ALL
          SELECT j.n, j."chatId", m."id", m."parentId", m."depth", m."jumpId", j."toDepth", j.length
          ${jumpStep}
        )`;
    const isEnd = areWhole ? sql`true` : sql`"toDepth" IS NULL OR depth = "toDepth"`;
    // First along the jumps to where each piece ends, then parent by parent. Both walks carry no more than they need;
    // the wide rows are joined at the end.
    return sql`
    WITH RECURSIVE ${ends},
    w(n, "chatId", id, "parentId", depth, remaining) AS (
      SELECT n, "chatId", id, "parentId", depth, length FROM j WHERE ${isEnd}
      UNION ALL
      SELECT w.n, w."chatId", p."id", p."parentId", p."depth", w.remaining - 1 ${parentStep} WHERE w.remaining > 1
    )
    SELECT ${messageColumns(raw('w.n'), inlineBytes)} FROM w ${lookUp('w.id', 'm')}`;
  },

  placesOnPaths: (keys) => sql`
    WITH RECURSIVE j(n, "chatId", id, "parentId", depth, "jumpId", "toDepth", head) AS (
      SELECT ${keyIndex}, m."chatId", m."id", m."parentId", m."depth", m."jumpId", s."depth", m."id"
      FROM unnest(${keys.map((key) => key.chatId)}::text[], ${keys.map((key) => key.headId)}::text[],
        ${keys.map((key) => key.messageId)}::text[]) WITH ORDINALITY AS k("chatId", id, "messageId", ord)
      ${lookUpIn('k."chatId"', 'k."messageId"', 's')}
      ${messageOfKey}
      UNION ALL
      SELECT j.n, j."chatId", m."id", m."parentId", m."depth", m."jumpId", j."toDepth", j.head
      ${jumpStep}
    )
    SELECT n, id, depth, "toDepth" FROM j WHERE depth = "toDepth" OR id = head`,

  // UNION, not UNION ALL: walks that meet go on as one, so that a batch costs no more than the messages it covers.
  newestChildren: (messages, limit) => sql`
    WITH RECURSIVE w(id, "chatId", depth, next) AS (
      SELECT m."id", m."chatId", m."depth", ${newestChild('m."id"', 'm."chatId"', 'm."depth"')}
      FROM ${scoped(messages)} ${messageOfKey}
      UNION
      SELECT w.next, w."chatId", w.depth + 1, ${newestChild('w.next', 'w."chatId"', 'w.depth + 1')}
      FROM w WHERE w.next IS NOT NULL
    )
    SELECT id, next FROM w LIMIT ${limit}::int`,

  leafBelow: ({ chatId, id }, piece) => sql`
    WITH RECURSIVE w(id, "chatId", next, depth) AS (
      SELECT m."id", m."chatId", ${newestChild('m."id"', 'm."chatId"', 'm."depth"')}, m."depth"
      FROM messages m WHERE m."id" = ${id} AND m."chatId" = ${chatId}
      UNION ALL
      SELECT w.next, w."chatId", ${newestChild('w.next', 'w."chatId"', 'w.depth + 1')}, w.depth + 1
      FROM w WHERE w.next IS NOT NULL AND w.depth % ${piece}::int > 0
    )
    SELECT id, next FROM w ORDER BY depth DESC LIMIT 1`,

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

  runStarts: (chatIds, limit) => sql`
    SELECT (${keyIndex})::int AS n,
      coalesce((SELECT max(m."seq") FROM messages m WHERE m."chatId" = k.value), 0) + 1 AS seq, NULL::int AS above
    FROM ${list(chatIds)}
    UNION ALL
    SELECT (${keyIndex})::int, r."seq", r."parentSeq" FROM ${list(chatIds)} JOIN message_runs r ON r."chatId" = k.value
    LIMIT ${limit}::int`,

  nodesAt: (keys) => sql`
    SELECT ${columnsOf(raw('k.n'), 'm', GRAPH_COLUMNS)}
    FROM unnest(${keys.flatMap(({ seqs }, n) => seqs.map(() => n))}::int[],
      ${keys.flatMap(({ chatId, seqs }) => seqs.map(() => chatId))}::text[], ${keys.flatMap(({ seqs }) => seqs)}::int[])
      AS k(n, "chatId", seq)
    CROSS JOIN LATERAL (SELECT * FROM messages l WHERE l."chatId" = k."chatId" AND l."seq" = k.seq OFFSET 0) m`,

  messagesAfter: (id, limit, inlineBytes) => sql`
    SELECT ${messageColumns(raw('0'), inlineBytes)}
    FROM (SELECT * FROM messages WHERE "id" > ${id} ORDER BY "id" LIMIT ${limit}) m`,

  messageSizes: ({ chatId, firstSeq, lastSeq }) => sql`
    SELECT "seq", octet_length("data") AS bytes FROM messages
    WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq}::int AND ${lastSeq}::int ORDER BY "seq"`,
};

/** One depth lower: a walk down ends whatever is stored. */
function newestChild(parentId: string, chatId: string, depth: string): Sql {
  return raw(`(SELECT c."id" FROM messages c WHERE c."chatId" = ${chatId} AND c."parentId" = ${parentId}
    AND c."depth" = ${depth} + 1 ORDER BY c."siblingIndex" DESC LIMIT 1)`);
}
