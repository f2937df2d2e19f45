import { Section, type Entry, type FragmentNode } from '../fragments/fragment-tree.js';
import { ContextRenderer } from './context-renderer.js';
import { refuseUnwritable } from './unwritable-characters.js';

/** Not in XML 1.0, not even as a reference: https://www.w3.org/TR/xml/#charsets */
const NOT_IN_XML = { format: 'XML 1.0', characters: /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/ };

/** https://www.w3.org/TR/xml/#NT-NameStartChar, without the colon, which would make a prefix of what stands before it. */
const NAME_START =
  'A-Z_a-z\\u{c0}-\\u{d6}\\u{d8}-\\u{f6}\\u{f8}-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}\\u{200d}' +
  '\\u{2070}-\\u{218f}\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}';
/** A name that is none of those that XML keeps for itself: they begin with xml. */
const ELEMENT_NAME = new RegExp(
  `^(?![xX][mM][lL])[${NAME_START}][${NAME_START}\\-.0-9\\u{b7}\\u{300}-\\u{36f}\\u{203f}\\u{2040}]*$`,
  'u',
);

/**
 * Writes fragments as XML elements: `<hint>Be concise.</hint>`. Entries of a section and items of a list (`<item>`) are
 * elements within, indented by two spaces; several values of one name repeat its element. A text stands in its element
 * exactly. What cannot be the name of an element is written as an attribute: `<entry name="max tokens">`.
 */
export class XmlRenderer extends ContextRenderer {
  /** @throws ContextError for characters that XML 1.0 cannot hold */
  protected write(section: Section): string {
    refuseUnwritable(section, NOT_IN_XML);
    const lines: string[] = [];
    writeEntries(section.entries, '', lines);
    return lines.join('\n');
  }
}

function writeEntries(entries: readonly Entry[], indent: string, lines: string[]): void {
  for (const { name, values } of entries) {
    for (const value of values) writeElement(name, value, indent, lines);
  }
}

function writeElement(name: string, value: FragmentNode, indent: string, lines: string[]): void {
  const [start, end] = ELEMENT_NAME.test(name) ? [name, name] : [`entry name="${escapeAttribute(name)}"`, 'entry'];
  const children = childrenOf(value);
  if (children.length === 0) {
    const text = typeof value === 'object' ? '' : escapeText(String(value));
    lines.push(`${indent}<${start}>${text}</${end}>`);
    return;
  }
  lines.push(`${indent}<${start}>`);
  writeEntries(children, `${indent}  `, lines);
  lines.push(`${indent}</${end}>`);
}

function childrenOf(value: FragmentNode): readonly Entry[] {
  if (value instanceof Section) return value.entries;
  return Array.isArray(value) ? [{ name: 'item', values: value }] : [];
}

const REFERENCES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A parser makes a line feed of each CR that is not a reference. */
function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, reference);
}

/** And, in an attribute, a space of each tab and line break. */
function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, reference);
}

function reference(character: string): string {
  return REFERENCES[character] ?? `&#${character.charCodeAt(0)};`;
}
