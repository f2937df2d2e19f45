/**
 * In which order search shows what it finds: the same on every database, since the ranks of FTS5, tsvector and
 * CONTAINSTABLE are not, and worked out by the database, since all hits must be ranked to know the best.
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

/** The best of the rows `scored`, altogether or of each chat, in the words that SQLite and PostgreSQL share. */
export function bestHits({ chatIds, after, limit }: HitRequest): Sql {
  const order = raw('score DESC, "createdAt" DESC, "chatId", "seq" DESC');
  const rest = after === null ? empty : sql`WHERE ${beyond(after)}`;
  if (chatIds === null) return sql`SELECT * FROM scored ${rest} ORDER BY ${order} LIMIT ${limit}`;
  return sql`SELECT * FROM (
      SELECT scored.*, row_number() OVER (PARTITION BY "chatId" ORDER BY ${order}) AS place FROM scored ${rest}
    ) placed
    WHERE place <= ${limit} ORDER BY ${order}`;
}

function beyond(position: HitPosition): Sql {
  const [score, createdAt, seq] = [position.score, position.createdAt, position.seq].map(
    (n) => sql`CAST(${n} AS BIGINT)`,
  );
  const { chatId } = position;
  return sql`score < ${score} OR score = ${score} AND ("createdAt" < ${createdAt} OR "createdAt" = ${createdAt} AND (
      "chatId" > ${chatId} OR "chatId" = ${chatId} AND "seq" < ${seq}))`;
}
