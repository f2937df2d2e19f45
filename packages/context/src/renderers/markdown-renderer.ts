import { Section, type Entry, type FragmentNode } from '../fragments/fragment-tree.js';
import { ContextRenderer } from './context-renderer.js';
import { escapeInOneLine, escapeLine } from './markdown-text.js';

/** CommonMark reads U+FFFD in its place. */
const NOT_IN_MARKDOWN = { format: 'Markdown', characters: /\u0000/ };

/**
 * Writes fragments as Markdown, each name at the top as a heading. Below it a text is a paragraph, and a section or a
 * list of texts a bullet list (`- **name**: value`); any other list is numbered, so that its records stay apart.
 * Characters with a meaning in Markdown are escaped.
 */
export class MarkdownRenderer extends ContextRenderer {
  protected override readonly unwritable = NOT_IN_MARKDOWN;

  protected write(section: Section): string {
    const lines: string[] = [];
    for (const entry of section.entries) {
      if (lines.length > 0) lines.push('');
      lines.push(`## ${escapeInOneLine(entry.name)}`.trimEnd());
      const value = valueOf(entry);
      if (isEmpty(value)) continue;
      lines.push('');
      writeBlock(value, { first: '', rest: '' }, lines);
    }
    return lines.join('\n');
  }
}

/** The prefix of the first line of a block, and of the others. */
interface Indent {
  first: string;
  rest: string;
}

/** A paragraph or a list; nothing for an empty value. */
function writeBlock(node: FragmentNode, indent: Indent, lines: string[]): void {
  if (node instanceof Section) {
    for (const [index, entry] of node.entries.entries()) writeEntry(entry, itemIndent(indent, index, '-'), lines);
  } else if (Array.isArray(node)) {
    const isNumbered = node.some(isNested);
    for (const [index, each] of node.entries()) {
      const item = itemIndent(indent, index, isNumbered ? `${index + 1}.` : '-');
      if (isEmpty(each)) lines.push(item.first.trimEnd());
      else writeBlock(each, item, lines);
    }
  } else if (node !== '') {
    writeText(linesOf(String(node), true), indent, lines);
  }
}

function itemIndent({ first, rest }: Indent, index: number, marker: string): Indent {
  return { first: `${index === 0 ? first : rest}${marker} `, rest: rest + ' '.repeat(marker.length + 1) };
}

/** `- **name**: value`, or the name and its list below. */
function writeEntry(entry: Entry, indent: Indent, lines: string[]): void {
  const name = nameOf(entry);
  const value = valueOf(entry);
  if (!isNested(value) && value !== '') {
    const [first = '', ...others] = linesOf(String(value), false);
    writeText([`${name}: ${first}`, ...others], indent, lines);
    return;
  }
  lines.push(`${indent.first}${name}:`);
  // An empty item does not begin a list right after a paragraph.
  if (Array.isArray(value) && value[0] !== undefined && isEmpty(value[0])) lines.push('');
  writeBlock(value, { first: indent.rest, rest: indent.rest }, lines);
}

/** Lines of one paragraph, with breaks between them. */
function writeText(text: readonly string[], { first, rest }: Indent, lines: string[]): void {
  for (const [index, line] of text.entries()) {
    lines.push((index === 0 ? first : rest) + line + (index < text.length - 1 ? '\\' : ''));
  }
}

/** The lines of a text, escaped. */
function linesOf(text: string, startsLine: boolean): string[] {
  const lines = text.split('\n');
  // A break at the end of a paragraph has no effect.
  if (lines.at(-1) === '' && lines.length > 1) lines.splice(-2, 2, `${lines.at(-2)}\n`);
  return lines.map((line, index) => escapeLine(line, startsLine || index > 0));
}

/** Several values of one name are a list. */
function valueOf({ values }: Entry): FragmentNode {
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values;
}

/** Bold. Markdown cannot write an empty name in bold: it is in italics, which no other name is. */
function nameOf({ name }: Entry): string {
  return name === '' ? '*(no name)*' : `**${escapeInOneLine(name)}**`;
}

function isNested(node: FragmentNode): node is FragmentNode[] | Section {
  return typeof node === 'object';
}

function isEmpty(node: FragmentNode): boolean {
  if (node instanceof Section) return node.entries.length === 0;
  return Array.isArray(node) ? node.length === 0 : node === '';
}
