import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../../conversation/chat-scoped.js';
import type { ParentKey, SeparateColumn, SeqRange, SeqsKey, SummaryKey } from '../../../conversation/reads.js';
import { GRAPH_COLUMNS } from '../row-format.js';
import type { Differences } from '../differences.js';
import { isAfter, isBeyond, isWithin, type Fragments, type SeqPosition } from './fragments.js';

/** Aliases of messages, their sources, and the hashes of these. */
type Alias = 'm' | 's' | 'h';

export function messageStatements(d: Differences, f: Fragments) {
  const { join, limit, top } = d;
  const messages = d.table('messages');
  const ofChat = (chatId: Sql): Sql => sql`FROM ${messages} m WHERE m."chatId" = ${chatId}`;
  const nodesOf = (n: Sql): Sql =>
    d.rowsOf({ n, ...Object.fromEntries(GRAPH_COLUMNS.map((name) => [name, raw(`m."${name}"`)])) });
  const byKey = (columns: string, keys: readonly ChatScoped[]): Sql => {
    const k = f.scoped(keys);
    return sql`SELECT ${raw(columns)} FROM ${k.from} ${f.message('m', k)}`;
  };

  const order = raw('ORDER BY m."chatId", m."seq"');
  const beyond = (of: Alias, after: SeqPosition) => isBeyond(d, `${of}.`, after);
  const within = (of: Alias, after: SeqPosition, to: SeqPosition) => isWithin(d, `${of}.`, after, to);
  const isMissing = raw('AND m."contentHash" IS NULL');

  return {
    messages(keys: readonly ChatScoped[], inlineBytes: number): Sql {
      const k = f.scoped(keys);
      return sql`${f.prepared(k.chat)} SELECT ${d.messagesOf(k.n, inlineBytes)} FROM ${k.from} ${f.message('m', k)}`;
    },
    messagesById: d.kept((ids: readonly string[], inlineBytes: number): Sql => {
      const k = f.ids(ids);
      return sql`
      ${d.prepared} SELECT ${d.messagesOf(k.n, inlineBytes)}
      FROM ${k.from} ${f.anywhere('messages', 'm', { column: 'id', key: k.id, values: ids })}`;
    }),
    /** Rows { id, data } of messages. */
    messageData: (keys: readonly ChatScoped[]): Sql => byKey('m."id", m."data"', keys),
    /** Rows { chatId, id, value } of messages: a column that is read separately. */
    messageColumn: (keys: readonly ChatScoped[], name: SeparateColumn): Sql =>
      byKey(`m."chatId", m."id", m."${name}" AS "value"`, keys),
    newestMessages(chatIds: readonly string[], inlineBytes: number): Sql {
      const k = f.chats(chatIds);
      const newest = {
        table: 'messages',
        where: sql`s."chatId" = ${k.id}`,
        order: raw('s."seq" DESC'),
        limit: 1,
      } as const;
      return sql`SELECT ${d.messagesOf(k.n, inlineBytes)} FROM ${k.from} ${d.firstOfEach('m', newest)}`;
    },
    /** Rows { n, id, seq }: the newest messages of type summary in each chat, of those before a seq. The index has only these. */
    newestSummaries(keys: readonly Pick<SummaryKey, 'chatId' | 'beforeSeq'>[], count: number): Sql {
      const k = d.keys(keys, { chatId: 'chat', beforeSeq: 'int' });
      const newest = {
        table: 'messages',
        where: sql`s."chatId" = ${k.chatId} AND s."type" = 'summary' AND s."seq" < ${k.beforeSeq}`,
        order: raw('s."seq" DESC'),
        limit: count,
      } as const;
      return sql`SELECT ${k.n} AS "n", m."id", m."seq" FROM ${k.from} ${d.firstOfEach('m', newest)}`;
    },
    messageRanges(ranges: readonly SeqRange[], inlineBytes: number): Sql {
      const k = d.keys(ranges, { chatId: 'chat', firstSeq: 'int', lastSeq: 'int' });
      const on = sql`m."chatId" = ${k.chatId} AND m."seq" BETWEEN ${k.firstSeq} AND ${k.lastSeq}`;
      return sql`SELECT ${d.messagesOf(k.n, inlineBytes)} FROM ${k.from} ${d.lookUp('messages', 'm', on)}`;
    },
    /** Messages with ids after one, by id: reads the whole table. */
    messagesAfter: (id: string, count: number, inlineBytes: number): Sql => sql`
      SELECT ${top(count)} ${d.messagesOf(raw('0'), inlineBytes)} FROM ${messages} m
      WHERE ${isAfter(raw('m."id"'), id)} ORDER BY m."id" ${limit(count)}`,
    /** Messages of any chat: earlier versions stored previews of hidden ones. */
    clearPreviews: (ids: readonly string[]): Sql => sql`
      UPDATE ${messages} SET "preview" = '' WHERE ${d.isOneOf(raw('"id"'), ids)} AND "preview" <> ''`,
    /** Rows { seq, bytes } of messages: the approximate size of their data, without reading it. */
    messageSizes: ({ chatId, firstSeq, lastSeq }: SeqRange): Sql => sql`
      SELECT m."seq", ${d.bytes(raw('m."data"'))} AS "bytes" ${ofChat(sql`${chatId}`)}
        AND m."seq" BETWEEN ${d.number(firstSeq)} AND ${d.number(lastSeq)} ORDER BY m."seq"`,

    /** Messages: children in a range of siblingIndexes, end exclusive. */
    children(ranges: readonly (ParentKey & { start: number; end: number })[], inlineBytes: number): Sql {
      const k = d.keys(ranges, { chatId: 'chat', parentId: 'key', start: 'int', end: 'int' });
      return sql`SELECT ${d.messagesOf(k.n, inlineBytes)} FROM ${k.from} ${d.childrenOf(k)}`;
    },
    /** Rows { n, total }; total may be null. Two branches, because a NULL-safe comparison cannot use an index. */
    childCounts(parents: readonly ParentKey[]): Sql {
      const k = d.keys(parents, { chatId: 'chat', parentId: 'key' });
      return sql`
      SELECT ${k.n} AS "n", CASE WHEN ${k.parentId} IS NULL THEN (
        SELECT max(m."siblingIndex") + 1 ${ofChat(k.chatId)} AND m."parentId" IS NULL
      ) ELSE (
        SELECT max(m."siblingIndex") + 1 ${ofChat(k.chatId)} AND m."parentId" = ${k.parentId}
      ) END AS "total"
      FROM ${k.from}`;
    },
    /** Rows { n, total }; total may be null. */
    messageCounts(chatIds: readonly string[]): Sql {
      const k = f.chats(chatIds);
      return sql`SELECT ${k.n} AS "n", (SELECT max(m."seq") ${ofChat(k.id)}) AS "total" FROM ${k.from}`;
    },

    graphs(chatIds: readonly string[]): Sql {
      const k = f.chats(chatIds);
      return sql`SELECT ${nodesOf(k.n)} FROM ${k.from} ${join} ${messages} m ON m."chatId" = ${k.id}`;
    },
    /**
     * Rows { n, seq, above, position }, at most `limit`: messages whose parent is not the one saved immediately before, with the
     * parent's seq, except each chat's first; messages with the seq of each source and its position; and one row per chat with the
     * next seq and null.
     */
    runStarts(chatIds: readonly string[], count: number): Sql {
      const k = f.chats(chatIds);
      return sql`
      SELECT ${top(count)} ${d.rowsOf({ n: raw('r."n"'), seq: raw('r."seq"'), above: raw('r."above"'), position: raw('r."position"') })}
      FROM (
        SELECT ${k.n} AS "n", (SELECT coalesce(max(m."seq"), 0) + 1 ${ofChat(k.id)}) AS "seq", CAST(NULL AS INT) AS "above", CAST(NULL AS INT) AS "position"
        FROM ${k.from}
        UNION ALL
        SELECT ${k.n}, s."seq", s."parentSeq", NULL FROM ${k.from} ${join} ${d.table('message_runs')} s ON s."chatId" = ${k.id}
        UNION ALL
        SELECT ${k.n}, s."seq", s."sourceSeq", s."position" FROM ${k.from} ${join} ${d.table('message_sources')} s ON s."chatId" = ${k.id}
        ${limit(count)}
      ) r`;
    },
    nodesAt(keys: readonly SeqsKey[]): Sql {
      const k = d.keys(
        keys.flatMap(({ chatId, seqs }, key) => seqs.map((seq) => ({ key, chatId, seq }))),
        { key: 'int', chatId: 'chat', seq: 'int' },
      );
      const on = sql`m."chatId" = ${k.chatId} AND m."seq" = ${k.seq}`;
      return sql`SELECT ${nodesOf(k.key)} FROM ${k.from} ${d.lookUp('messages', 'm', on)}`;
    },

    // Messages with their digests and those of their parents, to compute missing ones and to verify all.
    /**
     * Rows { chatId, seq, bytes }: the approximate sizes of messages after a position, in order.
     * @param onlyMissing only messages without a hash, which an index finds
     */
    digestSizes: (after: SeqPosition, onlyMissing: boolean, limit: number): Sql => sql`
      SELECT m."chatId", m."seq", ${d.bytes(raw('m."data"'))} AS "bytes" FROM ${messages} m
      WHERE ${beyond('m', after)} ${onlyMissing ? isMissing : empty} ${order} ${d.first(limit)}`,
    /** A row { total }: the messages without a hash, which an index counts. */
    countMissingDigests: (): Sql => sql`SELECT count(*) AS "total" FROM ${messages} m WHERE m."contentHash" IS NULL`,
    /**
     * Rows { chatId, seq, id, parentId, name, type, createdAt, data, contentHash, usage, parentHash, parentUsage } of
     * messages after a position up to another, in order.
     */
    digestRows: (after: SeqPosition, to: SeqPosition, onlyMissing: boolean): Sql => sql`
      SELECT m."chatId", m."seq", m."id", m."parentId", m."name", m."type", m."createdAt", m."data", m."contentHash", m."usage",
        p."contentHash" AS "parentHash", p."usage" AS "parentUsage"
      FROM ${messages} m ${d.lookUpOrNull('messages', 'p', raw('p."chatId" = m."chatId" AND p."id" = m."parentId"'))}
      WHERE ${within('m', after, to)} ${onlyMissing ? isMissing : empty} ${order}`,
    /**
     * Rows { chatId, of, position, id, contentHash } of the sources of the same messages, in the order of these and their
     * sources. The id is empty for a source that is stored as its hash.
     */
    digestSources: (after: SeqPosition, to: SeqPosition): Sql => sql`
      SELECT s."chatId" AS "chatId", s."seq" AS "of", s."position" AS "position", m."id" AS "id", m."contentHash" AS "contentHash"
      FROM ${d.table('message_sources')} s
      ${d.lookUp('messages', 'm', raw('m."chatId" = s."chatId" AND m."seq" = s."sourceSeq"'))}
      WHERE ${within('s', after, to)}
      UNION ALL
      SELECT h."chatId", h."seq", h."position", '', h."hash" FROM ${d.table('message_source_hashes')} h
      WHERE ${within('h', after, to)} ORDER BY 1, 2, 3`,
    updateUsage: (chatId: string, usage: string | null): Sql =>
      sql`UPDATE ${d.table('chats')} SET "usage" = ${usage} WHERE "id" = ${chatId}`,
  };
}
