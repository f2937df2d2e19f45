import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf, markedHtml } from '../../../src/search/excerpt.js';
import { matches, parseQuery } from '../../../src/search/query.js';
import { snippet } from '../../../src/search/snippet.js';
import { indexedTerms } from '../../../src/search/terms.js';
import { words } from '../../../src/search/words.js';
import { anyText } from './any-text.js';
import { runs } from '../../support/effort.js';

/** The snippet of a text, and the number of pauses while it was made. */
function made(query: string, text: string): { html: string; pauses: number } {
  const steps = snippet(text, parseQuery(query));
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next();
    if (done === true) return { html: markedHtml(value), pauses };
  }
}

const snippetOf = (query: string, text: string) => made(query, text).html;

/** Matches escaped text with non-empty marks. */
const ESCAPED = String.raw`(?:[^<>&"']|&(?:amp|lt|gt|quot|#39);)`;
const MARKED_HTML = new RegExp(`^(?:${ESCAPED}|<mark>${ESCAPED}+</mark>)*$`);

/** The texts inside the marks of a snippet. */
const marked = (query: string, text: string) =>
  Array.from(snippetOf(query, text).matchAll(/<mark>(.*?)<\/mark>/g), ([, inner]) => inner);

/** The text of a snippet, without marks and escapes. */
function shown(html: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return html.replace(/<\/?mark>/g, '').replace(/&(\w+|#39);/g, (_, name: string) => entities[name]!);
}

const filler = (count: number, word = 'lorem') => `${word} `.repeat(count);

describe('a snippet', () => {
  it('is the whole short text, with marks around matches', () => {
    expect(snippetOf('run', 'She was Running, then ran.')).toBe('She was <mark>Running</mark>, then ran.');
  });

  it('keeps the spelling of the text', () => {
    expect(snippetOf('strasse', 'die STRAßE e\u0301')).toBe('die <mark>STRAßE</mark> e\u0301');
  });

  it('escapes markup, marked or not', () => {
    expect(snippetOf('"b c"', `<b>&"c"'`)).toBe('&lt;<mark>b&gt;&amp;&quot;c</mark>&quot;&#39;');
  });

  it('collapses whitespace, marked or not, and has none at its ends', () => {
    expect(snippetOf('"a b"', '\n x \t\n a \u3000 b \r\n c\n\n')).toBe('x <mark>a b</mark> c');
  });

  it('marks a prefix match as a whole word', () => {
    expect(marked('runn* 京', 'run running 京都')).toEqual(['running', '京都']);
  });

  it('marks a phrase from its first to its last word, and only complete phrases', () => {
    expect(marked('"fast shoes"', 'Fast! Fast, shoe; shoes')).toEqual(['Fast, shoe']);
    expect(marked("what's", "what is it? what's s")).toEqual(['what&#39;s']);
  });

  it('merges the marks of adjacent or overlapping character pairs', () => {
    expect(marked('北京大学', '我在北京大学，北京')).toEqual(['北京大学']);
    expect(marked('北京 大学', '我在北京大学，北京')).toEqual(['北京大学', '北京']);
    expect(marked('我用 iphone', '我用iPhone')).toEqual(['我用iPhone']);
  });

  it('marks neighbouring words separately', () => {
    expect(marked('run shoes', 'run shoes')).toEqual(['run', 'shoes']);
  });

  it('does not mark excluded words', () => {
    expect(marked('run -shoes', 'run shoes')).toEqual(['run']);
  });

  it('shows about as much before the match as after it, and dots where the text continues', () => {
    expect(snippetOf('zebra', `${filler(100, 'a')}zebra ${filler(100, 'b')}`)).toBe(
      `…${filler(14, 'a')}<mark>zebra</mark>${' b'.repeat(15)}…`,
    );
  });

  it('shows more on one side if the other side is shorter', () => {
    expect(snippetOf('zebra', `zebra ${filler(100, 'b')}`)).toBe(`<mark>zebra</mark>${' b'.repeat(29)}…`);
    expect(snippetOf('zebra', `${filler(100, 'a')}zebra`)).toBe(`…${filler(29, 'a')}<mark>zebra</mark>`);
  });

  it('shows the text before the first word and after the last one', () => {
    expect(snippetOf('zebra', '("zebra"?)')).toBe('(&quot;<mark>zebra</mark>&quot;?)');
    expect(snippetOf('zebra', `${'!'.repeat(300)}zebra${'?'.repeat(300)}`)).toBe('…<mark>zebra</mark>…');
  });

  it('prefers the passage with most query terms, and the first among equals', () => {
    const text = `1 run ${filler(60)} 2 run ${filler(60)} 3 run x shoes ${filler(60)} 4 shoes run`;
    expect(marked('run shoes', text)).toEqual(['run', 'shoes']);
    expect(snippetOf('run shoes', text)).toContain('3 <mark>run</mark> x <mark>shoes</mark> lorem');
    expect(snippetOf('run', text)).toContain('1 <mark>run</mark> lorem');
    expect(snippetOf('run shoes', `1 run ${filler(60)} 2 shoes`)).toContain('1 <mark>run</mark> lorem');
  });

  it('shows all matches that fit', () => {
    const text = `${filler(60)} run ${filler(25)} shoes ${filler(60)}`;
    expect(marked('run shoes', text)).toEqual(['run', 'shoes']);
  });

  it('counts a pattern once, for any number of occurrences', () => {
    const text = `run run run run ${filler(60)} shoes run`;
    expect(marked('run shoes', text)).toEqual(['shoes', 'run']);
  });

  it('shows at most 240 UTF-16 units, and no partial words', () => {
    const text = `${filler(30, 'internationalization')}zebra ${filler(30, 'internationalization')}`;
    const html = snippetOf('zebra', text);
    expect(html).toMatch(/^…(internationalization )+<mark>zebra<\/mark>( internationalization)+…$/);
    expect(shown(html).length).toBeGreaterThan(200);
    expect(shown(html).length).toBeLessThanOrEqual(242);
  });

  it('cuts an overlong word, but never a surrogate pair', () => {
    expect(snippetOf('x*', `x${'y'.repeat(1000)}`)).toBe(`<mark>x${'y'.repeat(239)}</mark>…`);
    expect(snippetOf('x*', `x${'𐐨'.repeat(1000)}`)).toBe(`<mark>x${'𐐨'.repeat(119)}</mark>…`);
    expect(snippetOf('b', `${'y'.repeat(1000)} b ${'y'.repeat(1000)}`)).toBe('…<mark>b</mark>…');
  });

  it('shows the start of a phrase that is longer than a snippet', () => {
    const phrase = Array.from({ length: 100 }, (_, i) => `w${i}`).join(' ');
    const html = snippetOf(`"${phrase}"`, `${filler(50)}${phrase} ${filler(50)}`);
    expect(html).toMatch(/^…(lorem )+<mark>w0 w1 .*<\/mark>…$/);
  });

  it('is the start of the text without a match', () => {
    expect(snippetOf('zebra', '  run, shoes.  ')).toBe('run, shoes.');
    expect(snippetOf('zebra', filler(100, 'a'))).toBe(`${'a '.repeat(29)}a…`);
    expect(snippetOf('', filler(100, 'a'))).toBe(`${'a '.repeat(29)}a…`);
    expect(snippetOf('zebra', '!'.repeat(300))).toBe(`${'!'.repeat(240)}…`);
    expect(snippetOf('zebra', ' \n ')).toBe('');
  });

  it('replaces a lone surrogate', () => {
    expect(snippetOf('b', 'a\ud800 b \udc00')).toBe('a\ufffd <mark>b</mark> \ufffd');
  });

  it('searches the 200 words after the first match for a better passage', () => {
    expect(marked('run shoes', `run ${filler(190)} shoes run`)).toEqual(['shoes', 'run']);
    expect(marked('run shoes', `run ${filler(210)} shoes run`)).toEqual(['run']);
  });

  it('stops reading 30 words after the 1,000th occurrence', () => {
    // Nearly every word ends eight phrases, so the 129th word ends the 1,000th.
    const query = `${Array.from({ length: 8 }, (_, n) => `"${filler(n + 1, 'ab')}"`).join(' ')} shoes`;
    expect(snippetOf(query, `${filler(120, 'ab')}shoes`)).toContain('<mark>shoes</mark>');
    expect(snippetOf(query, `${filler(170, 'ab')}shoes`)).not.toContain('shoes');
    expect(snippetOf('ab shoes', `${filler(170, 'ab')}shoes`)).toContain('<mark>shoes</mark>');
  });

  it('searches for the first 32 patterns of a query', () => {
    const query = Array.from({ length: 33 }, (_, i) => `w${i}`);
    expect(marked(query.join(' '), 'w33 w32 w31 w0')).toEqual(['w31', 'w0']);
  });

  it('does not read a long text to its end if it matches at the start', () => {
    const { html, pauses } = made('zebra', `zebra ${filler(180_000)}`);
    expect(html).toMatch(/^<mark>/);
    expect(pauses).toBe(0);
  });

  it('finds a match at the end of a long text, with a pause after every 1,000 words', () => {
    const { html, pauses } = made('zebra', `${filler(180_000)} zebra`);
    expect(html).toMatch(/^…lorem .*<mark>zebra<\/mark>$/);
    expect(pauses).toBe(180);
  });

  it('is a part of the text, and has a mark if the text matches', () => {
    let matched = 0;
    fc.assert(
      fc.property(anyText, anyText, fc.nat(), (text, other, at) => {
        const all = Array.from(words(text), ({ form }) => form);
        const some = all
          .slice(at % (all.length + 1))
          .slice(0, 3)
          .join(' ');
        for (const query of [other, some, `"${some}"`]) {
          const html = snippetOf(query, text);
          expect(html).toMatch(MARKED_HTML);
          expect(html.isWellFormed()).toBe(true);
          const piece = shown(html);
          const whole = text.toWellFormed().trim().replace(/\s+/g, ' ');
          const withoutDots = [piece, ...[/^…/, /…$/, /^…|…$/g].map((dots) => piece.replace(dots, ''))];
          expect(withoutDots.some((each) => whole.includes(each))).toBe(true);
          expect(shown(html).length).toBeLessThanOrEqual(242);
          if (!matches(indexedTerms(text).terms, parseQuery(query))) continue;
          matched += 1;
          expect(html).toContain('<mark>');
        }
      }),
      { numRuns: runs(1000) },
    );
    expect(matched).toBeGreaterThan(runs(800));
  });
});

it.each([
  ['0-2 6-9', 'cdef'],
  ['0-3 5-10', '<mark>c</mark>de<mark>f</mark>'],
  ['4-5 2-3', '<mark>c</mark>d<mark>e</mark>f'],
])('marks that lie outside, at its ends or in any order: cdef in abcdefgh with marks at "%s" is %s', (marks, html) => {
  const spans = Array.from(marks.matchAll(/(\d+)-(\d+)/g), ([, start, end]) => ({ start: +start!, end: +end! }));
  expect(markedHtml(excerptOf('abcdefgh', { start: 2, end: 6 }, spans))).toBe(html);
});
