/** The log of a chat, on PostgreSQL. */
import sql, { raw } from 'sql-template-tag';
import { eventConditions, ofBranch, ORDER, sharedLogStatements } from '../log-statements.js';
import type { LogStatements } from '../dialect.js';
import { list, keyIndex, isThere, seqRanges } from './fragments.js';

export const logStatements: LogStatements = {
  ...sharedLogStatements,

  events: (ranges) => sql`
    SELECT ${keyIndex} AS n, e.*
    FROM ${seqRanges(ranges)}
    CROSS JOIN LATERAL (
      SELECT * FROM chat_events e WHERE e."chatId" = k."chatId" AND e."seq" BETWEEN k."first" AND k."last" OFFSET 0
    ) e
    ORDER BY n, e."seq"`,

  filteredEvents: (ranges, filter, from, limit) => sql`
    SELECT ${keyIndex} AS n, e.*
    FROM unnest(${ranges.map((range) => range.chatId)}::text[], ${ranges.map((range) => range.firstSeq)}::int[],
      ${ranges.map((range) => range.lastSeq)}::int[], ${ranges.map((range) => range.branchId)}::text[])
      WITH ORDINALITY AS k("chatId", "first", "last", "branchId", ord)
    CROSS JOIN LATERAL (
      SELECT * FROM chat_events s
      WHERE s."chatId" = k."chatId" AND s."seq" BETWEEN k."first" AND k."last"
        ${eventConditions(filter)}
        ${ofBranch(ranges, raw(`AND s."payload"::json ->> 'branchId' = k."branchId"`))}
      ORDER BY s."seq" ${ORDER[from]} LIMIT ${limit}
    ) e`,

  logStates: (chatIds) => sql`
    SELECT k.value AS "chatId", c."userId", c."version", d."userId" AS "deletedUserId", d."seq" AS "deletedSeq",
      d."actorId" AS "deletedBy", d."createdAt" AS "deletedAt"
    FROM ${list(chatIds)} LEFT JOIN chats c ON c."id" = k.value AND ${isThere} LEFT JOIN deleted_chats d ON d."id" = k.value`,

  nearestActivation: ({ chatId, firstSeq, lastSeq }, nearest) => sql`
    SELECT "payload"::json ->> 'branchId' AS "branchId" FROM chat_events
    WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq}::int AND ${lastSeq}::int AND "type" = 'BranchActivated'
    ORDER BY "seq" ${raw(nearest === 'first' ? 'ASC' : 'DESC')} LIMIT 1`,

  // The types first: not every payload has a branch.
  headEvents: ({ chatId, firstSeq, lastSeq }, branchIds) => sql`
    SELECT e."seq", e."branchId", e."headId"
    FROM (
      SELECT "seq", "payload"::json ->> 'branchId' AS "branchId", "payload"::json ->> 'headId' AS "headId" FROM chat_events
      WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq}::int AND ${lastSeq}::int
        AND "type" IN ('BranchCreated', 'BranchHeadMoved')
      OFFSET 0
    ) e
    WHERE e."branchId" = ANY(${branchIds}::text[])`,

  standings: (keys) => sql`
    SELECT k."chatId", c."userId", c."version", d."userId" AS "deletedUserId", d."seq" AS "deletedSeq",
      d."actorId" AS "deletedBy", d."createdAt" AS "deletedAt", f."createdAt" AS "madeAt",
      t."payload" AS "transfer", t."createdAt" AS "transferredAt"
    FROM unnest(${keys.map(({ chatId }) => chatId)}::text[], ${keys.map(({ after }) => after)}::int[]) AS k("chatId", "after")
    LEFT JOIN chats c ON c."id" = k."chatId" AND ${isThere} LEFT JOIN deleted_chats d ON d."id" = k."chatId"
    LEFT JOIN chat_events f ON f."chatId" = c."id" AND f."seq" = 1
    LEFT JOIN LATERAL (
      SELECT * FROM chat_events t
      WHERE t."chatId" = c."id" AND t."seq" > k."after" AND t."type" = 'ChatTransferred' OFFSET 0
    ) t ON true`,

  headNow: (chatId, branchName) => sql`
    SELECT c."version", b."id" AS "branchId", b."headMessageId"
    FROM chats c JOIN branches b ON b."chatId" = c."id"
    WHERE c."id" = ${chatId} AND ${isThere} AND ${branchName === null ? raw('b."isActive"') : sql`b."name" = ${branchName}`}`,
};
