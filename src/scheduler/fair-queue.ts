/** The user on whose behalf work is done. */
export interface Caller {
  /** Empty for the server's own work. */
  userId: string;
  /** Aborted when the client leaves or the deadline passes. */
  signal?: AbortSignal | undefined;
}

export const SERVER: Caller = { userId: '' };

/** A queue with round robin between users and first in, first out within each: a user's requests delay another's by one. */
export class FairQueue<T> {
  /** In the order of service: a served user moves to the end. */
  readonly #waiting = new Map<string, Fifo<T>>();
  /** The number of items. */
  size = 0;

  add(userId: string, item: T): void {
    const own = this.#waiting.get(userId);
    if (own === undefined) this.#waiting.set(userId, new Fifo(item));
    else own.items.push(item);
    this.size++;
  }

  /** Removes and returns the first item of the next permitted user; null without one. */
  next(may: (userId: string) => boolean = () => true): { userId: string; item: T } | null {
    for (const [userId, own] of this.#waiting) {
      const item = may(userId) ? own.shift() : undefined;
      if (item === undefined) continue;
      this.#waiting.delete(userId);
      if (own.size > 0) this.#waiting.set(userId, own);
      this.size--;
      return { userId, item };
    }
    return null;
  }

  /** Removes an item that no longer waits. */
  remove(userId: string, item: T): void {
    const own = this.#waiting.get(userId);
    const index = own?.items.indexOf(item, own.first) ?? -1;
    if (own === undefined || index < 0) return;
    own.items.splice(index, 1);
    this.size--;
    if (own.size === 0) this.#waiting.delete(userId);
  }
}

/** Removes its first item in constant time: Array.shift() moves all others. */
class Fifo<T> {
  items: T[];
  first = 0;

  constructor(item: T) {
    this.items = [item];
  }

  get size(): number {
    return this.items.length - this.first;
  }

  shift(): T | undefined {
    const item = this.items[this.first++];
    if (2 * this.first > this.items.length) {
      this.items = this.items.slice(this.first);
      this.first = 0;
    }
    return item;
  }
}
