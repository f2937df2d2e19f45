/** The sources of messages, and the messages that draw on a source. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { SeqKey, SeqRange } from '../../../conversation/reads.js';
import type { Differences } from '../differences.js';
import type { OpenRange } from '../requests.js';
import type { Fragments } from './fragments.js';

export function sourceStatements(d: Differences, f: Fragments) {
  const sources = d.table('message_sources');
  const seqKeys = (keys: readonly SeqKey[]) => d.keys(keys, { chatId: 'chat', seq: 'int' });
  /** Joins the source m of a row s. */
  const source = (chat: Sql | null) =>
    d.lookUp('messages', 'm', sql`m."chatId" = ${chat ?? raw('s."chatId"')} AND m."seq" = s."sourceSeq"`);

  return {
    /** Rows { n, position, hash } of the hashes of all sources of messages, in their order. */
    sourceHashesOf(keys: readonly SeqKey[]): Sql {
      const k = seqKeys(keys);
      const of = (alias: string) => sql`${raw(alias)}."chatId" = ${k.chatId} AND ${raw(alias)}."seq" = ${k.seq}`;
      return sql`
      SELECT ${k.n} AS "n", s."position" AS "position", m."contentHash" AS "hash"
      FROM ${k.from} ${d.lookUp('message_sources', 's', of('s'))} ${source(k.chat)}
      UNION ALL
      SELECT ${k.n}, h."position", h."hash" FROM ${k.from} ${d.lookUp('message_source_hashes', 'h', of('h'))}
      ORDER BY 1, 2`;
    },
    /** Rows { of, position, hash } of the sources stored as hashes in a range, in order. */
    sourceHashesInRange: ({ chatId, firstSeq, lastSeq }: SeqRange): Sql => sql`
      SELECT "seq" AS "of", "position" AS "position", "hash" AS "hash" FROM ${d.table('message_source_hashes')}
      WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${d.number(firstSeq)} AND ${d.number(lastSeq)} ORDER BY "seq", "position"`,
    /** Rows { id, chatId, seq, contentHash } of messages of any chat. */
    placesById(ids: readonly string[]): Sql {
      const k = f.ids(ids);
      return sql`
      SELECT m."id" AS "id", m."chatId" AS "chatId", m."seq" AS "seq", m."contentHash" AS "contentHash"
      FROM ${k.from} ${f.anywhere('messages', 'm', { column: 'id', key: k.id, values: ids })}`;
    },
    /** Rows { n, id, seq } of the sources of messages, in their order. */
    sourcesOf(keys: readonly SeqKey[]): Sql {
      const k = seqKeys(keys);
      return sql`
      SELECT ${k.n} AS "n", m."id" AS "id", m."seq" AS "seq"
      FROM ${k.from} ${d.lookUp('message_sources', 's', sql`s."chatId" = ${k.chatId} AND s."seq" = ${k.seq}`)} ${source(k.chat)}
      ORDER BY 1, s."position"`;
    },
    /** Rows { of, id, seq } of the sources of messages in a range, in the order of the messages and their sources. */
    sourcesInRange: ({ chatId, firstSeq, lastSeq }: SeqRange): Sql => sql`
      SELECT s."seq" AS "of", m."id" AS "id", m."seq" AS "seq"
      FROM (SELECT * FROM ${sources} WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq}) s ${source(sql`${chatId}`)}
      ORDER BY s."seq", s."position"`,
    /** Rows { n, of, id }: the sources of messages in ranges, with the ids of both, in the order of the messages and their sources. */
    sourcesInRanges(ranges: readonly SeqRange[]): Sql {
      const k = d.keys(ranges, { chatId: 'chat', firstSeq: 'int', lastSeq: 'int' });
      const on = sql`s."chatId" = ${k.chatId} AND s."seq" BETWEEN ${k.firstSeq} AND ${k.lastSeq}`;
      return sql`
      SELECT ${k.n} AS "n", o."id" AS "of", m."id" AS "id"
      FROM ${k.from} ${d.join} ${sources} s ON ${on} ${source(k.chat)}
      ${d.lookUp('messages', 'o', sql`o."chatId" = ${k.chat ?? raw('s."chatId"')} AND o."seq" = s."seq"`)}
      ORDER BY 1, s."seq", s."position"`;
    },
    /** Rows { n, of, id } of all sources in chats, in the order of the messages and their sources. */
    sourcesOfChats(chatIds: readonly string[]): Sql {
      const k = f.chats(chatIds);
      return sql`
      SELECT ${k.n} AS "n", s."seq" AS "of", m."id" AS "id"
      FROM ${k.from} ${d.join} ${sources} s ON s."chatId" = ${k.id} ${source(k.chat)}
      ORDER BY 1, s."seq", s."position"`;
    },

    /** Rows { n, total, low, high }: the messages that draw on each source, and those up to `after` and before `before`. */
    drawnOnBounds(keys: readonly SeqKey[], after: number | null, before: number | null): Sql {
      const k = seqKeys(keys);
      const countOf = (comparison: string, seq: number) =>
        sql`count(CASE WHEN s."seq" ${raw(comparison)} ${d.number(seq)} THEN 1 END)`;
      return sql`
      SELECT ${k.n} AS "n", count(*) AS "total",
        ${after === null ? raw('0') : countOf('<=', after)} AS "low",
        ${before === null ? raw('count(*)') : countOf('<', before)} AS "high"
      FROM ${k.from} ${d.join} ${sources} s ON s."chatId" = ${k.chatId} AND s."sourceSeq" = ${k.seq}
      GROUP BY ${k.n}`;
    },
    /** Messages that draw on each source: the first `count` of each range of their seqs. */
    drawingOn(
      keys: readonly (SeqKey & Pick<OpenRange, 'above' | 'below'>)[],
      order: 'ASC' | 'DESC',
      count: number,
      inlineBytes: number,
    ): Sql {
      const k = d.keys(keys, { chatId: 'chat', seq: 'int', above: 'int', below: 'int' });
      return sql`
      SELECT ${d.messagesOf(k.n, inlineBytes)}
      FROM ${k.from} ${d.firstOfEach('r', {
        table: 'message_sources',
        where: sql`s."chatId" = ${k.chatId} AND s."sourceSeq" = ${k.seq} AND s."seq" > ${k.above} AND s."seq" < ${k.below}`,
        order: raw(`s."seq" ${order}`),
        limit: count,
      })} ${d.lookUp('messages', 'm', sql`m."chatId" = ${k.chat ?? raw('r."chatId"')} AND m."seq" = r."seq"`)}`;
    },
  };
}
