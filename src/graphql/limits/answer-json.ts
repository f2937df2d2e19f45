/** Writes answers as JSON: large ones in turns with other work, and long lists that are JSON already (plain-lists.ts). */
import type { ExecutionResult } from 'graphql';
import type { Bytes } from '../../conversation/json-lists.js';

/** Characters of an answer that are written in one piece. */
export const CHARACTERS_AT_ONCE = 64 * 1024;

/** An answer whose data are written; `stringify` returns a body of a response. */
export type WrittenResult = ExecutionResult & {
  stringify?: (result: ExecutionResult) => string | Uint8Array | (string | Uint8Array)[];
};

/** The elements of a list as JSON, separated by commas: those of a long list in pieces. */
export type Elements = string | Bytes | readonly Uint8Array[];

export class WrittenList {
  constructor(readonly elements: Elements) {}
}

type Part = string | Bytes | Uint8Array;

/** An object or a list whose members are being written. */
interface Open {
  readonly keys: readonly string[] | null;
  readonly values: readonly unknown[];
  next: number;
  hasMembers: boolean;
}

type Begin = (characters: number) => Promise<void> | null;

/**
 * Writes the data of a result; Yoga and subscriptions call its `stringify`.
 * @param begin settles when so many characters more may be written
 */
export async function written(result: ExecutionResult, begin: Begin): Promise<WrittenResult> {
  const parts = ['{"data":', ...(await partsOf(result.data, begin))];
  const isLong = parts.some((part) => part instanceof Uint8Array);
  const whole = isLong ? await joinedInTurns([...parts, '}'], begin) : null;
  return {
    ...result,
    stringify: ({ data: _, ...others }) => {
      const rest = JSON.stringify(others);
      const end = rest === '{}' ? '}' : `,${rest.slice(1)}`;
      if (whole === null) return joined([...parts, end]);
      return rest === '{}' ? whole : [whole.subarray(0, -1), end];
    },
  };
}

async function partsOf(data: unknown, begin: Begin): Promise<Part[]> {
  const parts: Part[] = [];
  const open: Open[] = [];
  let text = '';
  const start = (value: unknown): void => {
    if (value instanceof WrittenList) {
      const { elements } = value;
      if (typeof elements === 'string') text += `[${elements}]`;
      else {
        parts.push(`${text}[`);
        for (const piece of isPooled(elements) ? [elements] : elements) parts.push(piece);
        text = ']';
      }
    } else if (typeof value !== 'object' || value === null || charactersLeft(value, CHARACTERS_AT_ONCE) > 0) {
      text += JSON.stringify(value ?? null);
    } else {
      const keys = Array.isArray(value) ? null : Object.keys(value);
      text += keys === null ? '[' : '{';
      open.push({ keys, values: Object.values(value), next: 0, hasMembers: false });
    }
  };
  start(data);
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    if (at.next === at.values.length) {
      text += at.keys === null ? ']' : '}';
      open.pop();
      continue;
    }
    const key = at.keys?.[at.next];
    const value = at.values[at.next++];
    // As JSON.stringify does.
    if (value === undefined && key !== undefined) continue;
    if (at.hasMembers) text += ',';
    at.hasMembers = true;
    if (key !== undefined) text += `${JSON.stringify(key)}:`;
    start(value);
    if (text.length < CHARACTERS_AT_ONCE) continue;
    parts.push(Buffer.from(text));
    await begin(text.length);
    text = '';
  }
  parts.push(text);
  return parts;
}

/**
 * Characters that remain of a piece beside a value, about: not more than 0 when it is too long to be written as one. The
 * serializer of the engine is several times as fast as one in JavaScript.
 */
function charactersLeft(value: unknown, characters: number): number {
  if (typeof value === 'string') return characters - value.length;
  let left = characters - CHARACTERS_OF_A_VALUE;
  if (typeof value !== 'object' || value === null) return left;
  if (value instanceof WrittenList) return 0;
  for (const key in value) {
    left = charactersLeft((value as Record<string, unknown>)[key], left - key.length);
    if (left <= 0) break;
  }
  return left;
}

/** With its punctuation. */
const CHARACTERS_OF_A_VALUE = 8;

/** Copies the parts of a long answer, and drops each. */
async function joinedInTurns(parts: Part[], begin: Begin): Promise<Uint8Array> {
  const bytes = parts.map(bytesOf);
  const whole = Buffer.allocUnsafe(bytes.reduce((sum, { length }) => sum + length, 0));
  parts.length = 0;
  let length = 0;
  for (let part = bytes.shift(); part !== undefined; part = bytes.shift()) {
    await begin(part.length / COPIES_PER_WRITE);
    whole.set(part, length);
    length += part.length;
  }
  return whole;
}

/** Bytes that are copied in the time of writing one. */
const COPIES_PER_WRITE = 16;

/** A single list is sent without copying. */
function joined(parts: readonly Part[]): string | Uint8Array {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part;
    else merged.push(part);
  }
  const [before, list, after] = merged;
  if (typeof before === 'string' && after === undefined) return before;
  if (merged.length === 3 && typeof before === 'string' && isPooled(list) && typeof after === 'string') {
    const whole = list.within(before, after);
    if (whole !== null) return whole;
  }
  return Buffer.concat(merged.map(bytesOf));
}

function bytesOf(part: Part): Uint8Array {
  if (isPooled(part)) return part.bytes;
  return typeof part === 'string' ? Buffer.from(part) : part;
}

export function isPooled(part: Part | Elements | undefined): part is Bytes {
  return typeof part === 'object' && 'within' in part;
}
