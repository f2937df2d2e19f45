/** The log of a chat, on SQLite. */
import sql, { raw } from 'sql-template-tag';
import { eventConditions, ofBranch, ORDER, sharedLogStatements } from '../log-statements.js';
import type { LogStatements } from '../dialect.js';
import { list, keyIndex, isThere } from './fragments.js';

export const logStatements: LogStatements = {
  ...sharedLogStatements,

  events: (ranges) => sql`
    SELECT ${keyIndex} AS n, e.*
    FROM ${list(ranges.map((range) => [range.chatId, range.firstSeq, range.lastSeq]))} k
    CROSS JOIN chat_events e ON e."chatId" = k.value ->> 0 AND e."seq" BETWEEN k.value ->> 1 AND k.value ->> 2
    ORDER BY n, e."seq"`,

  filteredEvents: (ranges, filter, from, limit) => sql`
    SELECT ${keyIndex} AS n, e.*
    FROM ${list(ranges.map((range) => [range.chatId, range.firstSeq, range.lastSeq, range.branchId]))} k
    CROSS JOIN chat_events e ON e.rowid IN (
      SELECT s.rowid FROM chat_events s
      WHERE s."chatId" = k.value ->> 0 AND s."seq" BETWEEN k.value ->> 1 AND k.value ->> 2
        ${eventConditions(filter)}
        ${ofBranch(ranges, raw(`AND s."payload" ->> '$.branchId' = k.value ->> 3`))}
      ORDER BY s."seq" ${ORDER[from]} LIMIT ${limit}
    )`,

  logStates: (chatIds) => sql`
    SELECT k.value AS "chatId", c."userId", c."version", d."userId" AS "deletedUserId", d."seq" AS "deletedSeq",
      d."actorId" AS "deletedBy", d."createdAt" AS "deletedAt"
    FROM ${list(chatIds)} k LEFT JOIN chats c ON c."id" = k.value AND ${isThere} LEFT JOIN deleted_chats d ON d."id" = k.value`,

  nearestActivation: ({ chatId, firstSeq, lastSeq }, nearest) => sql`
    SELECT "payload" ->> '$.branchId' AS "branchId" FROM chat_events
    WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq} AND "type" = 'BranchActivated'
    ORDER BY "seq" ${raw(nearest === 'first' ? 'ASC' : 'DESC')} LIMIT 1`,

  headEvents: ({ chatId, firstSeq, lastSeq }, branchIds) => sql`
    SELECT "seq", "payload" ->> '$.branchId' AS "branchId", "payload" ->> '$.headId' AS "headId" FROM chat_events
    WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq}
      AND "type" IN ('BranchCreated', 'BranchHeadMoved')
      AND "payload" ->> '$.branchId' IN (SELECT value FROM ${list(branchIds)})`,

  standings: (keys) => sql`
    SELECT k.value ->> 0 AS "chatId", c."userId", c."version", d."userId" AS "deletedUserId", d."seq" AS "deletedSeq",
      d."actorId" AS "deletedBy", d."createdAt" AS "deletedAt", f."createdAt" AS "madeAt",
      t."payload" AS "transfer", t."createdAt" AS "transferredAt"
    FROM ${list(keys.map(({ chatId, after }) => [chatId, after]))} k
    LEFT JOIN chats c ON c."id" = k.value ->> 0 AND ${isThere} LEFT JOIN deleted_chats d ON d."id" = k.value ->> 0
    LEFT JOIN chat_events f ON f."chatId" = c."id" AND f."seq" = 1
    LEFT JOIN chat_events t ON t."chatId" = c."id" AND t."seq" > k.value ->> 1 AND t."type" = 'ChatTransferred'`,

  headNow: (chatId, branchName) => sql`
    SELECT c."version", b."id" AS "branchId", b."headMessageId"
    FROM chats c JOIN branches b ON b."chatId" = c."id"
    WHERE c."id" = ${chatId} AND ${isThere} AND ${branchName === null ? raw('b."isActive" = 1') : sql`b."name" = ${branchName}`}`,
};
