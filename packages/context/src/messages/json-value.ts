/** The JSON that a store saves; values that JSON would silently drop or change are refused. */

import { isRecord } from '../record.js';

/**
 * A value as JSON stores it: undefined members are omitted, and `toJSON` is called, for example of a Date.
 * @throws TypeError whose text is the reason and the position, in one line
 */
export function toJsonValue(value: unknown): unknown {
  // undefined has no JSON text.
  const text = toText(value);
  return text === undefined ? null : JSON.parse(text);
}

function toText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, refuseUnserializable);
  } catch (error) {
    throw new TypeError(reasonOf(error), { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deep';
  // The engine's own text for cycles has several lines.
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}

function refuseUnserializable(this: unknown, key: string, value: unknown): unknown {
  const fault = faultOf(value, Array.isArray(this));
  if (fault !== null) throw new TypeError(key === '' ? `it is ${fault}` : `"${key}" in it is ${fault}`);
  return value;
}

function faultOf(value: unknown, isElement: boolean): string | null {
  switch (typeof value) {
    case 'bigint':
      return 'a BigInt, which JSON does not have';
    case 'function':
    case 'symbol':
      return `a ${typeof value}, which JSON does not have`;
    case 'number':
      return Number.isFinite(value) ? null : `${value}, which JSON does not have`;
    case 'undefined':
      return isElement ? 'undefined in an array, which JSON does not have' : null;
    case 'object':
      return value === null || isPlain(value) ? null : `${classOf(value)}, not a plain object or an array`;
    default:
      return null;
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of a plain object has none itself, also in another realm.
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** An object with a custom prototype can lack a constructor. */
function classOf({ constructor }: { constructor?: unknown }): string {
  return typeof constructor === 'function' ? `a ${constructor.name}` : 'an object with a prototype of its own';
}

/** JSON with sorted members, because a store can return them in another order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isRecord(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}
