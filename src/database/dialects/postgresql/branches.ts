/** Branches and checkpoints, on PostgreSQL. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { BranchStatements } from '../dialect.js';
import { list, keyIndex, lookUp, jumpStep } from './fragments.js';

/** A branch with the depth of its head, which makes its messageCount. */
const branchesWithHead = (keys: Sql): Sql =>
  sql`SELECT b.*, h."depth" AS "headDepth", ${keyIndex} AS n ${keys} LEFT JOIN messages h ON h."id" = b."headMessageId"`;

/** How many rows stand before a position in a table's list. */
const rowsUpTo = {
  branches: (seq: number) => sql`count(*) FILTER (WHERE t."seq" <= ${seq}::bigint)`,

  checkpoints: (seq: number) => sql`count(*) FILTER (WHERE t."seq" >= ${seq}::bigint)`,
};

const rowsBefore = {
  branches: (seq: number) => sql`count(*) FILTER (WHERE t."seq" < ${seq}::bigint)`,

  checkpoints: (seq: number) => sql`count(*) FILTER (WHERE t."seq" > ${seq}::bigint)`,
};

export const branchStatements: BranchStatements = {
  branchesById: (ids) => branchesWithHead(sql`FROM ${list(ids)} JOIN branches b ON b."id" = k.value`),
  branchesByName: (keys) =>
    branchesWithHead(sql`
      FROM ${nameKeys(keys)} JOIN branches b ON b."chatId" = k."chatId" AND b."name" = k."name"`),
  activeBranches: (chatIds) =>
    branchesWithHead(sql`FROM ${list(chatIds)} JOIN branches b ON b."chatId" = k.value AND b."isActive"`),
  branchesAt: (messageIds, limit) => sql`
    ${branchesWithHead(sql`
      FROM ${list(messageIds)} ${lookUp('k.value', 'm')}
      JOIN branches b ON b."chatId" = m."chatId" AND b."headMessageId" = m."id"`)}
    LIMIT ${limit}::int`,

  oldestBranchAt: (chatId, messageId) => sql`
    SELECT b.*, h."depth" AS "headDepth" FROM branches b JOIN messages h ON h."id" = b."headMessageId"
    WHERE b."chatId" = ${chatId} AND b."headMessageId" = ${messageId} ORDER BY b."seq" LIMIT 1`,

  ancestors: (pieces) => sql`
    WITH RECURSIVE j(n, id, "parentId", depth, "jumpId", "toDepth") AS (
      SELECT ${keyIndex}, m."id", m."parentId", m."depth", m."jumpId", k."toDepth"
      FROM ${depths(pieces)} ${lookUp('k.id', 'm')}
      UNION ALL
      SELECT j.n, m."id", m."parentId", m."depth", m."jumpId", j."toDepth"
      ${jumpStep}
    )
    SELECT n, id FROM j WHERE depth = "toDepth"`,

  // UNION, not UNION ALL: paths that meet go on as one.
  linksAbove: (pieces) => sql`
    WITH RECURSIVE w(id, "parentId", depth, "toDepth") AS (
      SELECT m."id", m."parentId", m."depth", k."toDepth" FROM ${depths(pieces)} ${lookUp('k.id', 'm')}
      UNION
      SELECT p."id", p."parentId", p."depth", w."toDepth" FROM w ${lookUp('w."parentId"', 'p')}
      WHERE w.depth > w."toDepth"
    )
    SELECT id, "parentId" FROM w ORDER BY depth DESC`,

  rankBounds: (table, chatIds, after, before) => sql`
    SELECT ${keyIndex} AS n, count(*) AS total,
      ${after === null ? sql`0` : rowsUpTo[table](after)} AS low,
      ${before === null ? sql`count(*)` : rowsBefore[table](before)} AS high
    FROM ${list(chatIds)} JOIN ${raw(table)} t ON t."chatId" = k.value
    GROUP BY k.ord`,

  listed: (table, ranges, order, limit) => sql`
    SELECT ${keyIndex} AS n, t.*${table === 'branches' ? sql`, h."depth" AS "headDepth"` : empty}
    FROM unnest(${ranges.map((range) => range.chatId)}::text[], ${ranges.map((range) => range.above)}::bigint[],
      ${ranges.map((range) => range.below)}::bigint[]) WITH ORDINALITY AS k("chatId", above, below, ord)
    CROSS JOIN LATERAL (
      SELECT * FROM ${raw(table)} s WHERE s."chatId" = k."chatId" AND s."seq" > k.above AND s."seq" < k.below
      ORDER BY s."seq" ${raw(order)} LIMIT ${limit}::int
    ) t
    ${table === 'branches' ? sql`LEFT JOIN messages h ON h."id" = t."headMessageId"` : empty}`,

  checkpointsAt: (messageIds, limit) => sql`
    SELECT ${keyIndex} AS n, c.*
    FROM ${list(messageIds)} ${lookUp('k.value', 'm')}
    JOIN checkpoints c ON c."chatId" = m."chatId" AND c."messageId" = m."id"
    LIMIT ${limit}::int`,

  checkpointsById: (ids) => sql`SELECT c.* FROM ${list(ids)} JOIN checkpoints c ON c."id" = k.value`,

  checkpointsByName: (keys) => sql`
    SELECT c.* FROM ${nameKeys(keys)} JOIN checkpoints c ON c."chatId" = k."chatId" AND c."name" = k."name"`,
};

function nameKeys(keys: readonly { chatId: string; name: string }[]): Sql {
  return sql`unnest(${keys.map((key) => key.chatId)}::text[], ${keys.map((key) => key.name)}::text[])
    WITH ORDINALITY AS k("chatId", "name", ord)`;
}

function depths(pieces: readonly { messageId: string; toDepth: number }[]): Sql {
  return sql`unnest(${pieces.map((piece) => piece.messageId)}::text[], ${pieces.map((piece) => piece.toDepth)}::int[])
    WITH ORDINALITY AS k(id, "toDepth", ord)`;
}
