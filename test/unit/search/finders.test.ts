import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finderOf } from '../../../src/search/finders.js';
import { parseQuery } from '../../../src/search/query.js';
import { indexedTerms, prefixPattern, wordsPattern } from '../../../src/search/terms.js';
import { words } from '../../../src/search/words.js';
import { anyText } from './any-text.js';
import { runs } from '../../support/effort.js';

/** The result of a pattern's finder for each word. */
const counts = (pattern: string, text: string) => Array.from(words(text), finderOf(pattern));

describe('the finder of', () => {
  it('a word finds its stem and its form', () => {
    expect(counts(wordsPattern(['run']), 'run, running; runner')).toEqual([1, 1, 0]);
    expect(counts(wordsPattern(['running']), 'run running')).toEqual([0, 1]);
  });

  it('a prefix finds every form and every stem that starts with it', () => {
    expect(counts(prefixPattern('runn'), 'run running runner')).toEqual([0, 1, 1]);
    expect(counts(prefixPattern('happi'), 'happy')).toEqual([1]);
  });

  it('a phrase returns its number of words at its last word', () => {
    expect(counts(wordsPattern(['a', 'b', 'c']), 'a b c x a b b c')).toEqual([0, 0, 3, 0, 0, 0, 0, 0]);
  });

  it('a phrase finds overlapping occurrences', () => {
    expect(counts(wordsPattern(['a', 'a']), 'a a a b a')).toEqual([0, 2, 2, 0, 0]);
    expect(counts(wordsPattern(['a', 'b', 'a']), 'a b a b a')).toEqual([0, 0, 3, 0, 3]);
  });

  it('a phrase finds all of its occurrences, and nothing else', () => {
    const stems = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 6 });
    const texts = fc.array(fc.constantFrom('a', 'b'), { maxLength: 40 });
    fc.assert(
      fc.property(stems, texts, (phrase, text) => {
        const isAt = (last: number) =>
          text
            .slice(0, last + 1)
            .join('')
            .endsWith(phrase.join(''));
        const expected = text.map((_, last) => (isAt(last) ? phrase.length : 0));
        expect(counts(wordsPattern(phrase), text.join(' '))).toEqual(expected);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('any pattern finds a match exactly if the indexed terms contain it', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, query) => {
        const { terms } = indexedTerms(text);
        for (const pattern of parseQuery(query).required) {
          expect(counts(pattern, text).some((count) => count > 0)).toBe(terms.includes(pattern));
        }
      }),
      { numRuns: runs(500) },
    );
  });
});
