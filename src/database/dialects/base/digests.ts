/** Messages with their digests and those of their parents, to compute missing ones and to verify all. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { Differences } from '../differences.js';
import { isBeyond, isWithin, type SeqPosition } from './fragments.js';

/** Aliases of messages, their sources, and the hashes of these. */
type Alias = 'm' | 's' | 'h';

export function digestStatements(d: Differences) {
  const messages = d.table('messages');
  const order = raw('ORDER BY m."chatId", m."seq"');
  const beyond = (of: Alias, after: SeqPosition) => isBeyond(d, `${of}.`, after);
  const within = (of: Alias, after: SeqPosition, to: SeqPosition) => isWithin(d, `${of}.`, after, to);
  const isMissing = raw('AND m."contentHash" IS NULL');

  return {
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
