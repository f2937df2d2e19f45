/** Searches a log of any length piece by piece, from either end. */
import type { SeqRange } from '../../conversation/reads.js';

/** Events per statement; fewer in the first piece, where most matches are. */
const FIRST_EVENTS = 500;
export const EVENTS_AT_ONCE = 5_000;

/** The pieces of a range of seqs, from its start or its end. */
export function* piecesOf(
  { chatId, firstSeq, lastSeq }: SeqRange,
  from: 'first' | 'last',
): Generator<SeqRange & { length: number }, undefined> {
  let [first, last] = [firstSeq, lastSeq];
  for (let most = FIRST_EVENTS; first <= last; most = EVENTS_AT_ONCE) {
    const length = Math.min(most, last - first + 1);
    if (from === 'first') {
      yield { chatId, firstSeq: first, lastSeq: first + length - 1, length };
      first += length;
    } else {
      yield { chatId, firstSeq: last - length + 1, lastSeq: last, length };
      last -= length;
    }
  }
}
