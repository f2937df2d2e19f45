/**
 * An object that is parsed whenever somebody looks into it, and not kept: so a conversation of any number of messages can
 * be held as a tree of them. To its readers it is an object like others, but for the time it takes.
 */

type Members = Record<string, unknown>;

/** One for all: what it stands for is never looked up in it. */
const NOTHING: Members = {};

/** Its methods are shared: there may be a million such objects. */
class LazyHandler implements ProxyHandler<Members> {
  /** @param readAt answers an object's members; it remembers the last few by itself, because looks come together */
  constructor(
    private readonly readAt: (place: number) => Members,
    private readonly place: number,
  ) {}

  get(_: Members, key: string | symbol): unknown {
    return Reflect.get(this.readAt(this.place), key);
  }

  has(_: Members, key: string | symbol): boolean {
    return Reflect.has(this.readAt(this.place), key);
  }

  ownKeys(): (string | symbol)[] {
    return Reflect.ownKeys(this.readAt(this.place));
  }

  getOwnPropertyDescriptor(_: Members, key: string | symbol): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.readAt(this.place), key);
  }
}

/** @param place what `readAt` is asked for */
export function lazyObject(readAt: (place: number) => Members, place: number): Members {
  return new Proxy(NOTHING, new LazyHandler(readAt, place));
}
