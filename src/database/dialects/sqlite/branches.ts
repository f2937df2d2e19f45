/** Branches and checkpoints, on SQLite. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { BranchStatements, PathTop } from '../dialect.js';
import { list, keyIndex, jumpStep, parentStep, scoped } from './fragments.js';

/** A branch with the depth of its head, which makes its messageCount. */
const branchesWithHead = (keys: Sql): Sql => sql`
  SELECT b.*, h."depth" AS "headDepth", ${keyIndex} AS n ${keys}
  LEFT JOIN messages h ON h."id" = b."headMessageId" AND +h."chatId" = b."chatId"`;

/** How many rows stand before a position in a table's list. */
const rowsUpTo = {
  branches: (seq: number) => sql`sum("seq" <= ${seq})`,

  checkpoints: (seq: number) => sql`sum("seq" >= ${seq})`,
};

const rowsBefore = {
  branches: (seq: number) => sql`sum("seq" < ${seq})`,

  checkpoints: (seq: number) => sql`sum("seq" > ${seq})`,
};

export const branchStatements: BranchStatements = {
  branches: (keys) => branchesWithHead(sql`FROM ${scoped(keys, 'branches', 'b')}`),
  branchesById: (ids) => branchesWithHead(sql`FROM ${list(ids)} k CROSS JOIN branches b ON b."id" = k.value`),
  branchesByName: (keys) =>
    branchesWithHead(sql`
      FROM ${list(keys.map((key) => [key.chatId, key.name]))} k
      CROSS JOIN branches b ON b."chatId" = k.value ->> 0 AND b."name" = k.value ->> 1`),
  activeBranches: (chatIds) =>
    branchesWithHead(sql`FROM ${list(chatIds)} k CROSS JOIN branches b ON b."chatId" = k.value AND b."isActive" = 1`),
  branchesAt: (messages, limit) => sql`
    ${branchesWithHead(sql`
      FROM ${list(messages.map(({ chatId, id }) => [chatId, id]))} k
      CROSS JOIN branches b ON b."chatId" = k.value ->> 0 AND b."headMessageId" = k.value ->> 1`)}
    LIMIT ${limit}`,

  oldestBranchAt: (chatId, messageId) => sql`
    SELECT b.*, h."depth" AS "headDepth" FROM branches b
    JOIN messages h ON h."id" = b."headMessageId" AND +h."chatId" = b."chatId"
    WHERE b."chatId" = ${chatId} AND b."headMessageId" = ${messageId} ORDER BY b."seq" LIMIT 1`,

  ancestors: (pieces) => sql`
    WITH RECURSIVE j(n, "chatId", id, "parentId", depth, "jumpId", "toDepth") AS (
      SELECT ${keyIndex}, m."chatId", m."id", m."parentId", m."depth", m."jumpId", k.value ->> 2
      FROM ${tops(pieces)}
      UNION ALL
      SELECT j.n, j."chatId", m."id", m."parentId", m."depth", m."jumpId", j."toDepth"
      ${jumpStep}
    )
    SELECT n, id FROM j WHERE depth = "toDepth"`,

  // UNION, not UNION ALL: paths that meet go on as one.
  linksAbove: (pieces) => sql`
    WITH RECURSIVE w("chatId", id, "parentId", depth, "toDepth") AS (
      SELECT m."chatId", m."id", m."parentId", m."depth", k.value ->> 2 FROM ${tops(pieces)}
      UNION
      SELECT w."chatId", p."id", p."parentId", p."depth", w."toDepth" ${parentStep} WHERE w.depth > w."toDepth"
    )
    SELECT "chatId", id, "parentId" FROM w ORDER BY depth DESC`,

  rankBounds: (table, chatIds, after, before) => sql`
    SELECT ${keyIndex} AS n, count(*) AS total,
      ${after === null ? sql`0` : rowsUpTo[table](after)} AS low,
      ${before === null ? sql`count(*)` : rowsBefore[table](before)} AS high
    FROM ${list(chatIds)} k CROSS JOIN ${raw(table)} t ON t."chatId" = k.value
    GROUP BY n`,

  listed: (table, ranges, order, limit) => sql`
    SELECT ${keyIndex} AS n, t.*${table === 'branches' ? sql`, h."depth" AS "headDepth"` : empty}
    FROM ${list(ranges.map(({ chatId, above, below }) => [chatId, above, below]))} k
    CROSS JOIN ${raw(table)} t ON t.rowid IN (
      SELECT s.rowid FROM ${raw(table)} s
      WHERE s."chatId" = k.value ->> 0 AND s."seq" > k.value ->> 1 AND s."seq" < k.value ->> 2
      ORDER BY s."seq" ${raw(order)} LIMIT ${limit}
    )
    ${table === 'branches' ? sql`LEFT JOIN messages h ON h."id" = t."headMessageId" AND +h."chatId" = t."chatId"` : empty}`,

  checkpointsAt: (messages, limit) => sql`
    SELECT ${keyIndex} AS n, c.*
    FROM ${list(messages.map(({ chatId, id }) => [chatId, id]))} k
    CROSS JOIN checkpoints c ON c."chatId" = k.value ->> 0 AND c."messageId" = k.value ->> 1
    LIMIT ${limit}`,

  checkpoints: (keys) => sql`SELECT c.* FROM ${scoped(keys, 'checkpoints', 'c')}`,

  checkpointsById: (ids) => sql`SELECT c.* FROM ${list(ids)} k CROSS JOIN checkpoints c ON c."id" = k.value`,

  checkpointsByName: (keys) => sql`
    SELECT c.* FROM ${list(keys.map((key) => [key.chatId, key.name]))} k
    CROSS JOIN checkpoints c ON c."chatId" = k.value ->> 0 AND c."name" = k.value ->> 1`,
};

/** The messages m of pieces k, whose third value is the depth. */
function tops(pieces: readonly PathTop[]): Sql {
  return sql`
      ${list(pieces.map(({ chatId, messageId, toDepth }) => [chatId, messageId, toDepth]))} k
      CROSS JOIN messages m ON m."id" = k.value ->> 1 AND +m."chatId" = k.value ->> 0`;
}
