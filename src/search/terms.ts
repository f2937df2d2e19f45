/**
 * How words are written down so that one search for a substring finds them, the same in every database.
 *
 * Each stands between two spaces of its own: `Running shoes` is ` run  shoe `. Then a word is found as ` run `, a phrase
 * as ` run  shoe `, and what begins in some way as ` ru`, with no space behind.
 */
import { words } from './words.js';

/** Stands before each form behind the stems. No text has it for a word, so that no phrase is found across it. */
const BREAK = '.';

/**
 * A text as it is indexed: the stems of all its words in their order, and behind them, each after a full stop, the forms
 * that differ from their stems, once each. `Running shoes` is ` run  shoe  .  running  .  shoes `.
 *
 * @returns the terms ('' for a text without words) and the number of its words
 */
export function indexedTerms(text: string): { terms: string; length: number } {
  const stems: string[] = [];
  const forms = new Set<string>();
  for (const { form, stem } of words(text)) {
    stems.push(stem);
    if (form !== stem) forms.add(form);
  }
  if (stems.length === 0) return { terms: '', length: 0 };
  const behind = Array.from(forms, (form) => wordsPattern([BREAK, form]));
  return { terms: wordsPattern(stems) + behind.join(''), length: stems.length };
}

/** The substring that is there where these stems follow each other. */
export function wordsPattern(stems: readonly string[]): string {
  return ` ${stems.join('  ')} `;
}

/** The substring that is there where a word begins with this form. */
export function prefixPattern(form: string): string {
  return ` ${form}`;
}

/** What a pattern was made of. */
export function readPattern(pattern: string): { terms: string[]; isPrefix: boolean } {
  return { terms: pattern.trim().split('  '), isPrefix: !pattern.endsWith(' ') };
}
