/** Walks along the graph: to the root by parents and jumps, and down to the leaves. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../../conversation/chat-scoped.js';
import type { ChainKey, PairKey, PlaceKey } from '../../../conversation/reads.js';
import type { PathPiece } from '../requests.js';
import type { Differences } from '../differences.js';
import type { Fragments } from './fragments.js';

export function pathStatements(d: Differences, f: Fragments) {
  const { limit, top, walk } = d;
  const messages = d.table('messages');
  /** The newest child, one depth lower; the depth condition ends walks over damaged rows. */
  const newestChild = (chatId: Sql, parentId: string, depth: string): Sql => sql`(
        SELECT ${top(1)} c."id" FROM ${messages} c WHERE c."chatId" = ${chatId} AND c."parentId" = ${raw(parentId)}
          AND c."depth" = ${raw(depth)} + 1
        ORDER BY c."siblingIndex" DESC ${limit(1)})`;
  const childOfMessage = (chat: Sql | null) => newestChild(chat ?? raw('m."chatId"'), 'm."id"', 'm."depth"');
  const childOfNext = (chat: Sql | null) => newestChild(chat ?? raw('w."chatId"'), 'w."next"', 'w."depth" + 1');
  const isMessage = ({ chatId, id }: ChatScoped): Sql => f.isRow('m', { id: sql`${id}`, chatId: sql`${chatId}` });

  return {
    /**
     * Messages of path pieces: jumps lead to the end of each piece, then parent by parent. Walks carry narrow rows;
     * wide ones are joined at the end. Whole paths skip the jumps, which plans faster.
     */
    paths(pieces: readonly PathPiece[], inlineBytes: number): Sql {
      const k = d.keys(pieces, { chatId: 'chat', messageId: 'key', toDepth: 'int', length: 'int' });
      const end = f.message('m', { id: k.messageId, chatId: k.chatId });
      const areWhole = pieces.every((piece) => piece.toDepth === null);
      const ends = areWhole
        ? sql`j("n", "chatId", "id", "parentId", "depth", "length") AS (
        SELECT ${k.n}, m."chatId", m."id", m."parentId", m."depth", ${k.length} FROM ${k.from} ${end} WHERE ${k.length} > 0
      )`
        : sql`j("n", "chatId", "id", "parentId", "depth", "jumpId", "toDepth", "length") AS (
        SELECT ${k.n}, m."chatId", m."id", m."parentId", m."depth", m."jumpId", ${k.toDepth}, ${k.length}
        FROM ${k.from} ${end} WHERE ${k.length} > 0
        UNION ALL
        SELECT j."n", j."chatId", m."id", m."parentId", m."depth", m."jumpId", j."toDepth", j."length" ${f.jumpStep(k.chat)}
      )`;
      return sql`
      ${walk.begin} ${ends},
      w("n", "chatId", "id", "parentId", "depth", remaining) AS (
        SELECT j."n", j."chatId", j."id", j."parentId", j."depth", j."length" FROM j
        WHERE ${raw(areWhole ? '1 = 1' : 'j."toDepth" IS NULL OR j."depth" = j."toDepth"')}
        UNION ALL
        SELECT w."n", w."chatId", p."id", p."parentId", p."depth", w.remaining - 1 ${f.parentStep(k.chat)} WHERE w.remaining > 1
      )
      SELECT ${d.messagesOf(raw('w."n"'), inlineBytes)}
      FROM w ${f.message('m', { id: raw('w."id"'), chatId: k.chat ?? raw('w."chatId"') })} ${walk.end}`;
    },

    /** Messages of a path, if its rows are not damaged; each run of messages is one range of an index. */
    pathOfRuns: (end: ChainKey, inlineBytes: number): Sql => sql`
      ${walk.begin} ${f.runs(end)}
      SELECT ${d.messagesOf(raw('0'), inlineBytes)} FROM w ${d.lookUp('messages', 'm', f.isInRun(end.chatId))}`,

    /** Rows { n, id, depth, toDepth }: the head, and its ancestor at the depth `toDepth` of the requested message. */
    placesOnPaths(keys: readonly PlaceKey[]): Sql {
      const k = d.keys(keys, { chatId: 'chat', headId: 'key', messageId: 'key' });
      return sql`
      ${walk.begin} j("n", "chatId", "id", "parentId", "depth", "jumpId", "toDepth", "head") AS (
        SELECT ${k.n}, m."chatId", m."id", m."parentId", m."depth", m."jumpId", t."depth", m."id"
        FROM ${k.from}
        ${f.message('t', { id: k.messageId, chatId: k.chatId })} ${f.message('m', { id: k.headId, chatId: k.chatId })}
        UNION ALL
        SELECT j."n", j."chatId", m."id", m."parentId", m."depth", m."jumpId", j."toDepth", j."head" ${f.jumpStep(k.chat)}
      )
      SELECT j."n", j."id", j."depth", j."toDepth" FROM j WHERE j."depth" = j."toDepth" OR j."id" = j."head" ${walk.end}`;
    },

    /**
     * The newest common ancestor of each pair, or both roots. Both sides step up together: jumps of equal depth have equal length, so
     * that O(log depth) steps suffice. The sum of depths must decrease, so that damaged rows cannot loop.
     */
    commonAncestors(pairs: readonly PairKey[], inlineBytes: number): Sql {
      const k = d.keys(pairs, { chatId: 'chat', baseId: 'key', headId: 'key' });
      const chatId = k.chat ?? raw('j."chatId"');
      const of = (id: Sql) => ({ id, chatId });
      const next = (side: 'a' | 'b', other: 'a' | 'b') =>
        raw(`CASE WHEN j."${side}Depth" < j."${other}Depth" THEN j."${side}"
          WHEN j."${side}Depth" > j."${other}Depth" AND ${side}Far."depth" >= j."${other}Depth" THEN ${side}Far."id"
          WHEN j."${side}Depth" = j."${other}Depth" AND aFar."id" <> bFar."id" THEN ${side}Far."id"
          ELSE j."${side}Parent" END`);
      const columns = (side: string) => raw(`${side}."id", ${side}."parentId", ${side}."jumpId", ${side}."depth"`);
      return sql`
      ${walk.begin} j("n", "chatId", "a", "aParent", "aJump", "aDepth", "b", "bParent", "bJump", "bDepth") AS (
        SELECT ${k.n}, a."chatId", ${columns('a')}, ${columns('b')}
        FROM ${k.from}
        ${f.message('a', { id: k.baseId, chatId: k.chatId })} ${f.message('b', { id: k.headId, chatId: k.chatId })}
        UNION ALL
        SELECT j."n", j."chatId", ${columns('a')}, ${columns('b')}
        FROM j
        ${f.message('aFar', of(raw('j."aJump"')))} ${f.message('bFar', of(raw('j."bJump"')))}
        ${f.message('a', of(next('a', 'b')))}
        ${f.message('b', of(next('b', 'a')), raw('AND a."depth" + b."depth" < j."aDepth" + j."bDepth"'))}
        WHERE j."a" <> j."b"
      )
      SELECT ${d.messagesOf(raw('j."n"'), inlineBytes)}
      FROM j ${d.lookUp('messages', 'm', sql`m."id" IN (j."a", j."b") AND ${d.chatIdBesideId('m')} = ${chatId}`)}
      WHERE j."a" = j."b" OR j."aDepth" + j."bDepth" = 0 ${walk.end}`;
    },

    /**
     * Rows { id, next }: each message of a walk with its newest child, null at a leaf; all, or at least the first
     * `count`. UNION merges walks that meet.
     */
    newestChildren(keys: readonly ChatScoped[], count: number): Sql {
      const k = f.scoped(keys);
      return sql`
      ${walk.begin} w("id", "chatId", "depth", "next") AS (
        SELECT m."id", m."chatId", m."depth", ${childOfMessage(k.chat)} FROM ${k.from} ${f.message('m', k)}
        UNION
        SELECT w."next", w."chatId", w."depth" + 1, ${childOfNext(k.chat)} FROM w WHERE w."next" IS NOT NULL
      )
      SELECT w."id", w."next" FROM w ${limit(count)}`;
    },

    /**
     * One row { id, next }: the nearest message on the way to the leaf, start included, that is the leaf or has a depth
     * divisible by `piece`; and its newest child.
     */
    leafBelow: (message: ChatScoped, piece: number): Sql => sql`
      ${walk.begin} w("id", "chatId", "next", "depth") AS (
        SELECT m."id", m."chatId", ${childOfMessage(sql`${message.chatId}`)}, m."depth" FROM ${messages} m WHERE ${isMessage(message)}
        UNION ALL
        SELECT w."next", w."chatId", ${childOfNext(sql`${message.chatId}`)}, w."depth" + 1
        FROM w WHERE w."next" IS NOT NULL AND w."depth" % ${d.number(piece)} > 0
      )
      SELECT w."id", w."next" FROM w ORDER BY w."depth" DESC ${limit(1)}`,

    /** The ladder of jumps of a message: rows { id, depth, seq, jumpId, contentHash, usage }; the last two of the message alone. */
    ladder: (message: ChatScoped): Sql => sql`
      ${walk.begin} w("chatId", "id", "depth", "seq", "jumpId") AS (
        SELECT m."chatId", m."id", m."depth", m."seq", m."jumpId" FROM ${messages} m WHERE ${isMessage(message)}
        UNION ALL
        SELECT w."chatId", j."id", j."depth", j."seq", j."jumpId" ${f.ladderStep(sql`${message.chatId}`)}
      )
      SELECT w."id", w."depth", w."seq", w."jumpId", h."contentHash", h."usage"
      FROM w ${d.lookUpOrNull('messages', 'h', sql`${f.isRow('h', { id: raw('w."id"'), chatId: sql`${message.chatId}` })} AND w."id" = ${message.id}`)} ${walk.end}`,

    /**
     * One row { id, depth, name }: the nearest message towards the root that is named assistant, has a depth divisible
     * by `piece`, or is the root. The start itself only if named assistant, the root, or without a valid parent.
     */
    assistantAbove: (message: ChatScoped, piece: number): Sql => sql`
      ${walk.begin} w("chatId", "id", "parentId", "name", "depth") AS (
        SELECT m."chatId", m."id", m."parentId", m."name", m."depth" FROM ${messages} m WHERE ${isMessage(message)}
        UNION ALL
        SELECT w."chatId", p."id", p."parentId", p."name", p."depth" ${f.parentStep(sql`${message.chatId}`)}
        WHERE w."name" <> 'assistant' AND (w."depth" % ${d.number(piece)} > 0 OR w."id" = ${message.id})
      )
      SELECT ${top(1)} w."id", w."depth", w."name" FROM w ORDER BY w."depth" ${limit(1)} ${walk.end}`,

    /** At most one row: see MessageLinks. */
    linksOf: ({ chatId, id }: ChatScoped): Sql => sql`
      SELECT m."id", m."depth", m."parentId", m."jumpId", p."depth" AS "parentDepth", j."depth" AS "jumpDepth"
      FROM ${messages} m
      LEFT JOIN ${messages} p ON p."chatId" = m."chatId" AND p."id" = m."parentId"
      LEFT JOIN ${messages} j ON j."chatId" = m."chatId" AND j."id" = m."jumpId"
      WHERE m."chatId" = ${chatId} AND m."id" = ${id}`,
  };
}
