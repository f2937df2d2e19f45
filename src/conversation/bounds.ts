/** Bounds of every value that clients send. Each check throws an InvalidInputError that names the field. */
import { MAX_DATA_BYTES, MAX_JSON_DEPTH, MAX_NAME_LENGTH } from '@parley/interchange/limits';
import { canonicalJson } from './text/canonical-json.js';
import { InvalidInputError } from './errors.js';

export { MAX_DATA_BYTES, MAX_JSON_DEPTH, MAX_NAME_LENGTH } from '@parley/interchange/limits';

/** The largest number of an INT column and of GraphQL's Int. */
export const MAX_INT = 2 ** 31 - 1;
/** The size of a chat's metadata as JSON, in bytes of UTF-8. */
export const MAX_METADATA_BYTES = 64 * 1024;
/** The same for stored data: the largest text in a UI message with a draft's metadata, an escaped id and name, and `parts`. */
export const MAX_STORED_DATA_BYTES = MAX_DATA_BYTES + MAX_METADATA_BYTES + 4 * 1024;
/** Nesting levels in metadata, which the databases query: SQL Server reads up to 128 levels. */
export const MAX_METADATA_DEPTH = 100;
export const MAX_MESSAGES_PER_SAVE = 500;
/** Messages that a fork copies, and runs of messages of its origin, which are in memory while it is planned. */
export const MAX_FORKED_MESSAGES = 100_000;
export const DAY_MS = 24 * 60 * 60_000;
/** Sources of a message besides its parent. */
export const MAX_SOURCES = 16;

// PostgreSQL cannot store U+0000, and a lone surrogate has no UTF-8.
function textFault(text: string): string | null {
  if (text.includes('\0')) return 'must not contain U+0000';
  if (!text.isWellFormed()) return 'must not contain a lone surrogate';
  return null;
}

/** The reason that a value is not a valid id, name or title; null when it is valid. */
export function nameFault(value: unknown): string | null {
  // Arguments are unchecked when called from JavaScript.
  if (typeof value !== 'string') return 'must be a string';
  if (value.length === 0) return 'must not be empty';
  if (value.length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters, not ${value.length}`;
  // SQL Server ignores trailing spaces in comparisons: "a" and "a " would be the same id there.
  if (value.endsWith(' ')) return 'must not end with a space';
  return textFault(value);
}

/** Whether a value can be an id. Lookups of other values find nothing without a query. */
export function isPossibleId(value: string): boolean {
  return nameFault(value) === null;
}

/** An id, a name or a title: 1 to 255 characters, no trailing space. */
export function checkName(value: string, path: string): string {
  const fault = nameFault(value);
  if (fault !== null) throw new InvalidInputError(`${path} ${fault}`, path);
  return value;
}

/** Like checkName, for an optional value. */
export function checkOptionalName(value: string | null | undefined, path: string): string | null {
  return value == null ? null : checkName(value, path);
}

/** A branch or checkpoint of a chat by its name or its id. */
export type NameOrId = { readonly name: string } | { readonly id: string };

type Fields = readonly [name: string, id: string];

/**
 * Returns the given key; null without one.
 * @param fields of the input, for errors
 * @throws InvalidInputError
 */
export function optionalNameOrId(
  name: string | null | undefined,
  id: string | null | undefined,
  [nameField, idField]: Fields,
): NameOrId | null {
  if (id == null) return name == null ? null : { name };
  if (name != null) throw new InvalidInputError(`${idField} cannot be given together with ${nameField}`, idField);
  return { id };
}

/** Like optionalNameOrId, but requires one of the two. */
export function nameOrId(...[name, id, fields]: Parameters<typeof optionalNameOrId>): NameOrId {
  const given = optionalNameOrId(name, id, fields);
  if (given === null) throw new InvalidInputError(`One of ${fields[0]} and ${fields[1]} is required`, fields[0]);
  return given;
}

/**
 * Checks the end of a validity.
 * @param expiresAt milliseconds since 1970; null for none
 */
export function checkExpiry(expiresAt: number | null, now: number): void {
  if (expiresAt !== null && expiresAt <= now) {
    throw new InvalidInputError('expiresAt must be in the future', 'expiresAt');
  }
}

/** The canonical JSON text of metadata, or of a value in it. */
export function checkMetadata(value: unknown, path: string): string {
  return canonicalJson(checkJson(value, path, MAX_METADATA_BYTES, MAX_METADATA_DEPTH));
}

/** The fault of a value with a member that is undefined. */
export const UNDEFINED_FAULT = 'must be JSON, which cannot hold undefined';

/** The JSON text of a value that a client sent. */
export function checkJson(value: unknown, path: string, maxBytes: number, maxDepth = MAX_JSON_DEPTH): string {
  const fault = jsonFault(value, { depth: 0, maxDepth });
  if (fault !== null) throw new InvalidInputError(`${path} ${fault}`, path);
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    throw new InvalidInputError(`${path} must have at most ${maxBytes} bytes as JSON, not ${bytes}`, path);
  }
  return text;
}

/** Its recursion ends at the maximum depth, which the stack allows. */
function jsonFault(value: unknown, at: { depth: number; readonly maxDepth: number }): string | null {
  switch (typeof value) {
    case 'string':
      return textFault(value);
    case 'number':
      return Number.isFinite(value) ? null : 'must not contain a number beyond the range of a double';
    case 'boolean':
      return null;
    case 'object': {
      if (value === null) return null;
      if (at.depth === at.maxDepth) return `must not nest deeper than ${at.maxDepth} levels`;
      at.depth++;
      const fault = Array.isArray(value) ? elementFault(value, at) : memberFault(value, at);
      at.depth--;
      return fault;
    }
    default:
      return value === undefined ? UNDEFINED_FAULT : `must be JSON, which cannot hold a ${typeof value}`;
  }
}

function elementFault(list: readonly unknown[], at: Parameters<typeof jsonFault>[1]): string | null {
  for (const element of list) {
    const fault = jsonFault(element, at);
    if (fault !== null) return fault;
  }
  return null;
}

function memberFault(object: object, at: Parameters<typeof jsonFault>[1]): string | null {
  for (const [key, member] of Object.entries(object)) {
    const fault = textFault(key) ?? jsonFault(member, at);
    if (fault !== null) return fault;
  }
  return null;
}
