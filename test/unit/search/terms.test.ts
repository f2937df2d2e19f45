import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexedTerms, prefixPattern, readPattern, wordsPattern } from '../../../src/search/terms.js';
import { words } from '../../../src/search/words.js';
import { anyText } from './any-text.js';

describe('the indexed terms of a text', () => {
  it.each([
    ['Running shoes', ' run  shoe  .  running  .  shoes ', 2],
    ['the quick fox', ' the  quick  fox ', 3],
    ['run runs run RUNS', ' run  run  run  run  .  runs ', 4],
    ['shoes, running; shoes!', ' shoe  run  shoe  .  shoes  .  running ', 3],
    ['北京大学', ' 北京  京大  大学 ', 3],
    ['', '', 0],
    ['... ❤️', '', 0],
  ])('of %j are %j', (text, terms, length) => {
    expect(indexedTerms(text)).toEqual({ terms, length });
  });

  it('allow counting the occurrences of a word by replacing it', () => {
    const { terms } = indexedTerms('so, so so it goes. Also: so.');
    expect((terms.length - terms.replaceAll(' so ', '').length) / ' so '.length).toBe(4);
  });

  it('contain every stem in order and every other form once, each between two spaces', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { terms, length } = indexedTerms(text);
        const all = [...words(text)];
        const others = new Set(all.filter(({ form, stem }) => form !== stem).map(({ form }) => form));
        const expected = [...all.map(({ stem }) => stem), ...Array.from(others, (form) => ['.', form]).flat()];
        expect(terms).toBe(expected.map((term) => ` ${term} `).join(''));
        expect(length).toBe(all.length);
      }),
    );
  });
});

describe('a pattern', () => {
  it('of words distinguishes a word from a prefix', () => {
    expect(wordsPattern(['run'])).toBe(' run ');
    expect(wordsPattern(['run', 'shoe'])).toBe(' run  shoe ');
    expect(prefixPattern('run')).toBe(' run');
  });

  it('can be parsed again', () => {
    expect(readPattern(' run  shoe ')).toEqual({ terms: ['run', 'shoe'], isPrefix: false });
    expect(readPattern(' run')).toEqual({ terms: ['run'], isPrefix: true });
  });
});
