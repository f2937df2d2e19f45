/** Access to unchecked values of a file. */
import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../json-object.js';

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
