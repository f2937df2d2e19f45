import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContextError } from '../../src/errors.js';
import { XmlRenderer } from '../../src/renderers/xml-renderer.js';
import { runs } from '../../../../test/support/effort.js';
import { anyFragments } from './any-fragments.js';
import { everywhere, HARD_NAMES, HOSTILE_TEXTS, named } from './hostile-texts.js';
import { expectedSection } from './expected-content.js';
import { SAMPLE } from './sample-fragments.js';
import { asXml, readXml } from './xml-reader.js';

const renderer = new XmlRenderer();
const UNWRITABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** Expects strict parsers, one of them with namespaces, to read the original content. */
function expectSame(fragments: Parameters<typeof expectedSection>[0]): void {
  const xml = renderer.render(fragments);
  const expected = asXml(expectedSection(fragments)) || [];
  expect(readXml(xml, false)).toEqual(expected);
  expect(readXml(xml, true)).toEqual(expected);
  expect(xml).not.toMatch(/\n$/);
}

describe('XML', () => {
  it('nests elements, with each text unchanged', () => {
    expect(renderer.render(SAMPLE)).toBe(`<role>You are a careful assistant.</role>
<hint>Be concise.</hint>
<hint>Ask when unsure: &lt;b&gt; &amp; "c" are *text*.
Second line.</hint>
<database>
  <hint>PostgreSQL 18</hint>
  <constraints>
    <hint>No DELETE without audit</hint>
    <hint>UTC only</hint>
  </constraints>
  <replicas>2</replicas>
</database>
<tags>
  <item>sql</item>
  <item>audit</item>
  <item>3</item>
  <item>true</item>
</tags>
<limits>
  <entry name="max tokens">4096</entry>
  <temperature>0.25</temperature>
  <stream>false</stream>
  <stop>
    <item>END</item>
    <item>#</item>
  </stop>
</limits>
<users>
  <item>
    <id>1</id>
    <name>Ada</name>
    <admin>true</admin>
  </item>
  <item>
    <id>2</id>
    <name>Bob</name>
    <admin>false</admin>
  </item>
</users>
<steps>
  <item>read</item>
  <item>
    <item>plan</item>
    <item>write</item>
  </item>
  <item>
    <check>
      <item>types</item>
      <item>tests</item>
    </check>
  </item>
  <item>
    <stop>when done</stop>
  </item>
</steps>`);
  });

  it('is empty for no fragments', () => {
    expect(renderer.render([])).toBe('');
    expect(renderer.render([{ name: 'a', data: null }])).toBe('');
  });

  it('has an empty element for an empty text, list or section', () => {
    const fragments = [
      { name: 'text', data: '' },
      { name: 'list', data: [] },
      { name: 'section', data: {} },
      { name: 'within', data: [[], null, {}] },
    ];
    expect(renderer.render(fragments)).toBe(`<text></text>
<list></list>
<section></section>
<within>
  <item></item>
  <item></item>
</within>`);
  });

  it('writes a name that is invalid for an element as an attribute', () => {
    const names = ['max tokens', '1st', 'a:b', 'XML-schema', 'say "&<>"', 'two\r\n\tlines', '😀'];
    expect(renderer.render(names.map((name) => ({ name, data: 1 })))).toBe(`<entry name="max tokens">1</entry>
<entry name="1st">1</entry>
<entry name="a:b">1</entry>
<entry name="XML-schema">1</entry>
<entry name="say &quot;&amp;&lt;&gt;&quot;">1</entry>
<entry name="two&#13;&#10;&#9;lines">1</entry>
<entry name="😀">1</entry>`);
  });

  it('has a plain name as an element, and any other name as an attribute', () => {
    for (const name of ['_', 'a-b.c', 'styleGuide', 'x1', 'item', 'entry']) {
      expect(renderer.render([{ name, data: 1 }])).toBe(`<${name}>1</${name}>`);
    }
    // Parsers accept different letters beyond ASCII.
    for (const name of ['größe', '漢字', 'Știri', '\ufeffx', 'xmlns', '1st', '-a']) {
      expect(renderer.render([{ name, data: 1 }])).toBe(`<entry name="${name}">1</entry>`);
    }
  });

  it.each(HOSTILE_TEXTS)('reads %j as text', (text) => expectSame(everywhere(text)));

  it.each(HARD_NAMES)('reads %j as a name', (name) => expectSame(named(name)));

  it('preserves any fragments', () => {
    fc.assert(fc.property(anyFragments(UNWRITABLE), expectSame), { numRuns: runs(200) });
  });

  it('refuses characters that XML does not allow, anywhere', () => {
    const characters = fc.constantFrom(
      '\0',
      '\x01',
      '\x08',
      '\x0b',
      '\x0c',
      '\x0e',
      '\x1b',
      '\x1f',
      '\ufffe',
      '\uffff',
    );
    const texts = fc.string().map((text) => text.replaceAll(new RegExp(UNWRITABLE, 'g'), ''));
    fc.assert(
      fc.property(characters, texts, texts, (character, before, after) => {
        const text = before + character + after;
        const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
        for (const data of [
          text,
          [text],
          ['x', ['y', text]],
          { a: { b: text } },
          { [text]: 1 },
          { name: text, data: 1 },
        ]) {
          const render = () =>
            renderer.render([
              { name: 'fine', data: 'fine' },
              { name: 'hint', data },
            ]);
          expect(render).toThrow(ContextError);
          expect(render).toThrow(`Fragment "hint": 1.`);
          expect(render).toThrow(`${code}, which XML 1.0 cannot hold`);
        }
      }),
    );
  });

  it('reports the position of such a character', () => {
    const data = [{ name: 'limits', data: ['a', { stop: ['b', '\x1b[0m'] }] }];
    const render = () => renderer.render([{ name: 'hint', data }]);
    expect(render).toThrow('Fragment "hint": 0.data.0.data.1.stop.1 has U+001B, which XML 1.0 cannot hold');
    expect(render).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', path: '0.data.0.data.1.stop.1' }));
  });
});
