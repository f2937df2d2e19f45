/** Converts the HTML of an answer to Markdown. */
import { createRequire } from 'node:module';
import { escapeAttribute, escapeText } from 'entities';
import { Parser } from 'htmlparser2';
import type TurndownService from 'turndown';

const MAX_CHARACTERS = 512 * 1024;
/** The converter recurses into each level. */
const MAX_DEPTH = 100;
const MAX_ELEMENTS = 10_000;
/** Rows and cells: the time of the converter grows with their square. */
const MAX_TABLE_ELEMENTS = 1000;

const TABLE_ELEMENTS = new Set(['tr', 'td', 'th']);
const HIDDEN = new Set(['script', 'style']);
/** Elements with a meaning in Markdown; of others, the content is kept. */
const KEPT =
  /^(?:a|b|blockquote|br|code|del|div|em|h[1-6]|hr|i|img|input|li|ol|p|s|section|strike|strong|table|tbody|td|tfoot|th|thead|tr|ul)$/;
const VOID = new Set(['br', 'hr', 'img', 'input']);
const ATTRIBUTES = new Set(['href', 'src', 'alt', 'title', 'start', 'type', 'checked', 'align']);
/** Formulas, whose backslashes and underscores are not Markdown. */
const FORMULA = /(\$\$[^$]+\$\$|\$[^$\n]+\$)/;

let converter: TurndownService | undefined;

/** Loads Turndown with the first answer of HTML: its DOM is slow to load. */
function createConverter(): TurndownService {
  const require = createRequire(import.meta.url);
  const Turndown = require('turndown') as typeof TurndownService;
  const { gfm } = require('@joplin/turndown-plugin-gfm') as { gfm: TurndownService.Plugin };
  const created = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })
    .use(gfm)
    .addRule('bold', { filter: ['b', 'strong'], replacement: (content) => emphasized(content, '**') })
    .addRule('italic', { filter: ['i', 'em'], replacement: (content) => emphasized(content, '*') });
  const escape = created.escape.bind(created);
  // Underscores within words have no meaning in Markdown; escaped, they would not be found by a search.
  created.escape = (text) =>
    text
      .split(FORMULA)
      .map((part, n) => (n % 2 === 1 ? part : escape(part).replace(/(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}])/gu, '_')))
      .join('');
  return created;
}

/** @returns null when the HTML is too large or nested too deep to be converted */
export function htmlMarkdown(html: string): string | null {
  if (html.length > MAX_CHARACTERS) return null;
  const plain = wellFormed(html);
  return plain === null ? null : (converter ??= createConverter()).turndown(plain);
}

/**
 * The HTML with every element closed and each `pre` as one block of code: the converter's own parser copies open elements
 * into every following one. Null when it exceeds a limit.
 */
function wellFormed(html: string): string | null {
  let text = '';
  let code: { text: string; language: string } | null = null;
  let [depth, elements, tableElements, hidden, pres] = [0, 0, 0, 0, 0];
  const isTooLarge = () => depth > MAX_DEPTH || elements > MAX_ELEMENTS || tableElements > MAX_TABLE_ELEMENTS;
  const parser = new Parser({
    onopentag(name, attributes) {
      depth++;
      elements++;
      if (TABLE_ELEMENTS.has(name)) tableElements++;
      if (isTooLarge()) return parser.pause();
      if (HIDDEN.has(name)) hidden++;
      if (name === 'pre' && pres++ === 0) code = { text: '', language: '' };
      if (code === null) text += KEPT.test(name) ? openTag(name, attributes) : '';
      else if (name === 'br') code.text += '\n';
      else code.language ||= /\blanguage-([^\s"]+)/.exec(attributes['class'] ?? '')?.[1] ?? '';
    },
    ontext(words) {
      if (hidden > 0) return;
      if (code === null) text += escapeText(words);
      else code.text += words;
    },
    onclosetag(name) {
      depth--;
      if (HIDDEN.has(name)) hidden--;
      if (name === 'pre' && --pres === 0 && code !== null) {
        const language = escapeAttribute(code.language);
        text += `<pre><code class="language-${language}">${escapeText(code.text)}</code></pre>`;
        code = null;
      } else if (code === null && KEPT.test(name) && !VOID.has(name)) text += `</${name}>`;
    },
  });
  parser.write(html);
  if (isTooLarge()) return null;
  parser.end();
  return text;
}

function openTag(name: string, attributes: Readonly<Record<string, string>>): string {
  const kept = Object.entries(attributes).filter(([key]) => ATTRIBUTES.has(key));
  return `<${name}${kept.map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`).join('')}>`;
}

/** Markdown has no emphasis of blocks. */
function emphasized(content: string, mark: string): string {
  return content.trim() === '' || content.includes('\n\n') ? content : `${mark}${content}${mark}`;
}
