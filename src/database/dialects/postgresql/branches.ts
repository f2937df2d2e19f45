/** Branches and checkpoints, on PostgreSQL. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { BranchStatements } from '../dialect.js';
import { list, keyIndex, lookUp, jumpStep } from './fragments.js';

/** A branch with the depth of its head, which makes its messageCount. */
const branchesWithHead = (keys: Sql): Sql =>
  sql`SELECT b.*, h."depth" AS "headDepth", ${keyIndex} AS n ${keys} LEFT JOIN messages h ON h."id" = b."headMessageId"`;

/** The order in which a table's rows are listed. */
const listOrder = { branches: raw('"seq"'), checkpoints: raw('"seq" DESC') };

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
  branchesAt: (messageIds) => sql`
    ${branchesWithHead(sql`
      FROM ${list(messageIds)} ${lookUp('k.value', 'm')}
      JOIN branches b ON b."chatId" = m."chatId" AND b."headMessageId" = m."id"`)}
    ORDER BY n, b."seq"`,

  branchesOf: (chatIds) => sql`
    ${branchesWithHead(sql`FROM ${list(chatIds)} JOIN branches b ON b."chatId" = k.value`)}
    ORDER BY n, b."seq"`,

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

  ranked: (table, ranges) => sql`
    SELECT ${keyIndex} AS n, r.*${table === 'branches' ? sql`, h."depth" AS "headDepth"` : empty}
    FROM unnest(${ranges.map((range) => range.chatId)}::text[], ${ranges.map((range) => range.start)}::bigint[],
      ${ranges.map((range) => range.end)}::bigint[]) WITH ORDINALITY AS k("chatId", "start", "end", ord)
    CROSS JOIN LATERAL (
      SELECT t.*, row_number() OVER (ORDER BY t.${listOrder[table]}) - 1 AS rank FROM ${raw(table)} t
      WHERE t."chatId" = k."chatId"
    ) r
    ${table === 'branches' ? sql`LEFT JOIN messages h ON h."id" = r."headMessageId"` : empty}
    WHERE r.rank >= k."start" AND r.rank < k."end"
    ORDER BY n, r.rank`,

  checkpointsAt: (messageIds) => sql`
    SELECT ${keyIndex} AS n, c.*
    FROM ${list(messageIds)} ${lookUp('k.value', 'm')}
    JOIN checkpoints c ON c."chatId" = m."chatId" AND c."messageId" = m."id"
    ORDER BY n, c."seq" DESC`,

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
