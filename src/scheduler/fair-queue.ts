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
  readonly #waiting = new Map<string, { items: T[]; first: number }>();
  size = 0;

  add(userId: string, item: T): void {
    const own = this.#waiting.get(userId);
    if (own === undefined) this.#waiting.set(userId, { items: [item], first: 0 });
    else own.items.push(item);
    this.size++;
  }

  /** Removes and returns the first item of the next permitted user; null without one. */
  next(may: (userId: string) => boolean = () => true): { userId: string; item: T } | null {
    for (const [userId, own] of this.#waiting) {
      if (!may(userId)) continue;
      const item = own.items[own.first++] as T;
      this.#waiting.delete(userId);
      if (own.first < own.items.length) this.#waiting.set(userId, own);
      // Array.shift() moves all others each time.
      if (2 * own.first > own.items.length) {
        own.items = own.items.slice(own.first);
        own.first = 0;
      }
      this.size--;
      return { userId, item };
    }
    return null;
  }

  /** Removes the items of a user that no longer wait. */
  remove(userId: string, isObsolete: (item: T) => boolean): void {
    const own = this.#waiting.get(userId);
    if (own === undefined) return;
    const items = own.items.slice(own.first).filter((item) => !isObsolete(item));
    this.size -= own.items.length - own.first - items.length;
    own.items = items;
    own.first = 0;
    if (items.length === 0) this.#waiting.delete(userId);
  }
}
