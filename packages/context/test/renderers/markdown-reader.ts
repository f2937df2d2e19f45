import { Parser, type Node } from 'commonmark';
import { onlyOf, ExpectedSection, type Expected } from './expected-content.js';

/** Markdown has no types: an empty string, list and section look the same. */
export type MarkdownContent = string | MarkdownContent[] | { named: [name: string, MarkdownContent][] };

/** Reads headings and their content with CommonMark's parser; any other Markdown is an error. */
export function readMarkdown(markdown: string): MarkdownContent {
  const named: [string, MarkdownContent][] = [];
  let blocks = childrenOf(new Parser().parse(markdown));
  while (blocks.length > 0) {
    const heading = expectType(blocks[0], 'heading');
    if (heading.level !== 2) throw new Error(`There is a heading of level ${heading.level}`);
    const next = blocks.findIndex((block, index) => index > 0 && block.type === 'heading');
    const end = next === -1 ? blocks.length : next;
    named.push([textOf(childrenOf(heading)), contentOf(blocks.slice(1, end))]);
    blocks = blocks.slice(end);
  }
  return { named };
}

function contentOf(blocks: Node[]): MarkdownContent {
  const [block, ...others] = blocks;
  if (block === undefined) return '';
  if (others.length > 0) throw new Error(`There is a ${others[0]!.type} too many`);
  if (block.type === 'paragraph') return textOf(childrenOf(block));
  const items = childrenOf(expectType(block, 'list')).map((item) => childrenOf(expectType(item, 'item')));
  if (items.every(([first]) => first !== undefined && isName(first.firstChild))) return { named: items.map(namedOf) };
  return items.map(contentOf);
}

function isName(node: Node | null): boolean {
  return node?.type === 'strong' || node?.type === 'emph';
}

function namedOf([line, ...below]: Node[]): [string, MarkdownContent] {
  const [name, ...inline] = childrenOf(expectType(line, 'paragraph'));
  const text = textOf(inline);
  if (text !== ':' && !text.startsWith(': ')) throw new Error(`There is no colon: ${JSON.stringify(text)}`);
  const content = text === ':' ? contentOf(below) : text.slice(2);
  if (text !== ':' && below.length > 0) throw new Error('There is something below a text');
  const written = textOf(childrenOf(name!));
  if (name!.type === 'strong') return [written, content];
  if (written !== '(no name)') throw new Error(`There is emphasis: ${written}`);
  return ['', content];
}

function textOf(inline: Node[]): string {
  return inline.map((node) => (node.type === 'linebreak' ? '\n' : expectType(node, 'text').literal)).join('');
}

function expectType(node: Node | undefined, type: Node['type']): Node {
  if (node?.type !== type) throw new Error(`There is a ${node?.type} where a ${type} should be: ${node?.literal}`);
  return node;
}

function childrenOf(parent: Node): Node[] {
  const children: Node[] = [];
  for (let child = parent.firstChild; child !== null; child = child.next) children.push(child);
  return children;
}

/** Converts the expected content for comparison. */
export function asMarkdown(expected: Expected): MarkdownContent {
  if (expected instanceof ExpectedSection) {
    if (expected.entries.length === 0) return '';
    return { named: expected.entries.map(([name, values]) => [name, asMarkdown(onlyOf(values))]) };
  }
  if (!Array.isArray(expected)) return String(expected);
  return expected.length === 0 ? '' : expected.map(asMarkdown);
}
