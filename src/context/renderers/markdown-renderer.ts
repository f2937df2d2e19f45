import type { BlockContent, List, ListItem, Paragraph, PhrasingContent, Root, Text } from 'mdast';
import { defaultHandlers, toMarkdown, type Handle, type Options } from 'mdast-util-to-markdown';
import { Section, type Entry, type FragmentNode } from '../fragments/fragment-tree.js';
import { ContextRenderer } from './context-renderer.js';
import { escapeInOneLine, escapeLine } from './markdown-text.js';

/** CommonMark has U+FFFD read in its place. */
const NOT_IN_MARKDOWN = { format: 'Markdown', characters: /\u0000/ };

/**
 * Writes fragments as Markdown, each name at the top as a heading. Below it a text is a paragraph, a section a bullet list
 * (`- **name**: value`), a list of texts a bullet list too; any other list is numbered, so that its records stay apart.
 * Text is text: whatever means something in Markdown is escaped.
 */
export class MarkdownRenderer extends ContextRenderer {
  protected override readonly unwritable = NOT_IN_MARKDOWN;

  protected write(section: Section): string {
    const root: Root = { type: 'root', children: section.entries.flatMap(blocksOfEntry) };
    return toMarkdown(root, OPTIONS).replace(/\n$/, '');
  }
}

function blocksOfEntry(entry: Entry): Root['children'] {
  return [
    { type: 'heading', depth: 2, children: [{ type: 'text', value: escapeInOneLine(entry.name) }] },
    ...blocksOf(valueOf(entry)),
  ];
}

/** Several values of one name read as a list of them. */
function valueOf({ values }: Entry): FragmentNode {
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values;
}

/** What stands below a heading, or in an item of a list; nothing for an empty text, list or section. */
function blocksOf(node: FragmentNode): BlockContent[] {
  if (node instanceof Section) return list(false, node.entries.map(namedItem));
  if (Array.isArray(node)) {
    const items = node.map((each) => item(blocksOf(each)));
    return list(node.some(isNested), items);
  }
  return node === '' ? [] : [paragraph(linesOf(String(node)))];
}

function list(ordered: boolean, children: ListItem[]): List[] {
  return children.length === 0 ? [] : [{ type: 'list', ordered, spread: false, children }];
}

function item(children: BlockContent[]): ListItem {
  return { type: 'listItem', spread: false, children };
}

function namedItem(entry: Entry): ListItem {
  const name = nameOf(entry);
  const value = valueOf(entry);
  if (isNested(value) || value === '') return item([paragraph([name, text(':')]), ...blocksOf(value)]);
  return item([paragraph([name, ...linesOf(String(value), ': ')])]);
}

/** Bold; in italics that there is no name, which Markdown cannot write in bold, and which nothing else is in. */
function nameOf({ name }: Entry): PhrasingContent {
  if (name === '') return { type: 'emphasis', children: [text('(no name)')] };
  return { type: 'strong', children: [text(escapeInOneLine(name))] };
}

function isNested(node: FragmentNode): node is FragmentNode[] | Section {
  return typeof node === 'object';
}

/** The lines of a text with breaks between them. */
function linesOf(value: string, prefix = ''): PhrasingContent[] {
  const lines = value.split('\n');
  // A break at the end of a paragraph is none.
  if (lines.at(-1) === '' && lines.length > 1) lines.splice(-2, 2, `${lines.at(-2)}\n`);
  return lines.flatMap((line, index) => {
    if (index === 0) return [text(prefix + escapeLine(line, prefix === ''))];
    return [{ type: 'break' } as const, text(escapeLine(line, true))];
  });
}

function paragraph(children: PhrasingContent[]): Paragraph {
  return { type: 'paragraph', children };
}

/** A text of the tree: Markdown already. */
function text(value: string): Text {
  return { type: 'text', value };
}

/** The text of the tree is escaped where it is put in, see escapeLine. */
const escapedText: Handle = (node: Text) => node.value;

/** As the default, which looks for the item in its list to number it: that takes longer with each item. */
const numberedItem: Handle = (node: ListItem, parent, state, info) => {
  const start = (state.indexStack.at(-1) ?? 0) + 1;
  const isOrdered = parent?.type === 'list' && parent.ordered === true;
  return defaultHandlers.listItem(node, isOrdered ? { ...parent, start, children: [node] } : parent, state, info);
};

const OPTIONS: Options = { bullet: '-', handlers: { text: escapedText, listItem: numberedItem } };
