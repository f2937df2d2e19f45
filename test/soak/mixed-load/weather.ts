/** How long after something is whole again clients may still meet what it left, in milliseconds. */
const AFTERMATH_MS = 15_000;

/** When failures of a server are to be expected: something is broken on purpose, or was a moment ago. */
export class Weather {
  #storms = 0;
  #lastEnd = -Infinity;

  /** Notes that something is broken until it has settled. */
  async during(storm: () => Promise<void>): Promise<void> {
    this.#storms++;
    try {
      await storm();
    } finally {
      this.#storms--;
      this.#lastEnd = Date.now();
    }
  }

  /** Whether something was broken at any time since then, in milliseconds since 1970. */
  excuses(since: number): boolean {
    return this.#storms > 0 || this.#lastEnd + AFTERMATH_MS > since;
  }
}
