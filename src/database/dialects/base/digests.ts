/** Messages with their digests and those of their parents, to compute missing ones and to verify all. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { Differences } from '../differences.js';
import { isAfter } from './fragments.js';

/** A position in the order of chats and seqs. */
export interface MessagePosition {
  readonly chatId: string;
  readonly seq: number;
}

/** Aliases of messages, their sources, and the hashes of these. */
type Alias = 'm' | 's' | 'h';

export function digestStatements(d: Differences) {
  const messages = d.table('messages');
  const order = raw('ORDER BY m."chatId", m."seq"');
  /** The first condition seeks in the index. */
  const beyond = (of: Alias, { chatId, seq }: MessagePosition): Sql => {
    const [chat, number] = [raw(`${of}."chatId"`), raw(`${of}."seq"`)];
    if (chatId === '') return isAfter(chat, chatId);
    return sql`${chat} >= ${chatId} AND (${chat} > ${chatId} OR ${number} > ${d.number(seq)})`;
  };
  /** Within one chat, one partition has the rows. */
  const within = (of: Alias, after: MessagePosition, { chatId, seq }: MessagePosition): Sql => {
    const [chat, number] = [raw(`${of}."chatId"`), raw(`${of}."seq"`)];
    return after.chatId === chatId
      ? sql`${chat} = ${chatId} AND ${number} > ${d.number(after.seq)} AND ${number} <= ${d.number(seq)}`
      : sql`${beyond(of, after)} AND ${chat} <= ${chatId} AND (${chat} < ${chatId} OR ${number} <= ${d.number(seq)})`;
  };
  const isMissing = raw('AND m."contentHash" IS NULL');

  return {
    /**
     * Rows { chatId, seq, bytes }: the approximate sizes of messages after a position, in order.
     * @param onlyMissing only messages without a hash, which an index finds
     */
    digestSizes: (after: MessagePosition, onlyMissing: boolean, limit: number): Sql => sql`
      SELECT m."chatId", m."seq", ${d.bytes(raw('m."data"'))} AS "bytes" FROM ${messages} m
      WHERE ${beyond('m', after)} ${onlyMissing ? isMissing : empty} ${order} ${d.first(limit)}`,
    /** A row { total }: the messages without a hash, which an index counts. */
    countMissingDigests: (): Sql => sql`SELECT count(*) AS "total" FROM ${messages} m WHERE m."contentHash" IS NULL`,
    /**
     * Rows { chatId, seq, id, parentId, name, type, createdAt, data, contentHash, usage, parentHash, parentUsage } of
     * messages after a position up to another, in order.
     */
    digestRows: (after: MessagePosition, to: MessagePosition, onlyMissing: boolean): Sql => sql`
      SELECT m."chatId", m."seq", m."id", m."parentId", m."name", m."type", m."createdAt", m."data", m."contentHash", m."usage",
        p."contentHash" AS "parentHash", p."usage" AS "parentUsage"
      FROM ${messages} m ${d.lookUpOrNull('messages', 'p', raw('p."chatId" = m."chatId" AND p."id" = m."parentId"'))}
      WHERE ${within('m', after, to)} ${onlyMissing ? isMissing : empty} ${order}`,
    /**
     * Rows { chatId, of, position, id, contentHash } of the sources of the same messages, in the order of these and their
     * sources. The id is empty for a source that is stored as its hash.
     */
    digestSources: (after: MessagePosition, to: MessagePosition): Sql => sql`
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
