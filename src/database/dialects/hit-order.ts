/**
 * The order of search hits, equal on every database, unlike the ranks of FTS5, tsvector and CONTAINSTABLE. Only the
 * newest `ranked` matches are scored. The score sums SCORE over the required patterns: BM25 (k₁ = 1.2, b =
 * 0.75, 100 words on average, no IDF) in integer millionths. Ties: newest first, then by chat.
 */
import { raw } from 'sql-template-tag';
import type { HitPosition } from '../../conversation/reads.js';

/**
 * The score of one pattern from `n` occurrences and the number of words. Occurrences are counted by the shortening when
 * each loses its first character.
 */
export const SCORE = raw('CAST(2200000000 AS BIGINT) * n / (1000 * n + 300 + 9 * d."length")');

/** The score that equals a rank of 1. */
export const SCORE_PER_RANK = 1_000_000;

/** Less than 0 when `one` precedes `other`. */
export function compareHits(one: HitPosition, other: HitPosition): number {
  return (
    other.score - one.score ||
    other.createdAt - one.createdAt ||
    compareIds(one.chatId, other.chatId) ||
    other.seq - one.seq
  );
}

/** By code points, as the databases order text, not by UTF-16 units. */
function compareIds(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}
