/** Looking into values of a file, of which nothing is certain. */
import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../json-object.js';

/** The object itself, or an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The array itself, or an empty one. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text itself; null for anything else and for an empty one. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The first of the values that is an id: a text that is not empty, or a number. */
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

/** Whether a message of this role is what a tool answered. */
export function isToolRole(role: unknown): boolean {
  return (
    typeof role === 'string' &&
    /^((tool|function)[-_ ]?(result|message|response|output)?|observation|ipython)$/i.test(role)
  );
}

/** A number that counts tells a conversation from others of its file, and how it begins from those of other files. */
export function countedId(id: unknown, beginning: unknown): string | null {
  const own = idOf(id);
  return own === null || !/^\d{1,9}$/.test(own) ? own : JSON.stringify([own, contentId(beginning)]);
}

/** An id for what has none: the same for the same content. Null for what nests too deep to be text. */
export function contentId(value: unknown): string | null {
  try {
    return hash('sha1', JSON.stringify(value), 'hex');
  } catch {
    return null;
  }
}
