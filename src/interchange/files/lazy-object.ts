/**
 * An object that is parsed whenever somebody looks into it, and not kept: so a conversation of any number of messages can
 * be held as a tree of them. To its readers it is an object like others, but for the time it takes.
 */

/** @param read answers the object's members; it remembers the last few by itself, because looks come together */
export function lazyObject(read: () => Record<string, unknown>): Record<string, unknown> {
  return new Proxy<Record<string, unknown>>(
    {},
    {
      get: (_, key) => Reflect.get(read(), key) as unknown,
      has: (_, key) => Reflect.has(read(), key),
      ownKeys: () => Reflect.ownKeys(read()),
      getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(read(), key),
    },
  );
}
