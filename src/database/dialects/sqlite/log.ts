/** The log of a chat, on SQLite. */
import sql, { raw } from 'sql-template-tag';
import { sharedLogStatements } from '../log-statements.js';
import type { LogStatements } from '../dialect.js';
import { list, keyIndex, isThere } from './fragments.js';

export const logStatements: LogStatements = {
  ...sharedLogStatements,

  events: (ranges) => sql`
    SELECT ${keyIndex} AS n, e.*
    FROM ${list(ranges.map((range) => [range.chatId, range.firstSeq, range.lastSeq]))} k
    CROSS JOIN chat_events e ON e."chatId" = k.value ->> 0 AND e."seq" BETWEEN k.value ->> 1 AND k.value ->> 2
    ORDER BY n, e."seq"`,

  logStates: (chatIds) => sql`
    SELECT k.value AS "chatId", c."userId", c."version", d."userId" AS "deletedUserId", d."seq" AS "deletedSeq",
      d."actorId" AS "deletedBy", d."createdAt" AS "deletedAt"
    FROM ${list(chatIds)} k LEFT JOIN chats c ON c."id" = k.value AND ${isThere} LEFT JOIN deleted_chats d ON d."id" = k.value`,

  headNow: (chatId, branchName) => sql`
    SELECT c."version", b."id" AS "branchId", b."headMessageId"
    FROM chats c JOIN branches b ON b."chatId" = c."id"
    WHERE c."id" = ${chatId} AND ${isThere} AND ${branchName === null ? raw('b."isActive" = 1') : sql`b."name" = ${branchName}`}`,
};
