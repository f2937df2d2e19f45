import { cut } from './cut.js';
import { prefixPattern, readPattern, wordsPattern } from './terms.js';
import { words } from './words.js';

export interface SearchQuery {
  /** Substrings that the indexed terms of a text must have, all of them, at most 32. An empty list finds nothing. */
  readonly required: readonly string[];
  /** Substrings that no indexed term may have, at most 32. */
  readonly excluded: readonly string[];
  /**
   * Single words that every text with the required patterns has, the longest first, at most 32: the query of an
   * index, before the patterns decide.
   */
  readonly index: readonly IndexTerm[];
}

/** A complete indexed term, or the prefix of one. */
export interface IndexTerm {
  readonly term: string;
  readonly isPrefix: boolean;
}

/** Maximum used length of a query, in UTF-16 units. */
export const MAX_QUERY_LENGTH = 10_000;
/**
 * The longest phrase that is searched as a whole, in words: SQL Server's patterns have 4,000 characters, its words 65.
 */
const MAX_PHRASE_LENGTH = 50;
/** Maximum number of required and of excluded patterns: each scans a whole text. */
const MAX_PATTERNS = 32;
const MAX_INDEX_TERMS = 32;

const LETTER = String.raw`[\p{L}\p{N}\p{M}]`;
/** A minus excludes only at the beginning of a chunk, directly before its text or quotes. */
const MINUS = String.raw`(?<minus>(?<!\S)-(?=${LETTER}|"[^"]*"))`;
const PHRASE = String.raw`"(?<phrase>[^"]*)"`;
/** A quote after a letter or digit opens no phrase: 6"x4". An unclosed quote is ignored. */
const TEXT = String.raw`(?<text>(?:[^\s"]|(?<=${LETTER})")+)`;
const CHUNK = new RegExp(`${MINUS}?(?:${PHRASE}|${TEXT})`, 'gu');
const ENDS_IN_STAR = new RegExp(String.raw`${LETTER}\*$`, 'u');

/**
 * Parses the query of a user: words, "phrases", prefixes*, and -what -"is not" -wanted*. Everything else is text,
 * including AND, OR and parentheses. Never throws for any string; ignores text after 10,000 UTF-16 units and patterns
 * after 32.
 */
export function parseQuery(query: string): SearchQuery {
  const required = new Set<string>();
  const excluded = new Set<string>();
  for (const { groups = {} } of cut(query, MAX_QUERY_LENGTH).matchAll(CHUNK)) {
    const { minus, phrase, text = '' } = groups;
    const hasStar = phrase === undefined && ENDS_IN_STAR.test(text);
    // Only the beginning of a long excluded phrase, otherwise texts with another part of it would be excluded, too.
    if (minus === undefined) addTo(required, patternsOf(phrase ?? text, hasStar));
    else addTo(excluded, patternsOf(phrase ?? text, hasStar, MAX_PHRASE_LENGTH));
  }
  return { required: [...required], excluded: [...excluded], index: indexTerms(required) };
}

/** Whether a text matches, from its indexed terms: the reference for all databases. */
export function matches(terms: string, { required, excluded }: SearchQuery): boolean {
  const has = (pattern: string): boolean => terms.includes(pattern);
  return required.length > 0 && required.every(has) && !excluded.some(has);
}

/** Adds patterns up to the maximum. Duplicates do not count. */
function addTo(patterns: Set<string>, more: readonly string[]): void {
  for (const pattern of more) if (patterns.size < MAX_PATTERNS) patterns.add(pattern);
}

/**
 * A chunk is a phrase of its words (what's, foo-bar, 3.14), and with a star at its end a prefix.
 * @param limit maximum number of words
 */
function patternsOf(chunk: string, hasStar: boolean, limit = Infinity): string[] {
  const found = [...words(chunk)].slice(0, limit);
  const last = found.at(-1);
  if (last === undefined) return [];
  // A single character is a prefix of its pairs; a pair is complete.
  const isPrefix = hasStar ? last.kind !== 'pair' : last.kind === 'character' && found.length === 1;
  if (isPrefix) found.pop();
  const patterns = phrasePatterns(found.map(({ stem }) => stem));
  return isPrefix ? [...patterns, prefixPattern(last.form)] : patterns;
}

/** A long phrase becomes several, each beginning with the last word of the one before. */
function phrasePatterns(stems: readonly string[]): string[] {
  const patterns: string[] = [];
  for (let rest = stems; rest.length > 0;) {
    patterns.push(wordsPattern(rest.slice(0, MAX_PHRASE_LENGTH)));
    rest = rest.length > MAX_PHRASE_LENGTH ? rest.slice(MAX_PHRASE_LENGTH - 1) : [];
  }
  return patterns;
}

function indexTerms(patterns: Iterable<string>): IndexTerm[] {
  const found = new Map<string, IndexTerm>();
  for (const pattern of patterns) {
    const { terms, isPrefix } = readPattern(pattern);
    for (const term of terms) found.set(isPrefix ? prefixPattern(term) : wordsPattern([term]), { term, isPrefix });
  }
  const longestFirst = [...found.values()].sort((one, other) => other.term.length - one.term.length);
  return longestFirst.slice(0, MAX_INDEX_TERMS);
}
