/**
 * The format of indexed terms, in which one substring search finds them in every database. Each term has a space on
 * both sides: `Running shoes` is ` run  shoe `. A word is found as ` run `, a phrase as ` run  shoe `, and a prefix as
 * ` ru`.
 */
import { words } from './words.js';

/** Precedes each form after the stems. Not a word of any text, so no phrase matches across it. */
const BREAK = '.';

/**
 * The indexed form of a text: the stems of its words in order, followed by the forms that differ from their stems, once
 * each and each after a full stop. `Running shoes` is ` run  shoe  .  running  .  shoes `.
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
  const suffix = Array.from(forms, (form) => wordsPattern([BREAK, form]));
  return { terms: wordsPattern(stems) + suffix.join(''), length: stems.length };
}

/** The different terms of a text: each that a pattern of one word can find in its indexed form. */
export function indexedWords(text: string): Set<string> {
  const found = new Set<string>();
  for (const { form, stem } of words(text)) found.add(form).add(stem);
  return found;
}

/** The substring of consecutive stems. */
export function wordsPattern(stems: readonly string[]): string {
  return ` ${stems.join('  ')} `;
}

/** The substring of a word with this prefix. */
export function prefixPattern(form: string): string {
  return ` ${form}`;
}

export function readPattern(pattern: string): { terms: string[]; isPrefix: boolean } {
  return { terms: pattern.trim().split('  '), isPrefix: !pattern.endsWith(' ') };
}
