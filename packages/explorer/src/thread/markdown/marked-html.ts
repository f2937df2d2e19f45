/** Marks the words of rendered Markdown that another version lacks. It runs in the worker of render-markdown.ts. */
import { diffArrays } from 'diff';
import { markdownHtml } from './markdown-html.js';
import type { Versus } from './versus.js';

/** More changes take too long to find: they are almost everything. */
const DIFF_TIMEOUT_MS = 500;
/** The smallest part of two texts that must be equal for marks to help. */
const MIN_EQUAL = 0.3;

/** Elements, whole formulas, and the controls of a code block: all that must not be split. */
const MARKUP =
  /(<span class="maths">[^]*?<\/math><\/span><\/span>|<button[^>]*>[^<]*<\/button><small>[^<]*<\/small>|<[^>]*>)/;
const ENTITY = /(&#?\w+;)/;

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * The HTML of a text, in which `<ins class="change">` or `<del class="change">` surround words that the other version lacks.
 * Without marks, and after a note, if the versions have little in common.
 * @returns null when the text cannot be rendered within the bounds
 */
export async function markedHtml(text: string, { other, isNewer, isForced }: Versus): Promise<string | null> {
  const [html, otherHtml] = [await markdownHtml(text), await markdownHtml(other)];
  if (html === null) return null;
  const pieces = piecesOf(html);
  const sides = [otherHtml === null ? [] : piecesOf(otherHtml).filter(isWord), pieces.filter(isWord)];
  if (!isNewer) sides.reverse();
  const [older = [], newer = []] = sides;
  const found = otherHtml === null ? undefined : diffArrays(older, newer, { timeout: DIFF_TIMEOUT_MS });
  const size = (words: readonly string[]) => words.reduce((sum, word) => sum + word.length, 0);
  const equal = size(found?.flatMap(({ value, added, removed }) => (added || removed ? [] : value)) ?? []);
  if (found === undefined || (!isForced && equal < MIN_EQUAL * Math.max(size(older), size(newer)))) {
    return `<p class="whole">Little in common: words are not marked.</p>${html}`;
  }
  const isChanged = found
    .filter(({ added, removed }) => !(isNewer ? removed : added))
    .flatMap(({ value, added, removed }) => value.map(() => added || removed));
  return marked(pieces, isChanged, isNewer ? 'ins' : 'del');
}

/** Tags and formulas, words, and spaces. Words are escaped, so that only markup begins with `<`. */
const piecesOf = (html: string): string[] =>
  html
    .split(MARKUP)
    .flatMap((part) => (part.startsWith('<') ? part : part.split(ENTITY).flatMap(wordsOf)))
    .filter((piece) => piece !== '');

const wordsOf = (text: string): string[] =>
  ENTITY.test(text) ? [text] : Array.from(segmenter.segment(text), ({ segment }) => segment);

const isFormula = (piece: string): boolean => piece.startsWith('<span class="maths">');
const isWord = (piece: string): boolean => isFormula(piece) || !(piece.startsWith('<') || piece.trim() === '');

/** Changed words with the spaces between them are in one element, unless markup is between them. */
function marked(pieces: readonly string[], isChanged: readonly boolean[], tag: 'ins' | 'del'): string {
  let html = '';
  /** Spaces after a changed word, while its element is open. */
  let spaces: string | null = null;
  let word = 0;
  const close = () => {
    if (spaces !== null) html += `</${tag}>${spaces}`;
    spaces = null;
  };
  for (const piece of pieces) {
    if (isWord(piece) && isChanged[word++]) {
      html += `${spaces ?? `<${tag} class="change">`}${piece}`;
      spaces = '';
    } else if (spaces !== null && piece.trim() === '') {
      spaces += piece;
    } else {
      close();
      html += piece;
    }
  }
  close();
  return html;
}
