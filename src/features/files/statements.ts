/** Files of messages, the users that have them, and their contents. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { FileInMessage } from '../../conversation/files/file-records.js';
import type { Row } from '../../conversation/tables.js';
import type { Differences } from '../../database/dialects/differences.js';
import { insertRows, fragmentsOf, isAfter } from '../../database/dialects/base/fragments.js';

/** Storage keys are `<two digits>/<id of the file>-<suffix>`. */
const fileOfKey = (key: string): string => key.slice(3, 67);

export type FileStatements = ReturnType<typeof fileStatements>;

export function fileStatements(d: Differences) {
  const f = fragmentsOf(d);
  const { first, table } = d;
  const files = table('files');
  const messageFiles = table('message_files');
  const userFiles = table('user_files');
  const contents = table('file_contents');
  const removals = table('file_removals');
  const chats = table('chats');
  /** Whether a message in a chat of a user, or in one that the user imports, refers to a file. */
  const isInChat = (userId: Sql, fileId: Sql): Sql => sql`EXISTS (
    SELECT 1 FROM ${messageFiles} r JOIN ${chats} c ON c."id" = r."chatId"
    LEFT JOIN ${table('chat_imports')} i ON i."chatId" = r."chatId"
    WHERE r."fileId" = ${fileId} AND (c."userId" = ${userId} OR i."userId" = ${userId}))`;
  const isUnused = (before: number): Sql => sql`f."usedAt" < ${d.number(before)}
    AND NOT EXISTS (SELECT 1 FROM ${messageFiles} r WHERE r."fileId" = f."id")
    AND NOT EXISTS (SELECT 1 FROM ${userFiles} u WHERE u."fileId" = f."id")`;
  const readable = raw('f."id", r."name", f."mediaType", f."size", f."storageKey"');

  const statements = {
    /** One row { bytes } of the files of a user. */
    bytesOfUser: (userId: string): Sql => sql`
      SELECT CAST(coalesce(sum(f."size"), 0) AS BIGINT) AS "bytes" FROM ${userFiles} u JOIN ${files} f ON f."id" = u."fileId" WHERE u."userId" = ${userId}`,
    /** One row { bytes } of all files. */
    bytesOfFiles: (): Sql => sql`SELECT CAST(coalesce(sum("size"), 0) AS BIGINT) AS "bytes" FROM ${files}`,

    /** Rows { fileId } of files that one of these users has. */
    filesOfUsers: (userIds: readonly string[], fileIds: readonly string[]): Sql => sql`
      SELECT DISTINCT "fileId" FROM ${userFiles} WHERE ${d.isOneOf(raw('"userId"'), userIds)} AND ${d.isOneOf(raw('"fileId"'), fileIds)}`,
    /** Rows { fileId } of files that a user has, or that messages of a chat refer to. */
    filesOfMember: (userId: string, chatId: string, fileIds: readonly string[]): Sql => sql`
      SELECT "fileId" FROM ${userFiles} WHERE "userId" = ${userId} AND ${d.isOneOf(raw('"fileId"'), fileIds)}
      UNION SELECT "fileId" FROM ${messageFiles} WHERE "chatId" = ${chatId} AND ${d.isOneOf(raw('"fileId"'), fileIds)}`,
    /** Locks the files until the transaction ends, so that no sweep removes them. */
    markFilesUsed: (fileIds: readonly string[], now: number): Sql =>
      sql`UPDATE ${files} SET "usedAt" = ${d.number(now)} WHERE ${d.isOneOf(raw('"id"'), fileIds)}`,
    markUserFilesUsed: (userId: string, fileIds: readonly string[], now: number): Sql => sql`
      UPDATE ${userFiles} SET "usedAt" = ${d.number(now)} WHERE "userId" = ${userId} AND ${d.isOneOf(raw('"fileId"'), fileIds)}`,
    /** Gives existing files to a user that lacks them. */
    giveFiles(userId: string, fileIds: readonly string[], now: number): Sql {
      const k = f.ids(fileIds);
      return sql`
      INSERT INTO ${userFiles} ("userId", "fileId", "usedAt") SELECT ${userId}, f."id", ${d.number(now)}
      FROM ${k.from} ${d.lookUp('files', 'f', sql`f."id" = ${k.id}`)}
      WHERE NOT EXISTS (SELECT 1 FROM ${userFiles} u WHERE u."userId" = ${userId} AND u."fileId" = f."id")`;
    },
    /** Gives all files of a chat to its new owner. */
    giveFilesOfChat: (chatId: string, userId: string, now: number): Sql => sql`
      INSERT INTO ${userFiles} ("userId", "fileId", "usedAt")
      SELECT DISTINCT ${userId}, r."fileId", ${d.number(now)} FROM ${messageFiles} r
      WHERE r."chatId" = ${chatId} AND NOT EXISTS (SELECT 1 FROM ${userFiles} u WHERE u."userId" = ${userId} AND u."fileId" = r."fileId")`,
    /** Writes references to files that the owner of the chat has; others have no row. */
    insertMessageFiles(rows: readonly Row<'message_files'>[]): Sql {
      const k = d.keys(rows, { chatId: 'chat', messageId: 'key', position: 'int', fileId: 'key', name: 'key' });
      return sql`
      INSERT INTO ${messageFiles} ("chatId", "messageId", "position", "fileId", "name")
      SELECT ${k.chatId}, ${k.messageId}, ${k.position}, u."fileId", ${k.name}
      FROM ${k.from} ${d.lookUpOrNull('chats', 'c', sql`c."id" = ${k.chatId}`)}
      ${d.lookUpOrNull('chat_imports', 'i', sql`i."chatId" = ${k.chatId}`)}
      ${d.lookUp('user_files', 'u', sql`u."fileId" = ${k.fileId} AND u."userId" IN (c."userId", i."userId")`)}`;
    },

    /** Rows { fileId } of the files of a chat after one, in order. */
    filesOfChat: (chatId: string, after: string, limit: number): Sql => sql`
      SELECT DISTINCT "fileId" AS "fileId" FROM ${messageFiles}
      WHERE "chatId" = ${chatId} AND ${isAfter(raw('"fileId"'), after)} ORDER BY "fileId" ${first(limit)}`,
    /** Rows { n, id, name, position, mediaType, size } of messages, in the order of their references. */
    filesOfMessages(messageIds: readonly string[]): Sql {
      const k = f.ids(messageIds);
      return sql`
      SELECT ${k.n} AS "n", f."id" AS "id", r."name" AS "name", r."position" AS "position", f."mediaType" AS "mediaType",
        f."size" AS "size"
      FROM ${k.from} ${f.anywhere('message_files', 'r', { column: 'messageId', key: k.id, values: messageIds })}
      ${d.join} ${files} f ON f."id" = r."fileId"
      ORDER BY 1, r."position"`;
    },
    /**
     * Rows { n, chatId, userId, members, id, name, mediaType, size, storageKey }: files of messages, and the owners and members of
     * the chats. One for each reference, in order.
     */
    filesInMessages(keys: readonly FileInMessage[]): Sql {
      const k = d.keys(keys, { messageId: 'key', fileId: 'key' });
      const messageIds = keys.map(({ messageId }) => messageId);
      return sql`
      SELECT ${k.n} AS "n", c."id" AS "chatId", c."userId" AS "userId", ${f.members()}, ${readable}
      FROM ${k.from} ${f.anywhere('message_files', 'r', { column: 'messageId', key: k.messageId, values: messageIds })}
      ${d.join} ${chats} c ON c."id" = r."chatId" ${d.join} ${files} f ON f."id" = r."fileId"
      WHERE r."fileId" = ${k.fileId}
      ORDER BY 1, r."position"`;
    },
    /**
     * At most one row, the same without n. Only files that the user has are looked up in messages, so that others take the same
     * time whether they exist or not.
     * @param userId null: any user
     * @param chatId null: any chat
     */
    fileInAnyMessage: (fileId: string, userId: string | null, chatId: string | null): Sql => sql`
      SELECT c."id" AS "chatId", c."userId", ${f.members()}, ${readable} FROM ${files} f
      JOIN ${messageFiles} r ON r."fileId" = f."id" JOIN ${chats} c ON c."id" = r."chatId"
      WHERE f."id" = ${fileId} AND ${
        userId === null
          ? sql`c."userId" <> ''`
          : sql`c."userId" = ${userId} AND EXISTS (SELECT 1 FROM ${userFiles} u WHERE u."userId" = ${userId} AND u."fileId" = ${fileId})`
      } ${chatId === null ? empty : sql`AND r."chatId" = ${chatId}`} ORDER BY r."chatId" ${first(1)}`,

    /**
     * At most one row, the same, of a chat of another user. The work depends on the chats that the user is a member of, not on the
     * file.
     */
    fileInSharedChat: (fileId: string, userId: string, chatId: string | null): Sql => sql`
      SELECT c."id" AS "chatId", c."userId", ${f.members()}, ${readable} FROM ${table('chat_members')} n
      ${d.lookUp('message_files', 'r', sql`r."chatId" = n."chatId" AND r."fileId" = ${fileId}`)}
      ${d.lookUp('chats', 'c', sql`c."id" = n."chatId"`)} ${d.lookUp('files', 'f', sql`f."id" = ${fileId}`)}
      WHERE n."userId" = ${userId} ${chatId === null ? empty : sql`AND n."chatId" = ${chatId}`} ORDER BY n."chatId" ${first(1)}`,

    /** Rows { id, mediaType, size, storageKey } of the existing ones. */
    filesById: (ids: readonly string[]): Sql =>
      sql`SELECT "id", "mediaType", "size", "storageKey" FROM ${files} WHERE ${d.isOneOf(raw('"id"'), ids)}`,
    insertFile: (row: Row<'files'>): Sql => insertRows(d, 'files', [row]),
    /** Lets a file have another content, unless another statement has replaced the lost one. */
    replaceContent: (id: string, { lostKey, storageKey }: { lostKey: string; storageKey: string }): Sql => sql`
      UPDATE ${files} SET "storageKey" = ${storageKey} WHERE "id" = ${id} AND "storageKey" = ${lostKey}`,
    /** Rows { userId, fileId } after a position, in order. */
    userFilesAfter: (userId: string, fileId: string, limit: number): Sql => sql`
      SELECT "userId", "fileId" FROM ${userFiles}
      WHERE ${userId === '' ? sql`1 = 1` : sql`"userId" >= ${userId} AND ("userId" > ${userId} OR "fileId" > ${fileId})`}
      ORDER BY "userId", "fileId" ${first(limit)}`,
    /** Rows { userId, fileId } of those that no message in a chat of the user refers to. */
    unusedUserFiles(keys: readonly { userId: string; fileId: string }[], before: number): Sql {
      const k = d.keys(keys, { userId: 'key', fileId: 'key' });
      return sql`
      SELECT u."userId" AS "userId", u."fileId" AS "fileId"
      FROM ${k.from} ${d.lookUp('user_files', 'u', sql`u."userId" = ${k.userId} AND u."fileId" = ${k.fileId}`)}
      WHERE u."usedAt" < ${d.number(before)} AND NOT ${isInChat(raw('u."userId"'), raw('u."fileId"'))}`;
    },
    /** Locks the row until the transaction ends: a later statement sees the references of the saves that it waited for. */
    lockUserFile: (userId: string, fileId: string): Sql => sql`
      UPDATE ${userFiles} SET "usedAt" = "usedAt" WHERE "userId" = ${userId} AND "fileId" = ${fileId}`,
    deleteUnusedUserFile: (userId: string, fileId: string, before: number): Sql => sql`
      DELETE FROM ${userFiles} WHERE "userId" = ${userId} AND "fileId" = ${fileId} AND "usedAt" < ${d.number(before)}
        AND NOT ${isInChat(sql`${userId}`, sql`${fileId}`)}`,
    /** Rows { id } of files after one, in order. */
    filesAfter: (id: string, limit: number): Sql =>
      sql`SELECT "id" FROM ${files} WHERE ${isAfter(raw('"id"'), id)} ORDER BY "id" ${first(limit)}`,
    /** Rows { id, storageKey } of those that no message and no user has. */
    unusedFiles(fileIds: readonly string[], before: number): Sql {
      const k = f.ids(fileIds);
      return sql`
      SELECT f."id" AS "id", f."storageKey" AS "storageKey"
      FROM ${k.from} ${d.lookUp('files', 'f', sql`f."id" = ${k.id}`)} WHERE ${isUnused(before)}`;
    },
    /** Locks the row: some forms of a schema change this table before they read those of chats, and not after. */
    lockFile: (id: string): Sql => sql`UPDATE ${files} SET "usedAt" = "usedAt" WHERE "id" = ${id}`,
    deleteUnusedFile: (id: string, before: number): Sql =>
      sql`DELETE FROM ${files} WHERE "id" IN (SELECT f."id" FROM ${files} f WHERE f."id" = ${id} AND ${isUnused(before)})`,
    /** Lets the next sweep remove the files that only this user has. */
    abandonFilesOfUser: (userId: string): Sql => sql`
      UPDATE ${files} SET "usedAt" = 0 WHERE "id" IN (
        SELECT u."fileId" FROM ${userFiles} u WHERE u."userId" = ${userId}
          AND NOT EXISTS (SELECT 1 FROM ${userFiles} o WHERE o."fileId" = u."fileId" AND o."userId" <> ${userId})
      )`,

    insertContent: (row: Row<'file_contents'>): Sql => insertRows(d, 'file_contents', [row]),
    /** At most one row { content }. */
    contentOf: (storageKey: string): Sql => sql`SELECT "content" FROM ${contents} WHERE "storageKey" = ${storageKey}`,
    deleteContent: (storageKey: string): Sql => sql`DELETE FROM ${contents} WHERE "storageKey" = ${storageKey}`,

    /** Rows { storageKey } of those that belong to a file, or are listed for removal. */
    knownKeys: (keys: readonly string[]): Sql => sql`
      SELECT "storageKey" FROM ${files}
      WHERE ${d.isOneOf(raw('"id"'), keys.map(fileOfKey))} AND ${d.isOneOf(raw('"storageKey"'), keys)}
      UNION ALL SELECT "storageKey" FROM ${removals} WHERE ${d.isOneOf(raw('"storageKey"'), keys)}`,
    insertRemoval: (row: Row<'file_removals'>): Sql => insertRows(d, 'file_removals', [row]),
    /** Withdraws a removal that is due later than a time. */
    withdrawRemoval: (storageKey: string, after: number): Sql =>
      sql`DELETE FROM ${removals} WHERE "storageKey" = ${storageKey} AND "removeAfter" > ${d.number(after)}`,
    /** Brings a removal forward. */
    hastenRemoval: (storageKey: string, removeAfter: number): Sql =>
      sql`UPDATE ${removals} SET "removeAfter" = ${d.number(removeAfter)} WHERE "storageKey" = ${storageKey}`,
    /** Rows { storageKey } that are due at a time. */
    dueRemovals: (now: number, limit: number): Sql => sql`
      SELECT "storageKey" FROM ${removals} WHERE "removeAfter" <= ${d.number(now)} ORDER BY "removeAfter" ${first(limit)}`,
    deleteRemoval: (storageKey: string): Sql => sql`DELETE FROM ${removals} WHERE "storageKey" = ${storageKey}`,
  };
  return { ...statements, ...(d.replaced as Partial<typeof statements>) };
}
