import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { firstCharacters } from '../../src/conversation/text/first-characters.js';
import { runs } from '../support/effort.js';

const family = '👨‍👩‍👧';
const charactersOf = (text: string) => Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);

describe('the first characters of a text', () => {
  test.each([
    ['hello', 3, 'hel'],
    ['hello', 5, 'hello'],
    ['hello', 9, 'hello'],
    ['', 1, ''],
    ['größer', 4, 'größ'],
    ['我用中文', 2, '我用'],
    ['😀😀😀', 2, '😀😀'],
    ['a\r\nb', 2, 'a'],
    ['a\r\nb', 3, 'a\r\n'],
    ['a\nb', 2, 'a\n'],
    // Combining accents, composite emoji, skin colours and flags are never split.
    ['ae\u0301b', 2, 'a'],
    ['ae\u0301b', 3, 'ae\u0301'],
    [`a${family}b`, 5, 'a'],
    [`a${family}b`, 6, `a${family}`],
    ['a👍🏽b', 2, 'a'],
    ['🇩🇪🇫🇷🇮🇹', 3, '🇩🇪'],
    ['🇩🇪🇫🇷🇮🇹', 4, '🇩🇪🇫🇷'],
    // The first character is cut rather than omitted.
    [`${family}b`, 1, family],
    ['e\u0301e\u0301', 1, 'e\u0301'],
  ])('of %j, up to %i code points: %j', (text, count, expected) => {
    expect(firstCharacters(text, count)).toBe(expected);
  });

  it('are as many complete ones as fit, for any text', () => {
    const pieces = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 5 }),
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom(family, '🇩🇪', '\u0301', '\u200d', '\r', '\n', '©', 'é', '가', '\u1100\u1161', 'ก็', '👍🏽'),
    );
    fc.assert(
      fc.property(
        fc.array(pieces).map((all) => all.join('')),
        fc.integer({ min: 1, max: 30 }),
        (text, count) => {
          const [first = '', ...others] = charactersOf(text);
          let expected = first;
          for (const character of others) {
            if (Array.from(expected + character).length > count) break;
            expected += character;
          }
          expect(firstCharacters(text, count)).toBe(expected);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it('are few, even if a character has many marks', () => {
    const marks = `a${'\u0301'.repeat(1_000_000)}`;
    expect(firstCharacters(marks, 10).length).toBeLessThan(100);
  });
});
