/** Branches and checkpoints, on PostgreSQL. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { BranchStatements, PathTop } from '../dialect.js';
import { list, keyIndex, messageOfKey, jumpStep, parentStep, scoped } from './fragments.js';

/** A branch with the depth of its head, which makes its messageCount. */
const branchesWithHead = (keys: Sql): Sql => sql`
  SELECT b.*, h."depth" AS "headDepth", ${keyIndex} AS n ${keys}
  LEFT JOIN messages h ON h."id" = b."headMessageId" AND h."chatId" = b."chatId"`;

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
  branches: (keys) =>
    branchesWithHead(sql`FROM ${scoped(keys)} JOIN branches b ON b."id" = k.id AND b."chatId" = k."chatId"`),
  branchesById: (ids) => branchesWithHead(sql`FROM ${list(ids)} JOIN branches b ON b."id" = k.value`),
  branchesByName: (keys) =>
    branchesWithHead(sql`
      FROM ${nameKeys(keys)} JOIN branches b ON b."chatId" = k."chatId" AND b."name" = k."name"`),
  activeBranches: (chatIds) =>
    branchesWithHead(sql`FROM ${list(chatIds)} JOIN branches b ON b."chatId" = k.value AND b."isActive"`),
  branchesAt: (messages, limit) => sql`
    ${branchesWithHead(sql`
      FROM ${scoped(messages)} JOIN branches b ON b."chatId" = k."chatId" AND b."headMessageId" = k.id`)}
    LIMIT ${limit}::int`,

  oldestBranchAt: (chatId, messageId) => sql`
    SELECT b.*, h."depth" AS "headDepth" FROM branches b
    JOIN messages h ON h."id" = b."headMessageId" AND h."chatId" = b."chatId"
    WHERE b."chatId" = ${chatId} AND b."headMessageId" = ${messageId} ORDER BY b."seq" LIMIT 1`,

  ancestors: (pieces) => sql`
    WITH RECURSIVE j(n, "chatId", id, "parentId", depth, "jumpId", "toDepth") AS (
      SELECT ${keyIndex}, m."chatId", m."id", m."parentId", m."depth", m."jumpId", k."toDepth"
      FROM ${tops(pieces)} ${messageOfKey}
      UNION ALL
      SELECT j.n, j."chatId", m."id", m."parentId", m."depth", m."jumpId", j."toDepth"
      ${jumpStep}
    )
    SELECT n, id FROM j WHERE depth = "toDepth"`,

  // UNION, not UNION ALL: paths that meet go on as one.
  linksAbove: (pieces) => sql`
    WITH RECURSIVE w("chatId", id, "parentId", depth, "toDepth") AS (
      SELECT m."chatId", m."id", m."parentId", m."depth", k."toDepth" FROM ${tops(pieces)} ${messageOfKey}
      UNION
      SELECT w."chatId", p."id", p."parentId", p."depth", w."toDepth" ${parentStep} WHERE w.depth > w."toDepth"
    )
    SELECT "chatId", id, "parentId" FROM w ORDER BY depth DESC`,

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
    ${table === 'branches' ? sql`LEFT JOIN messages h ON h."id" = t."headMessageId" AND h."chatId" = t."chatId"` : empty}`,

  checkpointsAt: (messages, limit) => sql`
    SELECT ${keyIndex} AS n, c.*
    FROM ${scoped(messages)} JOIN checkpoints c ON c."chatId" = k."chatId" AND c."messageId" = k.id
    LIMIT ${limit}::int`,

  checkpoints: (keys) => sql`
    SELECT c.* FROM ${scoped(keys)} JOIN checkpoints c ON c."id" = k.id AND c."chatId" = k."chatId"`,

  checkpointsById: (ids) => sql`SELECT c.* FROM ${list(ids)} JOIN checkpoints c ON c."id" = k.value`,

  checkpointsByName: (keys) => sql`
    SELECT c.* FROM ${nameKeys(keys)} JOIN checkpoints c ON c."chatId" = k."chatId" AND c."name" = k."name"`,
};

function nameKeys(keys: readonly { chatId: string; name: string }[]): Sql {
  return sql`unnest(${keys.map((key) => key.chatId)}::text[], ${keys.map((key) => key.name)}::text[])
    WITH ORDINALITY AS k("chatId", "name", ord)`;
}

function tops(pieces: readonly PathTop[]): Sql {
  return sql`unnest(${pieces.map((piece) => piece.chatId)}::text[], ${pieces.map((piece) => piece.messageId)}::text[],
    ${pieces.map((piece) => piece.toDepth)}::int[]) WITH ORDINALITY AS k("chatId", id, "toDepth", ord)`;
}
