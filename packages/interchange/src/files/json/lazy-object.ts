/**
 * An object that is parsed at each access and not kept, so that a conversation of any size fits in memory as a tree. It
 * behaves like other objects, except for the time of an access.
 */

type Members = Record<string, unknown>;

/** The shared proxy target; its members are never read. */
const NOTHING: Members = {};

/** The methods are shared: a million such objects can exist. */
class LazyHandler implements ProxyHandler<Members> {
  /** @param readAt returns an object's members; it caches the last few, because accesses are grouped */
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

/** @param place the argument of `readAt` */
export function lazyObject(readAt: (place: number) => Members, place: number): Members {
  return new Proxy(NOTHING, new LazyHandler(readAt, place));
}
