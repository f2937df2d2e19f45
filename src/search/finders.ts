import { readPattern } from './terms.js';
import type { Word } from './words.js';

/**
 * Called with the words of a text in order; returns the length in words of the occurrence that ends with this word,
 * otherwise 0.
 */
export type Finder = (word: Word) => number;

/** The finder of a pattern: it finds an occurrence exactly in texts whose indexed terms contain the pattern. */
export function finderOf(pattern: string): Finder {
  const { terms, isPrefix } = readPattern(pattern);
  if (terms.length > 1) return phraseFinder(terms);
  // The indexed terms also contain the forms, after the stems.
  const [term = ''] = terms;
  if (isPrefix) return ({ form, stem }) => (stem.startsWith(term) || form.startsWith(term) ? 1 : 0);
  return ({ form, stem }) => (stem === term || form === term ? 1 : 0);
}

/**
 * Knuth, Morris and Pratt, "Fast pattern matching in strings", 1977: comparing the phrase anew at every word would take
 * a phrase of `a a a ... b` minutes in a text of nothing but `a`.
 */
function phraseFinder(stems: readonly string[]): Finder {
  /** For the first n stems of the phrase: the length of the longest suffix that is also a prefix. */
  const overlaps = [0, 0];
  const advance = (matched: number, stem: string): number => {
    let length = matched;
    while (length > 0 && stems[length] !== stem) length = overlaps[length] ?? 0;
    return stems[length] === stem ? length + 1 : 0;
  };
  for (const stem of stems.slice(1)) overlaps.push(advance(overlaps.at(-1) ?? 0, stem));

  let matched = 0;
  return ({ stem }) => {
    matched = advance(matched, stem);
    return matched === stems.length ? matched : 0;
  };
}
