import { describe, expect, it } from 'vitest';
import { XmlRenderer } from '../../src/renderers/xml-renderer.js';
import { SAMPLE } from './sample-fragments.js';

const renderer = new XmlRenderer();

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

  it('reports the position of such a character', () => {
    const data = [{ name: 'limits', data: ['a', { stop: ['b', '\x1b[0m'] }] }];
    const render = () => renderer.render([{ name: 'hint', data }]);
    expect(render).toThrow('Fragment "hint": 0.data.0.data.1.stop.1 has U+001B, which XML 1.0 cannot hold');
    expect(render).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', path: '0.data.0.data.1.stop.1' }));
  });
});
