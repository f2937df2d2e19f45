/** The explorer compares the words of two versions of a message. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { versusOf } from '../../packages/explorer/src/compare/versus-of.js';
import { markdownHtml } from '../../packages/explorer/src/thread/markdown/markdown-html.js';
import { markedHtml } from '../../packages/explorer/src/thread/markdown/marked-html.js';
import { runs } from '../support/effort.js';

const side = async (text: string, other: string, isNewer: boolean, isForced = true) =>
  (await markedHtml(text, { other, isNewer, isForced }))!;

const MARK = /<(?:ins|del) class="change">([^]*?)<\/(?:ins|del)>/g;
const marksOf = (html: string) => Array.from(html.matchAll(MARK), ([, words]) => words);
const withoutMarks = (html: string) => html.replace(MARK, '$1');
/** The text outside of marks, without spaces. */
const restOf = (html: string) => html.replace(MARK, '').replace(/<small>[^<]*<\/small>|<[^>]*>|\s/g, '');

describe('words that the other version lacks', () => {
  it.each([
    ['in bold', 'Go to **Porto** now', 'Go to **Lisbon** now', ['Porto'], ['Lisbon']],
    ['with the spaces between them', 'In old Porto, always', 'In Lisbon, always', ['old Porto'], ['Lisbon']],
    ['in a list and a table', '- a\n- b\n\n|h|\n|-|\n|c|', '- a\n- x\n\n|h|\n|-|\n|d|', ['b', 'c'], ['x', 'd']],
    ['with escapes', 'a < b & c', 'a > b & c', ['&lt;'], ['&gt;']],
    ['beside struck words', '~~old~~ tea', '~~old~~ wine', ['tea'], ['wine']],
    ['in highlighted code', '```js\nlet a = 1;\n```', '```js\nlet a = 2;\n```', ['1'], ['2']],
  ])('are marked %s', async (_, older, newer, removed, added) => {
    const [left, right] = [await side(older, newer, false), await side(newer, older, true)];
    expect([marksOf(left), marksOf(right)]).toEqual([removed, added]);
    expect(left).not.toContain('<ins');
    expect(withoutMarks(right)).toBe(await markdownHtml(newer));
  });

  it('are found in scripts without spaces', async () => {
    expect(marksOf(await side('我想喝茶', '我想喝水', true)).join('')).toMatch(/^喝?茶$/);
  });

  it('are whole formulas', async () => {
    const marks = marksOf(await side('It is $$x^2$$ here', 'It is $$x^3$$ here', true));
    expect(marks).toHaveLength(1);
    expect(marks[0]).toMatch(/^<span class="maths">.*<\/math><\/span><\/span>$/);
  });

  it('are not marked in versions with little in common, which have a note', async () => {
    const html = await side('One two three four', 'Five six seven eight', true, false);
    expect(html).toContain('Little in common');
    expect(marksOf(html)).toEqual([]);
    expect(await side('One two three four', 'One two three five', true, false)).not.toContain('Little in common');
  });

  it('are the only changes of the HTML, and the rest is the same on both sides', async () => {
    const line = fc
      .array(fc.constantFrom('a', '**b**', '`c`', '~~d~~', '&', '<i>', '[e](https://a.example)', '# f', '- g', '|h|'))
      .map((words) => words.join(' '));
    const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(text, text, async (older, newer) => {
        const [left, right] = [await side(older, newer, false), await side(newer, older, true)];
        expect(withoutMarks(left)).toBe(await markdownHtml(older));
        expect(withoutMarks(right)).toBe(await markdownHtml(newer));
        expect(restOf(left)).toBe(restOf(right));
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('a message', () => {
  const part = (text: string) => ({ type: 'text', text });
  const message = (...parts: object[]) => ({
    ...{ id: 'id', parentId: null, name: 'assistant', text: 'all', createdBy: null, createdAt: '' },
    data: { parts },
  });
  const newer = { isNewer: true, isForced: false };

  it('is compared by its texts in their order', () => {
    const tool = { type: 'tool-search', input: 'a' };
    const { texts, isTooLong } = versusOf(
      message(part('same'), tool, part('two'), part('more')),
      message(part('same'), part('2')),
      newer,
    );
    expect(isTooLong).toBe(false);
    expect([...texts]).toEqual([
      ['two', { other: '2', isNewer: true, isForced: false }],
      ['more', { other: '', isNewer: true, isForced: true }],
    ]);
  });

  it('is compared as a whole when a text is long', () => {
    const [long, short] = [message(part('x'.repeat(30_000))), message(part('short'))];
    expect(versusOf(short, long, newer)).toEqual({ texts: new Map(), isTooLong: true });
    expect(versusOf(long, long, newer)).toEqual({ texts: new Map(), isTooLong: false });
  });
});
