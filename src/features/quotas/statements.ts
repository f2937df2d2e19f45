/** The bytes of chats by chat and user, and the storage quotas of users. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Row } from '../../conversation/tables.js';
import type { Differences } from '../../database/dialects/differences.js';
import { insertRows, isAfter } from '../../database/dialects/base/fragments.js';

export function storageStatements(d: Differences) {
  const storage = d.table('chat_storage');
  const users = d.table('user_storage');
  /** The chats of a user as o, with deleted ones that can be restored. */
  const owned = (userId: string, columns: Sql): Sql => sql`(
        SELECT ${columns} FROM ${d.table('chats')} c WHERE c."userId" = ${userId}
        UNION ALL
        SELECT ${columns} FROM ${d.table('chat_imports')} i ${d.join} ${d.table('chats')} c ON c."id" = i."chatId"
        WHERE i."userId" = ${userId} AND i."deletedAt" IS NOT NULL
      ) o`;

  return {
    /**
     * Rows { chatId, version, title, metadata, seq, bytes }: a user's chats after an id that changed since they were counted,
     * and the bytes of their messages up to a seq.
     */
    uncountedChats: (userId: string, after: string, count: number): Sql => sql`
      SELECT o."id" AS "chatId", o."version", o."title", o."metadata", coalesce(s."seq", 0) AS "seq", coalesce(s."bytes", 0) AS "bytes"
      FROM ${owned(userId, sql`c."id", c."version", c."title", ${d.metadata.column} AS "metadata"`)} LEFT JOIN ${storage} s ON s."chatId" = o."id"
      WHERE ${isAfter(raw('o."id"'), after)} AND (s."chatBytes" IS NULL OR s."version" < o."version")
      ORDER BY o."id" ${d.part(count, 0)}`,
    /** One row { bytes, lastSeq } of the messages of a chat after a seq; null without any. */
    messageBytes: (chatId: string, afterSeq: number, lastSeq: number): Sql => sql`
      SELECT CAST(sum(${d.bytes(raw('"data"'))}) AS BIGINT) AS "bytes", max("seq") AS "lastSeq" FROM ${d.table('messages')}
      WHERE "chatId" = ${chatId} AND "seq" > ${d.number(afterSeq)} AND "seq" <= ${d.number(lastSeq)}`,
    deleteStorageOf: (chatId: string): Sql => sql`DELETE FROM ${storage} WHERE "chatId" = ${chatId}`,
    /** Inserts nothing for a chat that was removed meanwhile. */
    insertStorage: ({ chatId, version, seq, bytes, chatBytes }: Row<'chat_storage'>): Sql => sql`
      INSERT INTO ${storage} ("chatId", "version", "seq", "bytes", "chatBytes")
      SELECT c."id", ${d.number(version)}, ${d.number(seq)}, ${d.number(bytes)}, ${d.number(chatBytes ?? 0)} FROM ${d.table('chats')} c WHERE c."id" = ${chatId}`,
    /** One row { bytes }: the counted chats of a user. */
    storedBytesOf: (userId: string): Sql => sql`
      SELECT CAST(coalesce(sum(s."bytes" + coalesce(s."chatBytes", 0)), 0) AS BIGINT) AS "bytes"
      FROM ${owned(userId, raw('c."id"'))} ${d.join} ${storage} s ON s."chatId" = o."id"`,
    /** One row { bytes }: the open drafts in a user's chats. Few drafts are open, so they are read first. */
    draftBytesOf: (userId: string): Sql => sql`
      SELECT CAST(coalesce(sum(a."bytes" + coalesce(${d.bytes(raw('a."metadata"'))}, 0)), 0) AS BIGINT) AS "bytes"
      FROM ${d.table('drafts')} a ${d.join} ${d.table('chats')} c ON c."id" = a."chatId"
      WHERE a."endedAt" IS NULL AND c."userId" = ${userId}`,

    /** One row { quotaBytes }, or none. */
    storageQuotaOf: (userId: string): Sql => sql`SELECT "quotaBytes" FROM ${users} WHERE "userId" = ${userId}`,
    /** Rows { userId, quotaBytes } of users after one, in order; '' starts. */
    storageQuotas: (after: string, limit: number): Sql => sql`
      SELECT "userId", "quotaBytes" FROM ${users} WHERE ${isAfter(raw('"userId"'), after)} ORDER BY "userId" ${d.part(limit, 0)}`,
    insertStorageQuotas: (rows: readonly Row<'user_storage'>[]): Sql => insertRows(d, 'user_storage', rows),
    deleteStorageQuotaOf: (userId: string): Sql => sql`DELETE FROM ${users} WHERE "userId" = ${userId}`,
  };
}
