/** Answers and canvases in the HTML of Google Takeout. */
import { describe, expect, it } from 'vitest';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { importContent, importedChats } from '../imported-chats.js';
import { WHEN, activity, page } from './takeout-pages.js';

const database = databaseForEach();

async function imported(content: unknown) {
  const report = await importContent(database, content);
  const chats = Object.values(await importedChats(database));
  return { report, titles: chats.map(({ title }) => title).sort(), chats };
}

describe('an answer', () => {
  const textOf = async (html: string) => {
    const { report, chats } = await imported(page(activity(`Prompted&nbsp;A soup?<br>${WHEN}<br>${html}`)));
    const parts = chats[0]?.messages[1]?.data.parts.map(({ text }) => text);
    return { text: parts?.join('\n\n'), warnings: report.warnings.kept };
  };

  it('keeps headings, links, lists, code and tables as Markdown', async () => {
    const { text } = await textOf(
      '<h3>Soup</h3><p>Peel <b>six</b> <a href="https://example.org/leeks">leeks</a>.</p>' +
        '<ul><li>salt<ul><li>sea</li></ul></li><li>oil</li></ul><ol><li>Cut</li><li>Boil</li></ol>' +
        '<pre><code class="language-python">if a &lt; b:\n    cut("*")\n</code></pre><pre>plain\n  text</pre>' +
        '<table><thead><tr><th>Herb</th><th>g</th></tr></thead><tbody><tr><td>bay|leaf</td><td>2</td></tr></tbody></table>' +
        '<script>alert(1)</script>',
    );
    expect(text?.replace(/^(\s*(?:-|\d+\.)) +/gm, '$1 ')).toBe(
      [
        '### Soup',
        'Peel **six** [leeks](https://example.org/leeks).',
        '- salt\n    - sea\n- oil',
        '1. Cut\n2. Boil',
        '```python\nif a < b:\n    cut("*")\n```',
        '```\nplain\n  text\n```',
        '| Herb | g   |\n| --- | --- |\n| bay\\|leaf | 2   |',
      ].join('\n\n'),
    );
  });

  it('keeps formulas and names with underscores unescaped', async () => {
    const { text } = await textOf('<p>Set max_heat to $t_1 = \\frac{a}{b}$, 2*3*4, and $$\\sum_i x_i$$.</p>');
    expect(text).toBe('Set max_heat to $t_1 = \\frac{a}{b}$, 2\\*3\\*4, and $$\\sum_i x_i$$.');
  });

  it.each([
    ['nests too deep', `${'<div>'.repeat(101)}<p>Leeks</p><p>Salt</p>`],
    ['has too large a table', `<table>${'<tr><td></td></tr>'.repeat(501)}</table><p>Leeks</p><p>Salt</p>`],
    ['has too many elements', `${'<b></b>'.repeat(10_001)}<p>Leeks</p><p>Salt</p>`],
    ['is too large', `<b title="${'x'.repeat(512 * 1024)}"></b><p>Leeks</p><p>Salt</p>`],
  ])('that %s becomes plain text with a warning', async (_, html) => {
    const { text, warnings } = await textOf(html);
    expect(text).toMatch(/^\s*Leeks\nSalt$/);
    expect(warnings).toEqual([
      'activity 1 ("A soup?"): its answer is too large or nested too deep for Markdown and became plain text',
    ]);
  });

  it.each([
    ['unclosed formatting', `${'<font a>'.repeat(90)}${'<p>x'.repeat(9000)}`],
    ['table in table', `${'<table><tr><td>'.repeat(30)}${'<b>x</b>'.repeat(9000)}`],
    ['other documents', '<html><frameset><frame></frameset><plaintext>x'],
    ['stray table content', '<td>x</td><tr><caption>y<table>z'],
  ])('with %s becomes Markdown', async (_, html) => {
    expect(await textOf(html)).toEqual({ text: expect.stringContaining('x') as string, warnings: [] });
  });
});

describe('feedback and canvases', () => {
  const titles = ['Prompted A soup?', 'Gave feedback: Good response', 'Created Gemini Canvas titled Soups'];
  const shown = page(...titles.map((title) => activity(`${title}<br>${WHEN}<br>`)));
  const listed = titles.map((title) => ({ header: 'Gemini Apps', title, time: WHEN, products: ['Gemini Apps'] }));

  it.each([
    ['HTML', shown, 'activity'],
    ['JSON', listed, 'conversation'],
  ])('in %s are omitted, and the report names them', async (_, content, place) => {
    const { report, titles: chats } = await imported(content);
    expect([chats, report.failures.kept, report.warnings.kept]).toEqual([['A soup?'], [], []]);
    expect(report.notes.kept).toEqual([
      `${place} 2 ("Gave feedback: Good response"): it is not a prompt`,
      `${place} 3 ("Created Gemini Canvas titled Soups"): it is not a prompt`,
    ]);
  });
});
