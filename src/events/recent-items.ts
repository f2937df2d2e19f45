import { firstIndex } from '../system/sorted.js';

/** The newest items of a numbered sequence. Subscribers before them read the database, or fail. */
export class RecentItems<T> {
  #items: T[] = [];

  /**
   * @param dropped the highest number that is not kept
   * @param capacity between this many and twice as many items are kept
   * @param isCurrent whether a newer item has not replaced this one
   */
  constructor(
    private readonly numberOf: (item: T) => number,
    private dropped: number,
    private readonly capacity = 512,
    private readonly isCurrent: (item: T) => boolean = () => true,
  ) {}

  push(...items: readonly T[]): void {
    this.#items.push(...items);
    if (this.#items.length <= 2 * this.capacity) return;
    const current = this.#items.filter(this.isCurrent);
    const surplus = current.slice(0, -this.capacity);
    for (const item of surplus.slice(-1)) this.drop(this.numberOf(item));
    this.#items = current.slice(surplus.length);
  }

  drop(number: number): void {
    this.dropped = Math.max(this.dropped, number);
  }

  reachesTo(number: number): boolean {
    return number >= this.dropped;
  }

  /** The first current item after a number, if it is kept. */
  next(number: number): T | undefined {
    if (!this.reachesTo(number)) return undefined;
    for (let n = this.#indexAfter(number); n < this.#items.length; n++) {
      const item = this.#items[n];
      if (item !== undefined && this.isCurrent(item)) return item;
    }
    return undefined;
  }

  /** The items after a number; none unless all of them are kept. */
  after(number: number): readonly T[] {
    return this.reachesTo(number) ? this.#items.slice(this.#indexAfter(number)) : [];
  }

  #indexAfter(number: number): number {
    return firstIndex(this.#items.length, (n) => {
      const item = this.#items[n];
      return item === undefined || this.numberOf(item) > number;
    });
  }
}

/**
 * Sets the newest entry of a map, and deletes the oldest beyond its capacity.
 * @returns the deleted value
 */
export function setNewest<K, V>(map: Map<K, V>, key: K, value: V, capacity: number): V | undefined {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map;
  if (map.size <= capacity || oldest === undefined) return undefined;
  map.delete(oldest[0]);
  return oldest[1];
}
