/**
 * In which order search shows what it finds: the same on every database, since the ranks of FTS5, tsvector and
 * CONTAINSTABLE are not. To know the best, all have to be scored: so of more than `ranked` messages that match, only those
 * are hits that were saved last.
 *
 * A message's score is the sum over the required patterns of SCORE, in whole numbers: BM25 (k₁ = 1.2, b = 0.75) for texts
 * of 100 words on average, without a weight for rare words, in millionths. Hits of one score are ordered by time, newest
 * first, then by chat and, within one, the newest first.
 */
import { raw } from 'sql-template-tag';
import type { HitPosition } from '../../conversation/reads.js';

/**
 * Of one pattern, from `n`, how often it occurs, and the number of words. Occurrences are counted by length: replacing a
 * pattern by itself without its first character shortens the text by one each.
 */
export const SCORE = raw('CAST(2200000000 AS BIGINT) * n / (1000 * n + 300 + 9 * d."length")');

/** How much of a score makes a rank of 1. */
export const SCORE_PER_RANK = 1_000_000;

/** Less than 0 when the one hit comes before the other. */
export function compareHits(one: HitPosition, other: HitPosition): number {
  return (
    other.score - one.score ||
    other.createdAt - one.createdAt ||
    compareIds(one.chatId, other.chatId) ||
    other.seq - one.seq
  );
}

/** By code points, as the databases order text, and not by UTF-16 units. */
function compareIds(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}
