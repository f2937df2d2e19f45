/** The value of a text. What is large is parsed as a skeleton, in which the messages are parsed when they are needed. */
import { randomUUID } from 'node:crypto';
import { isJsonObject } from '../../conversation/merge-patch.js';
import type { CollectedValue } from './collected-value.js';
import { jsonFault } from './json-fault.js';
import { lazyObject } from './lazy-object.js';
import { makeStorable } from './storable-text.js';
import { UnreadableError } from './unreadable.js';

/** Bytes of text that are parsed at once. */
const MAX_AT_ONCE = 4 * 1024 * 1024;
/** Bytes of a skeleton: of a million messages or so. */
const MAX_SKELETON = 64 * 1024 * 1024;
/** Parsed objects that are remembered. */
const REMEMBERED = 64;

export interface ParsedValue {
  value: unknown;
  /** Of its text. */
  bytes: number;
  /** Whether parts of it are parsed when they are needed: then it may be used until the next value is asked for. */
  isLazy: boolean;
  /** How many texts have been changed so far because they could not be stored. */
  textsChanged(): number;
}

/**
 * @param lazy where the objects stand that may be parsed later: start, end, start, end…
 * @throws UnreadableError when it is no JSON, or too large even as a skeleton
 */
export function parseValue(text: CollectedValue, lazy: readonly number[]): ParsedValue {
  let changed = 0;
  const parsed = (json: string): unknown => {
    const { value, changes } = parse(json);
    changed += changes;
    return value;
  };
  if (text.size <= MAX_AT_ONCE) {
    const value = parsed(text.slice(0, text.size).toString('utf8'));
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
  putLazies(value, mark, (place) => lazyObject(readAt, place));
  return { value, bytes: text.size, isLazy: true, textsChanged: () => changed };
}

/** What the databases cannot store comes from escapes alone: a look at the text spares one at every string. */
const HAS_ESCAPES = /\\u(?:0000|[dD][89a-fA-F])/;

function parse(json: string): { value: unknown; changes: number } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UnreadableError(jsonFault(json, error));
  }
  if (!HAS_ESCAPES.test(json)) return { value, changes: 0 };
  const { value: storable, changed } = makeStorable(value);
  return { value: storable, changes: changed };
}

/** The text with a mark in the place of each object that is parsed later. */
function skeleton(text: CollectedValue, lazy: readonly number[], mark: string): string {
  const pieces: string[] = [];
  let at = 0;
  let size = 0;
  const add = (end: number, instead: string) => {
    size += end - at + instead.length;
    if (size > MAX_SKELETON) {
      const megabytes = (text.size / 1e6).toFixed(0);
      throw new UnreadableError(`it is too large to be read: ${megabytes} MB of text in one conversation`);
    }
    pieces.push(text.slice(at, end).toString('utf8'), instead);
  };
  for (let place = 0; place < lazy.length; place += 2) {
    add(lazy[place] as number, `"${mark}${place}"`);
    at = lazy[place + 1] as number;
  }
  add(text.size, '');
  return pieces.join('');
}

/** Without recursion, because values may be nested deeper than the stack allows. */
function putLazies(root: unknown, mark: string, lazyAt: (place: number) => Record<string, unknown>): void {
  const open: unknown[] = [root];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (!isJsonObject(at) && !Array.isArray(at)) continue;
    const members = at as Record<string, unknown>;
    for (const key of Object.keys(members)) {
      const member = members[key];
      if (typeof member === 'string' && member.startsWith(mark)) {
        // Not an assignment: a member named __proto__ must stay one.
        const value = lazyAt(Number(member.slice(mark.length)));
        Object.defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true });
      } else if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
}
