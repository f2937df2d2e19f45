import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexedTerms } from '../../../src/search/terms.js';
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
