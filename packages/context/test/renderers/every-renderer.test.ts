/** Each renderer: independent parsers read the original content of any fragments. */
import { decode } from '@toon-format/toon';
import fc from 'fast-check';
import { parse } from 'toml';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../src/conversation/text/canonical-json.js';
import { runs } from '../../../../test/support/effort.js';
import { ContextError } from '../../src/errors.js';
import type { ContextFragment } from '../../src/fragments/fragment.js';
import { MarkdownRenderer } from '../../src/renderers/markdown-renderer.js';
import { TomlRenderer } from '../../src/renderers/toml-renderer.js';
import { ToonRenderer } from '../../src/renderers/toon-renderer.js';
import { XmlRenderer } from '../../src/renderers/xml-renderer.js';
import { anyFragments } from './any-fragments.js';
import { asPlain, expectedSection, type ExpectedSection } from './expected-content.js';
import { everywhere, HARD_NAMES, HOSTILE_TEXTS, named } from './hostile-texts.js';
import { asMarkdown, readMarkdown } from './markdown-reader.js';
import { asXml, readXml } from './xml-reader.js';

interface Format {
  name: string;
  renderer: { render(fragments: ContextFragment[]): string };
  /** Expects the text to have the content. */
  check(text: string, expected: ExpectedSection): void;
  /** Characters that the format cannot hold, as a pattern and as examples. */
  unwritable?: RegExp;
  refused?: readonly string[];
  reason?: string;
}

const FORMATS: Format[] = [
  {
    name: 'Markdown',
    renderer: new MarkdownRenderer(),
    check: (text, expected) => expect(readMarkdown(text)).toEqual(asMarkdown(expected) || { named: [] }),
    unwritable: /\0/,
    refused: ['\0'],
    reason: 'which Markdown cannot hold',
  },
  {
    name: 'TOML',
    renderer: new TomlRenderer(),
    // In any order: tables are last.
    check: (text, expected) =>
      expect(canonicalJson(JSON.stringify(parse(text)))).toBe(canonicalJson(JSON.stringify(asPlain(expected)))),
  },
  {
    name: 'TOON',
    renderer: new ToonRenderer(),
    check: (text, expected) => expect(JSON.stringify(decode(text))).toBe(JSON.stringify(asPlain(expected))),
  },
  {
    name: 'XML',
    renderer: new XmlRenderer(),
    check(text, expected) {
      const content = asXml(expected) || [];
      expect(readXml(text, false)).toEqual(content);
      // With namespaces.
      expect(readXml(text, true)).toEqual(content);
    },
    unwritable: /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/,
    refused: ['\0', '\x01', '\x08', '\x0b', '\x0c', '\x0e', '\x1b', '\x1f', '\ufffe', '\uffff'],
    reason: 'which XML 1.0 cannot hold',
  },
];

describe.each(FORMATS)('$name', ({ renderer, check, unwritable, refused = [], reason }) => {
  const expectSame = (fragments: ContextFragment[]) => {
    const text = renderer.render(fragments);
    check(text, expectedSection(fragments));
    expect(text).not.toMatch(/\n$/);
  };

  it('is empty for no fragments', () => {
    expect(renderer.render([])).toBe('');
    expect(renderer.render([{ name: 'a', data: null }])).toBe('');
  });

  it.each(HOSTILE_TEXTS)('reads %j as text', (text) => expectSame(everywhere(text)));

  it.each(HARD_NAMES)('reads %j as a name', (name) => expectSame(named(name)));

  it('preserves any fragments', () => {
    fc.assert(fc.property(anyFragments(unwritable), expectSame), { numRuns: runs(200) });
  });

  it.each(refused)('refuses %j anywhere', (character) => {
    const texts = fc.string().map((text) => text.replaceAll(new RegExp(unwritable!, 'g'), ''));
    const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const text = before + character + after;
        for (const data of [
          text,
          [text],
          ['x', ['y', text]],
          { a: { b: text } },
          { [text]: 1 },
          { name: text, data: 1 },
        ]) {
          const fragments = [
            { name: 'fine', data: 'fine' },
            { name: 'hint', data },
          ];
          const render = () => renderer.render(fragments);
          expect(render).toThrow(ContextError);
          expect(render).toThrow('Fragment "hint": 1.');
          expect(render).toThrow(`${code}, ${reason}`);
        }
      }),
      { numRuns: 20 },
    );
  });
});
