/**
 * In which order search shows what it finds: the same on every database, since the ranks of FTS5, tsvector and
 * CONTAINSTABLE are not, and worked out by the database. To know the best, all have to be scored: so of more than
 * `ranked` messages that match, only those are hits that were saved last.
 *
 * A message's score is the sum over the required patterns of SCORE, in whole numbers: BM25 (k₁ = 1.2, b = 0.75) for texts
 * of 100 words on average, without a weight for rare words, in millionths. Hits of one score are ordered by time, newest
 * first, then by chat and, within one, the newest first.
 */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { HitPosition } from '../../conversation/reads.js';
import type { HitRequest } from './dialect.js';

/**
 * Of one pattern, from `n`, how often it occurs, and the number of words. Occurrences are counted by length: replacing a
 * pattern by itself without its first character shortens the text by one each.
 */
export const SCORE = raw('CAST(2200000000 AS BIGINT) * n / (1000 * n + 300 + 9 * d."length")');

/** How much of a score makes a rank of 1. */
export const SCORE_PER_RANK = 1_000_000;

const ORDER = raw('score DESC, "createdAt" DESC, "chatId", "seq" DESC');

/** Whether the hits of each chat are a list of their own. */
export function hasSeveralLists({ chatIds }: HitRequest): boolean {
  return chatIds !== null && chatIds.length > 1;
}

/**
 * The best, altogether or of each chat, in the words that SQLite and PostgreSQL share.
 * @param matches rows with id and score: those that are ranked or, for several lists, all
 */
export function bestHits(matches: Sql, request: HitRequest): Sql {
  const { after, limit, ranked } = request;
  const isBehind = after === null ? empty : sql`AND (${beyond(after)})`;
  if (!hasSeveralLists(request)) {
    return sql`SELECT * FROM (${matches}) hits WHERE 1 = 1 ${isBehind} ORDER BY ${ORDER} LIMIT ${limit}`;
  }
  return sql`
    SELECT * FROM (
      SELECT hits.*, row_number() OVER (PARTITION BY "chatId" ORDER BY ${ORDER}) AS place
      FROM (
        SELECT hits.*, row_number() OVER (PARTITION BY "chatId" ORDER BY "id" DESC) AS age FROM (${matches}) hits
      ) hits
      WHERE age <= ${ranked} ${isBehind}
    ) hits
    WHERE place <= ${limit} ORDER BY ${ORDER}`;
}

/** The required patterns that an index of words leaves open. */
export function phrases(required: readonly string[]): string[] {
  return required.filter((pattern) => pattern.trim().includes(' '));
}

function beyond(position: HitPosition): Sql {
  const [score, createdAt, seq] = [position.score, position.createdAt, position.seq].map(
    (n) => sql`CAST(${n} AS BIGINT)`,
  );
  const { chatId } = position;
  return sql`score < ${score} OR score = ${score} AND ("createdAt" < ${createdAt} OR "createdAt" = ${createdAt} AND (
      "chatId" > ${chatId} OR "chatId" = ${chatId} AND "seq" < ${seq}))`;
}
