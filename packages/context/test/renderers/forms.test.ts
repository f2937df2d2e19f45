/** Forms of each format that the pages of docs/context do not show. Their content is tested in every-renderer.test.ts. */
import { describe, expect, it } from 'vitest';
import { MarkdownRenderer } from '../../src/renderers/markdown-renderer.js';
import { TomlRenderer } from '../../src/renderers/toml-renderer.js';
import { ToonRenderer } from '../../src/renderers/toon-renderer.js';
import { XmlRenderer } from '../../src/renderers/xml-renderer.js';

describe('Markdown', () => {
  const renderer = new MarkdownRenderer();

  /** The content below the heading. */
  const below = (data: Parameters<MarkdownRenderer['render']>[0][number]['data']) =>
    renderer.render([{ name: 'x', data }]).replace(/^## x\n\n/, '');

  it('numbers records, and indents the content of an item with a two-digit number', () => {
    const markdown = below(Array.from({ length: 10 }, (_, n) => ({ n, of: [n] })));
    expect(markdown).toMatch(/^1\. - \*\*n\*\*: 0\n {3}- \*\*of\*\*:\n {5}- 0\n2\. - /);
    expect(markdown).toMatch(/\n10\. - \*\*n\*\*: 9\n {4}- \*\*of\*\*:\n {6}- 9$/);
  });

  it('escapes only text that would be Markdown', () => {
    expect(below('a_b, R&D, 1 < 2, C# (x), #1, -5, 3.5, x = y!, it\'s "so"; a@b: 100% + $1')).toBe(
      'a_b, R&D, 1 < 2, C# (x), #1, -5, 3.5, x = y!, it\'s "so"; a@b: 100% + $1',
    );
    expect(below('*a* _b_ `c` [d](e) <f> &amp; ~g~ | \\')).toBe(
      '\\*a\\* \\_b\\_ \\`c\\` \\[d](e) \\<f> \\&amp; \\~g\\~ \\| \\\\',
    );
    expect(below('# a\n> b\n- c\n1. d\n---\n===\n:-')).toBe(`\\# a\\
\\> b\\
\\- c\\
1\\. d\\
\\---\\
\\===\\
\\:-`);
  });

  it('keeps line breaks and white space, with character references where necessary', () => {
    expect(below('a\n\nb')).toBe('a\\\n\\\nb');
    expect(below('\n a \n')).toBe('\\\n&#32;a &#10;');
    expect(below('a\r\n\tb')).toBe('a&#13;\\\n&#9;b');
    expect(below({ 'a\nb': 'c\nd' })).toBe('- **a&#10;b**: c\\\n  d');
  });

  it('marks a missing name', () => {
    expect(below({ '': 'a' })).toBe('- *(no name)*: a');
    expect(below({ '(no name)': 'a' })).toBe('- **(no name)**: a');
  });
});

it('TOML quotes every text, and names that are not bare keys', () => {
  const fragments = [
    { name: 'a.b', data: { 'say "x"': '\x1b\x7f\0', '': 'C:\\' } },
    { name: 'größe', data: 'a\r\nb' },
  ];
  expect(new TomlRenderer().render(fragments)).toBe(String.raw`"größe" = "a\r\nb"

["a.b"]
"say \"x\"" = "\u001b\u007f\u0000"
"" = "C:\\"`);
});

it('TOON has a table for uniform sections, with their names first', () => {
  const fragments = [
    { name: 'dev', data: { host: 'a', port: 1 } },
    { name: 'live', data: { host: 'b', port: 2 } },
  ];
  expect(new ToonRenderer().render(fragments)).toBe('[2:]{host,port}:\n  dev: a,1\n  live: b,2');
});

describe('XML', () => {
  const renderer = new XmlRenderer();

  it('has a plain name as an element, and any other name as an attribute', () => {
    for (const name of ['_', 'a-b.c', 'styleGuide', 'x1', 'item', 'entry']) {
      expect(renderer.render([{ name, data: 1 }])).toBe(`<${name}>1</${name}>`);
    }
    // Parsers accept different letters beyond ASCII.
    for (const name of ['größe', '漢字', 'Știri', '\ufeffx', 'xmlns', '1st', '-a']) {
      expect(renderer.render([{ name, data: 1 }])).toBe(`<entry name="${name}">1</entry>`);
    }
  });

  it('reports the position of such a character', () => {
    const data = [{ name: 'limits', data: ['a', { stop: ['b', '\x1b[0m'] }] }];
    const render = () => renderer.render([{ name: 'hint', data }]);
    expect(render).toThrow('Fragment "hint": 0.data.0.data.1.stop.1 has U+001B, which XML 1.0 cannot hold');
    expect(render).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', path: '0.data.0.data.1.stop.1' }));
  });
});
