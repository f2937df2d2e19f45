import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches, parseQuery } from '../../../src/search/query.js';
import { indexedTerms } from '../../../src/search/terms.js';
import { words } from '../../../src/search/words.js';
import { anyText } from './any-text.js';
import { runs } from '../../support/effort.js';

const found = (query: string, text: string) => matches(indexedTerms(text).terms, parseQuery(query));

describe('the query', () => {
  it.each([
    ['running', [' run ']],
    ['running shoes', [' run ', ' shoe ']],
    ['runs "Running  run" RUN', [' run ', ' run  run ']],
    ['"fast shoes"', [' fast  shoe ']],
    ['runn*', [' runn']],
    ['Café*', [' cafe']],
    ['"runn*"', [' runn ']],
    ['"fast running*"', [' fast  run ']],
    ['foo-ba*', [' foo ', ' ba']],
    ['a-b-ca*', [' a  b ', ' ca']],
    ['*run*', [' run']],
    ['run**', [' run ']],
    ['a-*', [' a ']],
    ['run *', [' run ']],
    ["what's", [' what  s ']],
    ['user@example.com 3.14', [' user  exampl  com ', ' 3  14 ']],
    ['C++', [' c ']],
    ['cats AND dogs OR NOT NEAR(x)', [' cat ', ' and ', ' dog ', ' or ', ' not ', ' near  x ']],
    ['100% under_score', [' 100 ', ' under  score ']],
    ['("fast shoes")', [' fast  shoe ']],
    ['name:"fast shoes"', [' name ', ' fast  shoe ']],
    ['6"x4"', [' 6  x4 ']],
    ['"open quote', [' open ', ' quot ']],
    ['fast" shoes "', [' fast ', ' shoe ']],
    ['"a b"c "d"', [' a  b ', ' c ', ' d ']],
  ])('%s requires %j and excludes nothing', (query, required) => {
    expect(parseQuery(query)).toMatchObject({ required, excluded: [] });
  });

  it.each([
    ['run -shoes', [' run '], [' shoe ']],
    ['run -"fast shoes"', [' run '], [' fast  shoe ']],
    ['run -sho*', [' run '], [' sho']],
    ['run -foo-bar', [' run '], [' foo  bar ']],
    ['run -shoes -shoe', [' run '], [' shoe ']],
    ['-run', [], [' run ']],
    ['-京', [], [' 京']],
    ['run\u3000-shoes', [' run '], [' shoe ']],
    ['foo-bar', [' foo  bar '], []],
    ['--force', [' forc '], []],
    ['- shoes', [' shoe '], []],
    ['-(shoes)', [' shoe '], []],
    ['-"shoes', [' shoe '], []],
    ['"run"-shoes', [' run ', ' shoe '], []],
  ])('%s requires %j and excludes %j', (query, required, excluded) => {
    expect(parseQuery(query)).toMatchObject({ required, excluded });
  });

  it.each([
    ['北京', [' 北京 ']],
    ['北京大学', [' 北京  京大  大学 ']],
    ['我用iPhone15手机', [' 我用  iphone15  手机 ']],
    ['北京*', [' 北京 ']],
    ['北京大学*', [' 北京  京大  大学 ']],
    ['京', [' 京']],
    ['京*', [' 京']],
    ['"京"', [' 京']],
    ['「京」', [' 京']],
    ['a京', [' a  京 ']],
    ['a京*', [' a ', ' 京']],
    ['我用iPhone*', [' 我用 ', ' iphone']],
    ['京 都', [' 京', ' 都']],
  ])('%s in Chinese requires %j', (query, required) => {
    expect(parseQuery(query)).toMatchObject({ required, excluded: [] });
  });

  it.each(['', ' ', '""', '"', '-', '--', '*', '-*', '%', '( )', '\0', '\ud800', '❤️', '"" -"" -'])(
    'of %j alone has no terms',
    (query) => {
      expect(parseQuery(query)).toEqual({ required: [], excluded: [], index: [] });
      expect(found(query, 'anything')).toBe(false);
    },
  );

  it('splits a phrase of more than 50 words into pieces that overlap by one word', () => {
    const numbers = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, n) => String(first + n));
    const phrase = (first: number, last: number) => ` ${numbers(first, last).join('  ')} `;
    const required = (last: number) => parseQuery(`"${numbers(1, last).join(' ')}"`).required;
    expect(required(50)).toEqual([phrase(1, 50)]);
    expect(required(51)).toEqual([phrase(1, 50), phrase(50, 51)]);
    expect(required(99)).toEqual([phrase(1, 50), phrase(50, 99)]);
    expect(required(100)).toEqual([phrase(1, 50), phrase(50, 99), phrase(99, 100)]);

    // Excluding the whole phrase is not possible, so its first piece is excluded.
    const { excluded } = parseQuery(`1 -"${numbers(1, 100).join(' ')}"`);
    expect(excluded).toEqual([phrase(1, 50)]);
  });

  it('queries the indexes for its single words and prefixes, the longest first', () => {
    expect(parseQuery('fast "running shoes" sho* shoe -slow').index).toEqual([
      { term: 'fast', isPrefix: false },
      { term: 'shoe', isPrefix: false },
      { term: 'run', isPrefix: false },
      { term: 'sho', isPrefix: true },
    ]);
    expect(parseQuery('sho sho*').index).toEqual([
      { term: 'sho', isPrefix: false },
      { term: 'sho', isPrefix: true },
    ]);
  });

  it('queries the indexes for at most 32 patterns', () => {
    const { index, required } = parseQuery(`"${Array.from({ length: 40 }, (_, i) => 'x'.repeat(i + 1)).join(' ')}"`);
    expect(required).toHaveLength(1);
    expect(index.map(({ term }) => term.length)).toEqual(Array.from({ length: 32 }, (_, i) => 40 - i));
  });

  it('keeps the first 32 required and the first 32 excluded patterns, each once', () => {
    const numbers = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, n) => String(first + n));
    const patterns = (count: number) => numbers(1, count).map((each) => ` ${each} `);
    const given = (count: number) =>
      numbers(1, count).flatMap((each) => [each, '1', `"${each}"`, `-x${each}`, '-x1', `-"x${each}"`]);
    const excluded = (count: number) => patterns(count).map((each) => each.replace(' ', ' x'));
    const required = patterns(32);
    expect(parseQuery(given(31).join(' '))).toMatchObject({ required: patterns(31), excluded: excluded(31) });
    expect(parseQuery(given(32).join(' '))).toMatchObject({ required, excluded: excluded(32) });
    expect(parseQuery(given(33).join(' '))).toMatchObject({ required, excluded: excluded(32) });
    // The first pieces of a phrase of too many pieces are kept, too.
    expect(parseQuery(`"${numbers(1, 2000).join(' ')}" more`).required).toHaveLength(32);
  });

  it('is read up to 10,000 UTF-16 units, and never splits a surrogate pair', () => {
    expect(parseQuery(`${' '.repeat(9_998)}ab`).required).toEqual([' ab ']);
    expect(parseQuery(`${' '.repeat(9_999)}ab`).required).toEqual([' a ']);
    expect(parseQuery(`${' '.repeat(9_997)}a𝒳b`).required).toEqual([' ax ']);
    expect(parseQuery(`${' '.repeat(9_998)}a𝒳b`).required).toEqual([' a ']);
  });

  it('never throws, and has each pattern once', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { required, excluded, index } = parseQuery(text);
        for (const list of [required, excluded, index.map(({ term, isPrefix }) => `${term}${isPrefix}`)]) {
          expect(new Set(list).size).toBe(list.length);
        }
        for (const list of [required, excluded, index]) expect(list.length).toBeLessThanOrEqual(32);
        expect(index.length > 0).toBe(required.length > 0);
        for (const pattern of [...required, ...excluded]) expect(pattern).toMatch(/^ \S+(?:(?: {2}\S+)* )?$/u);
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('a text is found', () => {
  it.each([
    ['runn*', 'She was running'],
    ['run', 'She was running'],
    ['running', 'Run!'],
    ['"running shoe"', 'run, shoes'],
    ['京', '京都'],
    ['北京*', '在北京大学'],
    ['strasse', 'STRAßE'],
    ['ｶﾞｷﾞ', 'が ガギ'],
    ['shoes -slow', 'fast shoes'],
  ])('with %s: %s', (query, text) => {
    expect(found(query, text)).toBe(true);
  });

  it.each([
    ['runn', 'She was running'],
    ['unning*', 'She was running'],
    ['"shoe run"', 'running shoes'],
    ['"run shoe"', 'running in shoes'],
    ['"running shoes"', 'shoes running'],
    ['"shoe shoes"', 'running shoes'],
    ['北大', '北京大学'],
    ['北京大学', '北京和大学'],
    ['run shoes', 'run'],
    ['shoes -fast', 'fast shoes'],
    ['shoes -fas*', 'fast shoes'],
    ['x', ''],
  ])('not with %s: %s', (query, text) => {
    expect(found(query, text)).toBe(false);
  });

  it('by any of its whole words in quotes', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), fc.nat({ max: 20 }), (text, from, count) => {
        const all = [...words(text)];
        fc.pre(all.length > 0);
        const first = from % all.length;
        const piece = text.slice(all[first]!.start, all.slice(first, first + count + 1).at(-1)!.end);
        expect(found(`"${piece.replaceAll('"', ' ')}"`, text)).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('only if it contains all patterns of the index query', () => {
    let matched = 0;
    fc.assert(
      fc.property(anyText, anyText, fc.nat(), (text, other, at) => {
        const { terms } = indexedTerms(text);
        const piece = text.slice(at % (text.length + 1)).slice(0, 8);
        for (const query of [other, piece, `${piece}*`, `"${piece}" ${piece}`].map(parseQuery)) {
          if (!matches(terms, query)) continue;
          matched += 1;
          const indexed = terms.trim().split('  ');
          for (const { term, isPrefix } of query.index) {
            expect(indexed.some((each) => (isPrefix ? each.startsWith(term) : each === term))).toBe(true);
          }
        }
      }),
      { numRuns: runs(1000) },
    );
    expect(matched).toBeGreaterThan(runs(400));
  });
});
