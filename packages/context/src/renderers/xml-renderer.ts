import { Section, type Entry, type FragmentNode } from '../fragments/fragment-tree.js';
import { ContextRenderer } from './context-renderer.js';

/** Not in XML 1.0, not even as a reference: https://www.w3.org/TR/xml/#charsets */
const NOT_IN_XML = { format: 'XML 1.0', characters: /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/ };

/**
 * ASCII names without a colon, which would make a prefix, and not beginning with xml, which XML reserves. Common
 * parsers refuse some letters of XML's fifth edition.
 */
const ELEMENT_NAME = /^(?!xml)[a-z_][a-z0-9_.-]*$/i;

/**
 * Writes fragments as XML elements: `<hint>Be concise.</hint>`. Entries of a section and items of a list (`<item>`) are
 * nested elements, indented by two spaces; several values of one name repeat its element. Text has no added white
 * space. A name that no element can have is an attribute: `<entry name="max tokens">`.
 */
export class XmlRenderer extends ContextRenderer {
  protected override readonly unwritable = NOT_IN_XML;

  protected write(section: Section): string {
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
  return Array.isArray(value) && value.length > 0 ? [{ name: 'item', values: value }] : [];
}

const REFERENCES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Parsers read a line feed for each CR that is not a reference. */
function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, reference);
}

/** In an attribute, parsers also read a space for each tab and line break. */
function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, reference);
}

function reference(character: string): string {
  return REFERENCES[character] ?? `&#${character.charCodeAt(0)};`;
}
