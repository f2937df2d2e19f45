import { cut } from './cut.js';
import { finderOf } from './finders.js';
import { excerptOf, type Excerpt, type Span } from './excerpt.js';
import type { SearchQuery } from './query.js';
import { words } from './words.js';

/** Maximum size of a snippet, by the limit reached first; a single longer word is cut. */
const MAX_WORDS = 30;
const MAX_LENGTH = 240;
/** Words to read after the first occurrence, in search of a better passage. */
const LOOK_AHEAD = 200;

/** Words to read without a pause, which takes some milliseconds. */
const WORDS_AT_ONCE = 1000;

/** Enough occurrences to choose from: reading stops at the end of a possible snippet after the last one. */
const ENOUGH_OCCURRENCES = 1000;

/** A passage by numbers of words, inclusive. */
interface Passage {
  readonly first: number;
  readonly last: number;
}

interface Occurrence extends Passage {
  readonly pattern: number;
}

/** The read part of a text: positions of words and occurrences. */
interface Reading {
  readonly spans: readonly Span[];
  readonly occurrences: readonly Occurrence[];
  readonly isComplete: boolean;
}

/**
 * The passage of a text that contains most of a query, with collapsed whitespace and `…` where the text is cut. At most 30 words and 240 UTF-16 units; the beginning of the text without a match.
 *
 * Reads the text up to 200 words after the first occurrence, or fewer after 1,000 occurrences. A text can have a megabyte,
 * so the generator pauses after every 1,000 words.
 */
export function* snippet(text: string, query: SearchQuery): Generator<void, Excerpt, void> {
  const reading = yield* read(text, query.required);
  const whole = { start: Math.max(text.search(/\S/), 0), end: text.trimEnd().length };
  const passage = widened(bestPassage(reading), reading);
  const shown = spanShown(text, whole, reading, passage);
  const marks = reading.occurrences
    .filter(({ first, last }) => first <= passage.last && last >= passage.first)
    .map((occurrence) => spanOf(occurrence, reading));
  const part = excerptOf(text, shown, marks);
  const before = shown.start > whole.start ? '…' : '';
  return {
    text: `${before}${part.text}${shown.end < whole.end ? '…' : ''}`,
    matches: part.matches.map(({ start, end }) => ({ start: start + before.length, end: end + before.length })),
  };
}

function* read(text: string, patterns: readonly string[]): Generator<void, Reading, void> {
  const finders = patterns.map(finderOf);
  const spans: Span[] = [];
  const occurrences: Occurrence[] = [];
  let limit = Infinity;
  for (const word of words(text)) {
    if (spans.length === limit) return { spans, occurrences, isComplete: false };
    if (spans.length > 0 && spans.length % WORDS_AT_ONCE === 0) yield;
    const last = spans.push({ start: word.start, end: word.end }) - 1;
    finders.forEach((find, pattern) => {
      const count = find(word);
      if (count > 0) occurrences.push({ pattern, first: last - count + 1, last });
    });
    if (limit === Infinity && occurrences.length > 0) limit = spans.length + LOOK_AHEAD;
    if (occurrences.length >= ENOUGH_OCCURRENCES) limit = Math.min(limit, spans.length + MAX_WORDS);
  }
  return { spans, occurrences, isComplete: true };
}

/** From the occurrence closely followed by the most patterns to the last of these; the first one wins a tie. */
function bestPassage(reading: Reading): Passage {
  const { occurrences } = reading;
  let best = { first: 0, patterns: 0 };
  // Backwards, so that the next occurrence of each pattern is known. Occurrences of a pattern have one length, so the
  // next one also ends first.
  const next = new Map<number, Occurrence>();
  const backwards = occurrences.toSorted((one, other) => other.first - one.first);
  for (const [n, occurrence] of backwards.entries()) {
    const { first } = occurrence;
    next.set(occurrence.pattern, occurrence);
    if (backwards[n + 1]?.first === first) continue;
    let patterns = 0;
    for (const each of next.values()) {
      // The beginning of an occurrence is shown even if it is longer than a snippet.
      if (each.first === first || isShort({ first, last: each.last }, reading)) patterns += 1;
    }
    if (patterns >= best.patterns) best = { first, patterns };
  }
  let last = best.first;
  for (const each of occurrences) {
    const isNear = each.first >= best.first && isShort({ first: best.first, last: each.last }, reading);
    if (isNear) last = Math.max(last, each.last);
  }
  return { first: best.first, last };
}

/** Adds words on both sides, as far as they fit. */
function widened(passage: Passage, reading: Reading): Passage {
  let { first, last } = passage;
  let width: number;
  do {
    width = last - first;
    if (isShort({ first, last: last + 1 }, reading)) last += 1;
    if (isShort({ first: first - 1, last }, reading)) first -= 1;
  } while (last - first > width);
  return { first, last };
}

/**
 * The text of a passage, with leading text before the first word and trailing text after the last word of the whole
 * text.
 */
function spanShown(text: string, whole: Span, reading: Reading, passage: Passage): Span {
  const { spans, isComplete } = reading;
  let { start, end } = spans.length > 0 ? spanOf(passage, reading) : whole;
  if (passage.first === 0 && end - whole.start <= MAX_LENGTH) start = whole.start;
  if (isComplete && passage.last === spans.length - 1 && whole.end - start <= MAX_LENGTH) end = whole.end;
  return { start, end: start + cut(text.slice(start, end), MAX_LENGTH).length };
}

function isShort(passage: Passage, reading: Reading): boolean {
  const { start, end } = spanOf(passage, reading);
  return passage.last - passage.first < MAX_WORDS && end - start <= MAX_LENGTH;
}

/** A passage that extends beyond the read words has no end. */
function spanOf({ first, last }: Passage, { spans }: Reading): Span {
  return { start: spans[first]?.start ?? -Infinity, end: spans[last]?.end ?? Infinity };
}
