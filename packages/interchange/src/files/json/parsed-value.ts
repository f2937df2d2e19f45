/** The value of a JSON text. A large text is parsed as a skeleton, whose messages are parsed when they are read. */
import { randomUUID } from 'node:crypto';
import { isJsonObject, UnreadableError } from '../../file-values.js';
import type { CollectedValue } from './collected-value.js';
import { lazyObject } from './lazy-object.js';
import { makeStorable } from './storable-text.js';

/** Integers above 2^53, which JSON.parse rounds. */
const MAY_HAVE_SOME = /[\s:,[]-?[1-9]\d{15,}\s*[,}\]]/;
const INTEGERS = /(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE])/g;

/** The JSON text with such integers as texts of their digits. */
function withTextIntegers(json: string): string {
  if (!MAY_HAVE_SOME.test(json)) return json;
  const pieces: string[] = [];
  let start = 0;
  while (start < json.length) {
    const quote = json.indexOf('"', start);
    const end = quote === -1 ? json.length : quote;
    pieces.push(json.slice(start, end).replace(INTEGERS, (digits) => asText(digits)));
    start = quote === -1 ? end : endOfString(json, quote);
    pieces.push(json.slice(end, start));
  }
  return pieces.join('');
}

function asText(digits: string): string {
  return String(Number(digits)) === digits ? digits : `"${digits}"`;
}

function endOfString(json: string, quote: number): number {
  for (let end = json.indexOf('"', quote + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let before = end;
    while (json[before - 1] === '\\') before--;
    if ((end - before) % 2 === 0) return end + 1;
  }
  return json.length;
}

const [QUOTE, COMMA, COLON, BACKSLASH, OPEN_ARRAY, OPEN_OBJECT] = [0x22, 0x2c, 0x3a, 0x5c, 0x5b, 0x7b];

/** Bytes of text that are parsed as a whole. */
const MAX_AT_ONCE = 4 * 1024 * 1024;
/** Bytes of a skeleton, enough for about a million messages. */
const MAX_SKELETON = 64 * 1024 * 1024;
/** Values and keys in memory at once: each takes many times the size of its text. */
const MAX_VALUES = 2_500_000;
/** Members of one object: twice the number of messages in the largest known conversation. */
const MAX_MEMBERS = 200_000;
/** Parsed objects in the cache. */
const REMEMBERED = 64;

export interface ParsedValue {
  value: unknown;
  /** The length of its text. */
  bytes: number;
  /** Whether parts are parsed when they are read: then the value is valid only until the next one is read. */
  isLazy: boolean;
  /** The number of texts changed so far because no database can store them. */
  textsChanged(): number;
}

/** A value and its place in the text, or the reason why it cannot be read. It is valid until the next value is read. */
export type FoundValue = { place: string } & (ParsedValue | { fault: string });

/**
 * @param lazy positions of the objects that may be parsed later: start, end, start, end…
 * @throws UnreadableError when the text is not JSON, or too large even as a skeleton
 */
export function parseValue(text: CollectedValue, lazy: readonly number[]): ParsedValue {
  let changed = 0;
  const parsed = (json: string): unknown => {
    const { value, changes } = parse(json);
    changed += changes;
    return value;
  };
  if (text.size <= MAX_AT_ONCE) {
    const bytes = text.slice(0, text.size);
    const value = parsed(bytes.toString('utf8'));
    if (bytes.length > MAX_MEMBERS) completeValue(value, null, () => ({}));
    return { value, bytes: text.size, isLazy: false, textsChanged: () => changed };
  }
  const mark = randomUUID();
  const remembered = new Map<number, Record<string, unknown>>();
  const readAt = (place: number): Record<string, unknown> => {
    const known = remembered.get(place);
    if (known !== undefined) return known;
    const [start, end] = [lazy[place] ?? 0, lazy[place + 1] ?? 0];
    const value = parsed(text.slice(start, end).toString('utf8')) as Record<string, unknown>;
    if (remembered.size === REMEMBERED) remembered.clear();
    remembered.set(place, value);
    return value;
  };
  const value = parsed(skeleton(text, lazy, mark));
  completeValue(value, mark, (place) => lazyObject(readAt, place));
  return { value, bytes: text.size, isLazy: true, textsChanged: () => changed };
}

/**
 * Only escapes can produce text that databases cannot store: one search of the text replaces a check of every string.
 */
const HAS_ESCAPES = /\\u(?:0000|[dD][89a-fA-F])/;

function parse(json: string): { value: unknown; changes: number } {
  let value: unknown;
  try {
    value = JSON.parse(withTextIntegers(json));
  } catch (error) {
    throw new UnreadableError(jsonFault(json, error));
  }
  if (!HAS_ESCAPES.test(json)) return { value, changes: 0 };
  const { value: storable, changed } = makeStorable(value);
  return { value: storable, changes: changed };
}

/** The text with a mark in place of each object that is parsed later. */
function skeleton(text: CollectedValue, lazy: readonly number[], mark: string): string {
  const pieces: string[] = [];
  let at = 0;
  let [size, values] = [0, 0];
  const add = (end: number, instead: string) => {
    size += end - at + instead.length;
    if (size > MAX_SKELETON) {
      const megabytes = (text.size / 1e6).toFixed(0);
      throw new UnreadableError(`it is too large to be read: ${megabytes} MB of text in one conversation`);
    }
    const bytes = text.slice(at, end);
    values += countValues(bytes);
    if (values > MAX_VALUES) throw tooMany(`more than ${MAX_VALUES.toLocaleString('en')} values`);
    pieces.push(bytes.toString('utf8'), instead);
  };
  for (let place = 0; place < lazy.length; place += 2) {
    add(lazy[place] as number, `"${mark}${place}"`);
    at = lazy[place + 1] as number;
  }
  add(text.size, '');
  return pieces.join('');
}

/**
 * Counts opening brackets, commas and colons outside of strings, up to the limit. The text must start outside of a
 * string.
 */
function countValues(text: Buffer): number {
  let count = 0;
  for (let i = 0; i < text.length && count <= MAX_VALUES; i++) {
    const byte = text[i];
    if (byte === COMMA || byte === COLON || byte === OPEN_ARRAY || byte === OPEN_OBJECT) count++;
    else if (byte === QUOTE) {
      for (i = text.indexOf(QUOTE, i + 1); i !== -1 && isEscaped(text, i);) i = text.indexOf(QUOTE, i + 1);
      if (i === -1) break;
    }
  }
  return count;
}

function isEscaped(text: Buffer, i: number): boolean {
  let before = i;
  while (text[before - 1] === BACKSLASH) before--;
  return (i - before) % 2 === 1;
}

function tooMany(what: string): UnreadableError {
  return new UnreadableError(`it is too large to be read: it has ${what}`);
}

/**
 * Replaces the marks by lazy objects, and refuses objects that are too large to copy. Without recursion, because values
 * can nest deeper than the stack allows.
 * @param mark the prefix of marks; null without lazy objects
 */
function completeValue(root: unknown, mark: string | null, lazyAt: (place: number) => Record<string, unknown>): void {
  const open: unknown[] = [root];
  const visit = (holder: object, key: PropertyKey, member: unknown) => {
    if (typeof member === 'object' && member !== null) open.push(member);
    else if (mark !== null && typeof member === 'string' && member.startsWith(mark)) {
      // Not an assignment: a member named __proto__ must stay one.
      const value = lazyAt(Number(member.slice(mark.length)));
      Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
    }
  };
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (Array.isArray(at)) for (let n = 0; n < at.length; n++) visit(at, n, at[n]);
    else if (isJsonObject(at)) {
      const keys = Object.keys(at);
      if (keys.length > MAX_MEMBERS) {
        throw tooMany(`an object with more than ${MAX_MEMBERS.toLocaleString('en')} members`);
      }
      for (const key of keys) visit(at, key, at[key]);
    }
  }
}

/** Characters shown on each side of the error. */
const AROUND = 20;

/** @param error the error of JSON.parse for this text */
function jsonFault(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (/end of JSON input|Unterminated string/.test(message)) return 'it is not JSON: it breaks off before its end';
  const at = positionOf(text, message);
  if (at === null) return 'it is not JSON';
  const around = text.slice(Math.max(0, at - AROUND), at + AROUND).replace(/\s+/g, ' ');
  return `it is not JSON: it goes wrong at character ${at + 1}, near ${JSON.stringify(around.toWellFormed())}`;
}

/** The position in V8's message: a number, or an excerpt of the text. */
function positionOf(text: string, message: string): number | null {
  const number = /at position (\d+)/.exec(message)?.[1];
  if (number !== undefined) return Number(number);
  // Unexpected token 'o', ..."apping": oops}" is not valid JSON
  const shown = /^Unexpected token '(.+?)', (?:\.\.\.)?"(.*?)"(?:\.\.\.)? is not valid JSON$/su.exec(message);
  const [, token, excerpt] = shown ?? [];
  if (token === undefined || excerpt === undefined) return null;
  const start = text.indexOf(excerpt);
  if (start === -1) return null;
  // The excerpt has ten characters before the token, or begins with the text.
  const within = excerpt.indexOf(token, Math.min(start === 0 ? 0 : 10, excerpt.length - 1));
  return within === -1 ? start : start + within;
}
