/** Branches and checkpoints, on SQLite. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { BranchStatements } from '../dialect.js';
import { list, keyIndex, jumpStep } from './fragments.js';

/** A branch with the depth of its head, which makes its messageCount. */
const branchesWithHead = (keys: Sql): Sql =>
  sql`SELECT b.*, h."depth" AS "headDepth", ${keyIndex} AS n ${keys} LEFT JOIN messages h ON h."id" = b."headMessageId"`;

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
  branchesById: (ids) => branchesWithHead(sql`FROM ${list(ids)} k CROSS JOIN branches b ON b."id" = k.value`),
  branchesByName: (keys) =>
    branchesWithHead(sql`
      FROM ${list(keys.map((key) => [key.chatId, key.name]))} k
      CROSS JOIN branches b ON b."chatId" = k.value ->> 0 AND b."name" = k.value ->> 1`),
  activeBranches: (chatIds) =>
    branchesWithHead(sql`FROM ${list(chatIds)} k CROSS JOIN branches b ON b."chatId" = k.value AND b."isActive" = 1`),
  branchesAt: (messageIds, limit) => sql`
    ${branchesWithHead(sql`
      FROM ${list(messageIds)} k
      CROSS JOIN messages m ON m."id" = k.value
      CROSS JOIN branches b ON b."chatId" = m."chatId" AND b."headMessageId" = m."id"`)}
    LIMIT ${limit}`,

  oldestBranchAt: (chatId, messageId) => sql`
    SELECT b.*, h."depth" AS "headDepth" FROM branches b JOIN messages h ON h."id" = b."headMessageId"
    WHERE b."chatId" = ${chatId} AND b."headMessageId" = ${messageId} ORDER BY b."seq" LIMIT 1`,

  ancestors: (pieces) => sql`
    WITH RECURSIVE j(n, id, "parentId", depth, "jumpId", "toDepth") AS (
      SELECT ${keyIndex}, m."id", m."parentId", m."depth", m."jumpId", k.value ->> 1
      FROM ${list(pieces.map((piece) => [piece.messageId, piece.toDepth]))} k
      CROSS JOIN messages m ON m."id" = k.value ->> 0
      UNION ALL
      SELECT j.n, m."id", m."parentId", m."depth", m."jumpId", j."toDepth"
      ${jumpStep}
    )
    SELECT n, id FROM j WHERE depth = "toDepth"`,

  // UNION, not UNION ALL: paths that meet go on as one.
  linksAbove: (pieces) => sql`
    WITH RECURSIVE w(id, "parentId", depth, "toDepth") AS (
      SELECT m."id", m."parentId", m."depth", k.value ->> 1
      FROM ${list(pieces.map((piece) => [piece.messageId, piece.toDepth]))} k
      CROSS JOIN messages m ON m."id" = k.value ->> 0
      UNION
      SELECT p."id", p."parentId", p."depth", w."toDepth" FROM w CROSS JOIN messages p ON p."id" = w."parentId"
      WHERE w.depth > w."toDepth"
    )
    SELECT id, "parentId" FROM w ORDER BY depth DESC`,

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
    ${table === 'branches' ? sql`LEFT JOIN messages h ON h."id" = t."headMessageId"` : empty}`,

  checkpointsAt: (messageIds, limit) => sql`
    SELECT ${keyIndex} AS n, c.*
    FROM ${list(messageIds)} k
    CROSS JOIN messages m ON m."id" = k.value
    CROSS JOIN checkpoints c ON c."chatId" = m."chatId" AND c."messageId" = m."id"
    LIMIT ${limit}`,

  checkpointsById: (ids) => sql`SELECT c.* FROM ${list(ids)} k CROSS JOIN checkpoints c ON c."id" = k.value`,

  checkpointsByName: (keys) => sql`
    SELECT c.* FROM ${list(keys.map((key) => [key.chatId, key.name]))} k
    CROSS JOIN checkpoints c ON c."chatId" = k.value ->> 0 AND c."name" = k.value ->> 1`,
};
