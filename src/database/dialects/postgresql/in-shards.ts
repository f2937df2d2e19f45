/** Statements of the distributed form that differ: keys contain the chat, and Citus plans no correlated subquery over all chats. */
import sql, { type Sql } from 'sql-template-tag';
import type { Dialect } from '../dialect.js';
import { insertUnlessThere } from './differences.js';
import { candidatesInShards } from './search.js';

/** Rows { userId, fileId } of files in chats of users, or in chats that these import. */
const filesInChats = (fileIds: readonly string[], ofUsers: Sql): Sql => sql`
  SELECT c."userId", r."fileId" FROM message_files r JOIN chats c ON c."id" = r."chatId"
  WHERE r."fileId" = ANY (${fileIds}::text[]) AND c."userId" ${ofUsers}
  UNION ALL
  SELECT i."userId", r."fileId" FROM message_files r JOIN chat_imports i ON i."chatId" = r."chatId"
  WHERE r."fileId" = ANY (${fileIds}::text[]) AND i."userId" ${ofUsers}`;

type InShards = 'candidates' | 'insertTexts' | 'unusedUserFiles' | 'unusedFiles' | 'deleteUnusedFile';

export const statementsInShards: Pick<Dialect, InShards> = {
  candidates: candidatesInShards,

  // The key contains the chat.
  insertTexts: (rows) => insertUnlessThere('message_texts', rows, ['messageId', 'chatId']),

  unusedUserFiles(keys, before) {
    const [userIds, fileIds] = [keys.map(({ userId }) => userId), keys.map(({ fileId }) => fileId)];
    return sql`
    SELECT u."userId", u."fileId" FROM unnest(${userIds}::text[], ${fileIds}::text[]) k("userId", "fileId")
    JOIN user_files u ON u."userId" = k."userId" AND u."fileId" = k."fileId"
    WHERE u."usedAt" < ${before}::bigint AND NOT EXISTS (
      SELECT 1 FROM (${filesInChats(fileIds, sql`= ANY (${userIds}::text[])`)} OFFSET 0) x
      WHERE x."userId" = u."userId" AND x."fileId" = u."fileId"
    )`;
  },

  unusedFiles: (fileIds, before) => sql`
    SELECT f."id", f."storageKey" FROM files f
    WHERE f."id" = ANY (${fileIds}::text[]) AND f."usedAt" < ${before}::bigint
      AND f."id" NOT IN (SELECT DISTINCT r."fileId" FROM message_files r WHERE r."fileId" = ANY (${fileIds}::text[]))
      AND NOT EXISTS (SELECT 1 FROM user_files u WHERE u."fileId" = f."id")`,

  deleteUnusedFile: (id, before) => sql`
    DELETE FROM files WHERE "id" = ${id} AND "usedAt" < ${before}::bigint
      AND NOT EXISTS (SELECT 1 FROM message_files r WHERE r."fileId" = ${id})
      AND NOT EXISTS (SELECT 1 FROM user_files u WHERE u."fileId" = ${id})`,
};
