/** Text that the databases cannot hold: U+0000, and surrogates without their other half. */

const REPLACEMENT = '\uFFFD';

/**
 * Puts U+FFFD in the place of what cannot be stored, in every text and every key of a JSON value. Changes the value.
 *
 * Walks without recursion, because replies may be nested deeper than the stack allows.
 *
 * @returns the value, and how many texts were changed
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

/** All members anew, because their order is the order of the file. */
function replaceKeys(object: Record<string, unknown>): number {
  const members = Object.entries(object);
  const taken = new Set(Object.keys(object));
  let changed = 0;
  for (const [key] of members) delete object[key];
  for (const [key, member] of members) {
    let name = key;
    if (!isStorable(key)) {
      changed++;
      // Two keys that differed must not become one.
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
