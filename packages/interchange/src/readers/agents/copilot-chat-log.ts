/** Replays the log of a session in VS Code: the first line has a state, and each other line a change of it. */
import type { JsonObject } from '../../json-object.js';
import { UnreadableError } from '../../files/unreadable.js';
import { arrayOf, objectOf } from '../shared/members.js';

/** The kinds of lines. */
export const [STATE, SET, PUSH, DELETE] = [0, 1, 2, 3];

/** @throws UnreadableError for a change of something that the state does not contain */
export function replayed(lines: readonly JsonObject[]): JsonObject {
  let state: JsonObject = {};
  for (const { kind, k, v, i } of lines) {
    if (kind === STATE) {
      state = objectOf(v);
      continue;
    }
    const path = arrayOf(k);
    const key = path.at(-1);
    const holder = path.slice(0, -1).reduce(memberOf, state);
    if (path.length === 0 || !canHold(holder, key)) throw new UnreadableError('a line changes a missing value');
    const members = holder as Record<string | number, unknown>;
    const name = key as string | number;
    if (kind !== PUSH) members[name] = kind === SET ? v : undefined;
    else push((members[name] = Array.isArray(members[name]) ? members[name] : []), arrayOf(v), i);
  }
  return state;
}

function memberOf(holder: unknown, key: unknown): unknown {
  return canHold(holder, key) ? (holder as Record<string | number, unknown>)[key as string | number] : undefined;
}

/** An array can be extended by one element only, and an object has no inherited members. */
function canHold(holder: unknown, key: unknown): boolean {
  if (Array.isArray(holder)) return Number.isInteger(key) && Number(key) >= 0 && Number(key) <= holder.length;
  if (typeof holder !== 'object' || holder === null || typeof key !== 'string') return false;
  return Object.hasOwn(holder, key) || !(key in holder);
}

/** @param start the number of elements to keep; undefined keeps all */
function push(list: unknown[], added: readonly unknown[], start: unknown): void {
  if (typeof start === 'number') list.splice(Math.max(0, start));
  for (const each of added) list.push(each);
}
