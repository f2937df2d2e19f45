/** Statements of files in all chats, which Citus does not plan as correlated subqueries: see src/features/files/statements.ts. */
import sql, { type Sql } from 'sql-template-tag';

/** Rows { userId, fileId } of files in chats of users, or in chats that these import. */
const filesInChats = (fileIds: readonly string[], ofUsers: Sql): Sql => sql`
  SELECT c."userId", r."fileId" FROM message_files r JOIN chats c ON c."id" = r."chatId"
  WHERE r."fileId" = ANY (${fileIds}::text[]) AND c."userId" ${ofUsers}
  UNION ALL
  SELECT i."userId", r."fileId" FROM message_files r JOIN chat_imports i ON i."chatId" = r."chatId"
  WHERE r."fileId" = ANY (${fileIds}::text[]) AND i."userId" ${ofUsers}`;

export const filesInShards = {
  unusedUserFiles(keys: readonly { userId: string; fileId: string }[], before: number): Sql {
    const [userIds, fileIds] = [keys.map(({ userId }) => userId), keys.map(({ fileId }) => fileId)];
    return sql`
    SELECT u."userId", u."fileId" FROM unnest(${userIds}::text[], ${fileIds}::text[]) k("userId", "fileId")
    JOIN user_files u ON u."userId" = k."userId" AND u."fileId" = k."fileId"
    WHERE u."usedAt" < ${before}::bigint AND NOT EXISTS (
      SELECT 1 FROM (${filesInChats(fileIds, sql`= ANY (${userIds}::text[])`)} OFFSET 0) x
      WHERE x."userId" = u."userId" AND x."fileId" = u."fileId"
    )`;
  },

  unusedFiles: (fileIds: readonly string[], before: number): Sql => sql`
    SELECT f."id", f."storageKey" FROM files f
    WHERE f."id" = ANY (${fileIds}::text[]) AND f."usedAt" < ${before}::bigint
      AND f."id" NOT IN (SELECT DISTINCT r."fileId" FROM message_files r WHERE r."fileId" = ANY (${fileIds}::text[]))
      AND NOT EXISTS (SELECT 1 FROM user_files u WHERE u."fileId" = f."id")`,

  deleteUnusedFile: (id: string, before: number): Sql => sql`
    DELETE FROM files WHERE "id" = ${id} AND "usedAt" < ${before}::bigint
      AND NOT EXISTS (SELECT 1 FROM message_files r WHERE r."fileId" = ${id})
      AND NOT EXISTS (SELECT 1 FROM user_files u WHERE u."fileId" = ${id})`,
};
