/** Replaces text that databases cannot store: U+0000 and lone surrogates. */

const REPLACEMENT = '\uFFFD';

/**
 * Replaces them by U+FFFD in all texts and keys of a JSON value. Changes the value. Without recursion, because replies
 * can nest deeper than the stack allows.
 * @returns the value, and the number of changed texts
 */
export function makeStorable(root: unknown): { value: unknown; changed: number } {
  const holder: Record<string, unknown> = { root };
  const open: object[] = [holder];
  let changed = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (!Array.isArray(at) && Object.keys(at).some((key) => !isStorable(key))) {
      changed += replaceKeys(at as Record<string, unknown>);
    }
    for (const [key, member] of Object.entries(at as Record<string, unknown>)) {
      if (typeof member === 'object' && member !== null) open.push(member);
      else if (typeof member === 'string' && !isStorable(member)) {
        define(at, key, storable(member));
        changed++;
      }
    }
  }
  return { value: holder['root'], changed };
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', REPLACEMENT);
}

/** Define all members again, to keep the order of the file. */
function replaceKeys(object: Record<string, unknown>): number {
  const members = Object.entries(object);
  const taken = new Set(Object.keys(object));
  let changed = 0;
  for (const [key] of members) delete object[key];
  for (const [key, member] of members) {
    let name = key;
    if (!isStorable(key)) {
      changed++;
      // Different keys must stay different.
      for (name = storable(key); taken.has(name);) name += REPLACEMENT;
      taken.add(name);
    }
    define(object, name, member);
  }
  return changed;
}

/** Not an assignment: a member named __proto__ must stay one. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
