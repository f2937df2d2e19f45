/** Open WebSockets and streams. */
export interface OpenSockets {
  users: OpenCounts;
  addresses: OpenCounts;
}

export class OpenCounts {
  readonly #open = new Map<string, number>();

  /** @param limit limit of each key; 0 for no limit */
  constructor(private readonly limit: number) {}

  /**
   * Counts one more.
   * @returns a function to call once on close; null at the limit
   */
  open(key: string): (() => void) | null {
    const count = this.#open.get(key) ?? 0;
    if (this.limit !== 0 && count >= this.limit) return null;
    this.#open.set(key, count + 1);
    return () => {
      const left = (this.#open.get(key) ?? 0) - 1;
      if (left > 0) this.#open.set(key, left);
      else this.#open.delete(key);
    };
  }
}
