/** Messages with their digests and those of their parents, to compute missing ones and to verify all. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { Differences } from '../differences.js';
import { isAfter } from './fragments.js';

/** A position in the order of chats and seqs. */
export interface MessagePosition {
  readonly chatId: string;
  readonly seq: number;
}

export function digestStatements(d: Differences) {
  const messages = d.table('messages');
  const order = raw('ORDER BY m."chatId", m."seq"');
  /** The first condition seeks in the index. */
  const beyond = (of: 'm' | 's', { chatId, seq }: MessagePosition): Sql => {
    const [chat, number] = [raw(`${of}."chatId"`), raw(`${of}."seq"`)];
    if (chatId === '') return isAfter(chat, chatId);
    return sql`${chat} >= ${chatId} AND (${chat} > ${chatId} OR ${number} > ${d.number(seq)})`;
  };
  const upTo = (of: 'm' | 's', { chatId, seq }: MessagePosition): Sql => {
    const [chat, number] = [raw(`${of}."chatId"`), raw(`${of}."seq"`)];
    return sql`${chat} <= ${chatId} AND (${chat} < ${chatId} OR ${number} <= ${d.number(seq)})`;
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
    /**
     * Rows { chatId, seq, id, parentId, name, type, createdAt, data, contentHash, usage, parentHash, parentUsage } of
     * messages after a position up to another, in order.
     */
    digestRows: (after: MessagePosition, to: MessagePosition, onlyMissing: boolean): Sql => sql`
      SELECT m."chatId", m."seq", m."id", m."parentId", m."name", m."type", m."createdAt", m."data", m."contentHash", m."usage",
        p."contentHash" AS "parentHash", p."usage" AS "parentUsage"
      FROM ${messages} m ${d.lookUpOrNull('messages', 'p', raw('p."id" = m."parentId"'))}
      WHERE ${beyond('m', after)} AND ${upTo('m', to)} ${onlyMissing ? isMissing : empty} ${order}`,
    /** Rows { chatId, of, id, contentHash } of the sources of the same messages, in the order of these and their sources. */
    digestSources: (after: MessagePosition, to: MessagePosition): Sql => sql`
      SELECT s."chatId", s."seq" AS "of", m."id", m."contentHash"
      FROM ${d.table('message_sources')} s
      ${d.lookUp('messages', 'm', raw('m."chatId" = s."chatId" AND m."seq" = s."sourceSeq"'))}
      WHERE ${beyond('s', after)} AND ${upTo('s', to)} ORDER BY s."chatId", s."seq", s."position"`,
    updateUsage: (chatId: string, usage: string | null): Sql =>
      sql`UPDATE ${d.table('chats')} SET "usage" = ${usage} WHERE "id" = ${chatId}`,
  };
}
