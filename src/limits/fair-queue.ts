/** For whom something is done: whoever waits is taken in turn of users. */
export interface Caller {
  /** Empty for what the server does by itself. */
  userId: string;
  /** Aborted when nobody waits for it any more. */
  signal?: AbortSignal | undefined;
}

export const SERVER: Caller = { userId: '' };

/**
 * What waits, by user: one of each user after the other, in the order asked of each. A user who asks for a thousand things
 * holds up the thousand, and another's one thing waits for one of them.
 */
export class FairQueue<T> {
  /** In turn: a user who has been served goes behind the others. */
  readonly #waiting = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(userId: string, item: T): void {
    const own = this.#waiting.get(userId);
    if (own === undefined) this.#waiting.set(userId, [item]);
    else own.push(item);
    this.#size++;
  }

  /** The next one of the next user who may have one. */
  next(may: (userId: string) => boolean = () => true): { userId: string; item: T } | null {
    for (const [userId, own] of this.#waiting) {
      const item = may(userId) ? own.shift() : undefined;
      if (item === undefined) continue;
      this.#waiting.delete(userId);
      if (own.length > 0) this.#waiting.set(userId, own);
      this.#size--;
      return { userId, item };
    }
    return null;
  }

  /** It does not wait any more. */
  remove(userId: string, item: T): void {
    const own = this.#waiting.get(userId);
    const index = own?.indexOf(item) ?? -1;
    if (own === undefined || index < 0) return;
    own.splice(index, 1);
    this.#size--;
    if (own.length === 0) this.#waiting.delete(userId);
  }
}
