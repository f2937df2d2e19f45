import { describe, expect, it } from 'vitest';
import { MarkdownRenderer } from '../../src/renderers/markdown-renderer.js';
import { asMarkdown, readMarkdown } from './markdown-reader.js';
import { expectedSection } from './expected-content.js';
import { SAMPLE } from './sample-fragments.js';

const renderer = new MarkdownRenderer();

/** Expects CommonMark's parser to read the original content. */
function expectSame(fragments: Parameters<typeof expectedSection>[0]): void {
  const markdown = renderer.render(fragments);
  expect(readMarkdown(markdown)).toEqual(asMarkdown(expectedSection(fragments)) || { named: [] });
  expect(markdown).not.toMatch(/\n$/);
}

/** The content below the heading. */
function below(data: Parameters<typeof expectedSection>[0][number]['data']): string {
  return renderer.render([{ name: 'x', data }]).replace(/^## x\n\n/, '');
}

describe('Markdown', () => {
  it('has headings, paragraphs, bullets for sections and texts, and numbers for records', () => {
    expect(renderer.render(SAMPLE)).toBe(`## role

You are a careful assistant.

## hint

- Be concise.
- Ask when unsure: \\<b> & "c" are \\*text\\*.\\
  Second line.

## database

- **hint**: PostgreSQL 18
- **constraints**:
  - **hint**:
    - No DELETE without audit
    - UTC only
- **replicas**: 2

## tags

- sql
- audit
- 3
- true

## limits

- **max tokens**: 4096
- **temperature**: 0.25
- **stream**: false
- **stop**:
  - END
  - \\#

## users

1. - **id**: 1
   - **name**: Ada
   - **admin**: true
2. - **id**: 2
   - **name**: Bob
   - **admin**: false

## steps

1. read
2. - plan
   - write
3. - **check**:
     - types
     - tests
4. - **stop**: when done`);
  });

  it('has no content below a name for an empty text, list or section', () => {
    const data = { text: '', list: [], section: {}, texts: ['', 'a'], lists: [[], {}] };
    expect(
      renderer.render([
        { name: 'a', data: '' },
        { name: 'b', data },
      ]),
    ).toBe(`## a

## b

- **text**:
- **list**:
- **section**:
- **texts**:

  -
  - a
- **lists**:

  1.
  2.`);
  });

  it('indents the content of an item with a two-digit number', () => {
    const fragments = [{ name: 'n', data: Array.from({ length: 10 }, (_, n) => ({ n, of: [n] })) }];
    expect(renderer.render(fragments)).toMatch(/\n10\. - \*\*n\*\*: 9\n {4}- \*\*of\*\*:\n {6}- 9$/);
    expectSame(fragments);
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
