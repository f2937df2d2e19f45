/** The bytes of messages by chat and user, and the storage quotas of users. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Row } from '../../../../conversation/tables.js';
import type { Differences } from '../../differences.js';
import { insertRows, isAfter } from '../fragments.js';

export function storageStatements(d: Differences) {
  const storage = d.table('chat_storage');
  const users = d.table('user_storage');
  /** The chats of a user as o, with deleted ones that can be restored. */
  const owned = (userId: string): Sql => sql`(
        SELECT "id", "version" FROM ${d.table('chats')} WHERE "userId" = ${userId}
        UNION ALL
        SELECT c."id", c."version" FROM ${d.table('chat_imports')} i ${d.join} ${d.table('chats')} c ON c."id" = i."chatId"
        WHERE i."userId" = ${userId} AND i."deletedAt" IS NOT NULL
      ) o`;

  return {
    /** Rows { chatId, version, seq, bytes }: a user's chats after an id with messages to count after a seq, and the bytes up to it. */
    uncountedChats: (userId: string, after: string, count: number): Sql => sql`
      SELECT o."id" AS "chatId", o."version", coalesce(s."seq", 0) AS "seq", coalesce(s."bytes", 0) AS "bytes"
      FROM ${owned(userId)} LEFT JOIN ${storage} s ON s."chatId" = o."id"
      WHERE ${isAfter(raw('o."id"'), after)} AND (s."version" IS NULL OR s."version" < o."version")
      ORDER BY o."id" ${d.part(count, 0)}`,
    /** One row { bytes, lastSeq } of the messages of a chat after a seq; null without any. */
    messageBytes: (chatId: string, afterSeq: number, lastSeq: number): Sql => sql`
      SELECT CAST(sum(${d.bytes(raw('"data"'))}) AS BIGINT) AS "bytes", max("seq") AS "lastSeq" FROM ${d.table('messages')}
      WHERE "chatId" = ${chatId} AND "seq" > ${d.number(afterSeq)} AND "seq" <= ${d.number(lastSeq)}`,
    deleteStorageOf: (chatId: string): Sql => sql`DELETE FROM ${storage} WHERE "chatId" = ${chatId}`,
    /** Inserts nothing for a chat that was removed meanwhile. */
    insertStorage: ({ chatId, version, seq, bytes }: Row<'chat_storage'>): Sql => sql`
      INSERT INTO ${storage} ("chatId", "version", "seq", "bytes")
      SELECT c."id", ${d.number(version)}, ${d.number(seq)}, ${d.number(bytes)} FROM ${d.table('chats')} c WHERE c."id" = ${chatId}`,
    /** One row { bytes }: the counted messages of a user's chats. */
    storedBytesOf: (userId: string): Sql => sql`
      SELECT CAST(coalesce(sum(s."bytes"), 0) AS BIGINT) AS "bytes"
      FROM ${owned(userId)} ${d.join} ${storage} s ON s."chatId" = o."id"`,

    /** One row { quotaBytes }, or none. */
    storageQuotaOf: (userId: string): Sql => sql`SELECT "quotaBytes" FROM ${users} WHERE "userId" = ${userId}`,
    /** Rows { userId, quotaBytes } of users after one, in order; '' starts. */
    storageQuotas: (after: string, limit: number): Sql => sql`
      SELECT "userId", "quotaBytes" FROM ${users} WHERE ${isAfter(raw('"userId"'), after)} ORDER BY "userId" ${d.part(limit, 0)}`,
    insertStorageQuotas: (rows: readonly Row<'user_storage'>[]): Sql => insertRows(d, 'user_storage', rows),
    deleteStorageQuotaOf: (userId: string): Sql => sql`DELETE FROM ${users} WHERE "userId" = ${userId}`,
  };
}
