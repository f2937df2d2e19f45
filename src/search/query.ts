import { cut } from './cut.js';
import { prefixPattern, readPattern, wordsPattern } from './terms.js';
import { words } from './words.js';

/** What a text has to contain to be found. */
export interface SearchQuery {
  /** Substrings that the indexed terms of a text must have, all of them, at most 32. None at all: nothing is found. */
  readonly required: readonly string[];
  /** Substrings that they must not have, none of them, at most 32. */
  readonly excluded: readonly string[];
  /**
   * Single words that every text with the required patterns has, the longest first, at most 32: what to ask an index
   * for, before the patterns decide.
   */
  readonly index: readonly IndexTerm[];
}

/** A term as it stands in the indexed terms, or the beginning of one. */
export interface IndexTerm {
  readonly term: string;
  readonly isPrefix: boolean;
}

/** How much of a query counts, in UTF-16 units. */
export const MAX_QUERY_LENGTH = 10_000;
/** The longest phrase that is looked for as a whole, in words: SQL Server's patterns have 4,000 characters, its words 65. */
const MAX_PHRASE_LENGTH = 50;
/** How many patterns count, of those that are required and of those that are excluded: each goes through all of a text. */
const MAX_PATTERNS = 32;
/** How many terms an index is asked for. */
const MAX_INDEX_TERMS = 32;

const LETTER = String.raw`[\p{L}\p{N}\p{M}]`;
/** A minus excludes at the beginning of a chunk only, and right before its text or quotes. */
const MINUS = String.raw`(?<minus>(?<!\S)-(?=${LETTER}|"[^"]*"))`;
const PHRASE = String.raw`"(?<phrase>[^"]*)"`;
/** A quote behind a letter or digit opens no phrase: 6"x4". One that is never closed is passed over. */
const TEXT = String.raw`(?<text>(?:[^\s"]|(?<=${LETTER})")+)`;
const CHUNK = new RegExp(`${MINUS}?(?:${PHRASE}|${TEXT})`, 'gu');
const ENDS_IN_STAR = new RegExp(String.raw`${LETTER}\*$`, 'u');

/**
 * What someone means who types this: words, "phrases", beginnings*, and -what -"is not" -wanted*. All else is text, AND,
 * OR and parentheses too. Never throws, and takes any string; what comes after 10,000 UTF-16 units is not read, and what
 * comes after 32 patterns does not count.
 */
export function parseQuery(query: string): SearchQuery {
  const required = new Set<string>();
  const excluded = new Set<string>();
  for (const { groups = {} } of cut(query, MAX_QUERY_LENGTH).matchAll(CHUNK)) {
    const { minus, phrase, text = '' } = groups;
    const hasStar = phrase === undefined && ENDS_IN_STAR.test(text);
    // Of a long excluded phrase the beginning alone, or a text with another part of it would be left out too.
    if (minus === undefined) addTo(required, patternsOf(phrase ?? text, hasStar));
    else addTo(excluded, patternsOf(phrase ?? text, hasStar, MAX_PHRASE_LENGTH));
  }
  return { required: [...required], excluded: [...excluded], index: indexTerms(required) };
}

/** Whether a text is found, given its indexed terms: what the databases have to agree with. */
export function matches(terms: string, { required, excluded }: SearchQuery): boolean {
  const has = (pattern: string): boolean => terms.includes(pattern);
  return required.length > 0 && required.every(has) && !excluded.some(has);
}

/** Those that count. One that is there already takes no place of another. */
function addTo(patterns: Set<string>, more: readonly string[]): void {
  for (const pattern of more) if (patterns.size < MAX_PATTERNS) patterns.add(pattern);
}

/**
 * A chunk is a phrase of the words in it (what's, foo-bar, 3.14); at the star that it may end in, a beginning.
 * @param limit how many of its words count
 */
function patternsOf(chunk: string, hasStar: boolean, limit = Infinity): string[] {
  const found = [...words(chunk)].slice(0, limit);
  const last = found.at(-1);
  if (last === undefined) return [];
  // One character alone is the beginning of the pairs that it is in; a pair is whole, and has no more to come.
  const isPrefix = hasStar ? last.kind !== 'pair' : last.kind === 'character' && found.length === 1;
  if (isPrefix) found.pop();
  const patterns = phrasePatterns(found.map(({ stem }) => stem));
  return isPrefix ? [...patterns, prefixPattern(last.form)] : patterns;
}

/** A long phrase is several, of which each begins with the word that the one before ends with. */
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
