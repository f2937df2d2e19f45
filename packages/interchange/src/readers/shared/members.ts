/** Access to unchecked values of a file, and their times. */
import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../file-values.js';

/** The object, or an empty one for other values. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The array, or an empty one for other values. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text; null for other values and for an empty text. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The first value that is an id: a number or a non-empty text. */
export function idOf(...values: readonly unknown[]): string | null {
  for (const value of values) {
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return null;
}

export function without(object: Readonly<JsonObject>, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !names.includes(key)));
}

export function withoutNull(object: Readonly<JsonObject>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined));
}

/** Whether a message of this role is a tool's result. */
export function isToolRole(role: unknown): boolean {
  return (
    typeof role === 'string' &&
    /^((tool|function)[-_ ]?(result|message|response|output)?|observation|ipython)$/i.test(role)
  );
}

/**
 * The id of a conversation. A counting number identifies it only within its file, like its position.
 * @param given ids in the file, the best first
 * @param beginning from which former versions derived the id of a conversation with a number
 * @param content from which they derived it without an id
 */
export function identity(
  given: readonly unknown[],
  beginning: unknown,
  content: unknown,
): { id: string | null; formerId: string | null } {
  const id = idOf(...given);
  if (id === null) return { id, formerId: contentId(content) };
  if (!isCount(id)) return { id, formerId: null };
  return { id: null, formerId: JSON.stringify([id, contentId(beginning)]) };
}

/** Whether an id is a number that counts conversations or rows. */
export function isCount(id: string): boolean {
  return /^\d{1,9}$/.test(id);
}

/** An id derived from the content; null for a value that nests too deep to be serialized. */
export function contentId(value: unknown): string | null {
  try {
    return hash('sha1', JSON.stringify(value), 'hex');
  } catch {
    return null;
  }
}

/** The latest time of a JavaScript Date, and so of GraphQL's DateTime, in milliseconds since 1970. */
const MAX_TIME_MS = 8.64e15;
/** In 1973 as seconds: smaller numbers count steps or seconds of something else. */
const FIRST_S = 1e8;
/** In 1973 as milliseconds, in 5138 as seconds: larger numbers are milliseconds. */
const FIRST_MS = 1e11;
/** The same thresholds for microseconds and nanoseconds. */
const FIRST_US = 1e14;
const FIRST_NS = 1e17;

const MONTHS = '(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?';
/** The forms of a date: 2026-03-01T…, 2026/3/1, 3/1/2026, `Sun, 01 Mar 2026`, `March 1, 2026`, `Sun Mar 1 10:00:00 2026`. */
const DATE = new RegExp(
  String.raw`^\s*(?:[+-]?\d{4,6}[-/]\d{1,2}(?:[-/]\d{1,2})?(?:[T ,]|Z?$)|\d{1,2}/\d{1,2}/\d{4}(?:\D|$)|` +
    String.raw`(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +)?(?:${MONTHS} +\d{1,2}|\d{1,2}[ -]+${MONTHS}),?[ -]+` +
    String.raw`(?:\d{1,2}:\d{2}(?::\d{2})? +)?\d{4}(?:\D|$))`,
  'i',
);

/** Seconds since 1970 as whole milliseconds; null for 0, before it, and after the end of Date. */
export function secondsToMs(seconds: unknown): number | null {
  return typeof seconds === 'number' ? savedTime(Math.round(seconds * 1000)) : null;
}

/** A date as milliseconds since 1970; null for other values. JavaScript reads a date in every word with a number. */
export function isoToMs(text: unknown): number | null {
  return typeof text === 'string' && DATE.test(text) ? savedTime(Date.parse(text)) : null;
}

/** A time in any unit or form: programs use seconds, milliseconds and dates for the same member. */
export function anyToMs(time: unknown): number | null {
  if (typeof time === 'string') {
    return /^\d+(\.\d+)?$/.test(time) ? anyToMs(Number(time)) : isoToMs(time);
  }
  if (typeof time !== 'number' || time < FIRST_S) return null;
  if (time < FIRST_MS) return secondsToMs(time);
  return savedTime(Math.round(time < FIRST_US ? time : time < FIRST_NS ? time / 1e3 : time / 1e6));
}

/** The time of a message, as the file has it, under the names that programs give it. */
export function timeOf(message: Readonly<Record<string, unknown>>): unknown {
  const names = ['createdAt', 'created_at', 'create_time', 'created', 'timestamp', 'ts'];
  const name = names.find((each) => anyToMs(message[each]) !== null);
  return name === undefined ? undefined : message[name];
}

function savedTime(ms: number): number | null {
  return ms > 0 && ms <= MAX_TIME_MS ? ms : null;
}
