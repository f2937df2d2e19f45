import { decodeHTMLStrict } from 'entities';
import { Parser } from 'htmlparser2';

const LINES = /^(?:br|p|div|li|h\d|tr|pre)$/;
const HIDDEN = /^(?:script|style)$/;
/** Nested elements, each of which slows the next one. */
const MAX_DEPTH = 2000;

/** The text of HTML, with a line for each block. HTML that nests too deep is returned unchanged. */
export function htmlText(html: string): string {
  const output: string[] = [];
  let depth = 0;
  let hidden = 0;
  let isInRow = false;
  const parser = new Parser({
    onopentag(name) {
      if (++depth > MAX_DEPTH) parser.pause();
      if (HIDDEN.test(name)) hidden++;
      if (name === 'li') output.push('- ');
      if (name === 'tr') isInRow = false;
      if (name !== 'td' && name !== 'th') return;
      if (isInRow) output.push('\t');
      isInRow = true;
    },
    ontext(text) {
      const words = output.at(-1) === '\n' ? text.trimStart() : text;
      if (hidden === 0 && words !== '') output.push(words);
    },
    onclosetag(name) {
      depth--;
      if (HIDDEN.test(name)) hidden--;
      if (!LINES.test(name)) return;
      const last = output.pop() ?? '';
      output.push(last === '\n' ? last : last.trimEnd(), '\n');
    },
  });
  parser.write(html);
  if (depth > MAX_DEPTH) return html;
  parser.end();
  return output.join('').trim();
}

/** Decodes the HTML entities of a text. */
export function unescapedHtml(text: string): string {
  return decodeHTMLStrict(text);
}
