/** Milliseconds after the end of a fault in which clients may still see its effects. */
const AFTERMATH_MS = 15_000;

/** The times in which failures of a server are expected: during an injected fault, and shortly after it. */
export class FaultWindow {
  #faults = 0;
  #lastEnd = -Infinity;

  /** Records a fault until it has ended. */
  async during(fault: () => Promise<void>): Promise<void> {
    this.#faults++;
    try {
      await fault();
    } finally {
      this.#faults--;
      this.#lastEnd = Date.now();
    }
  }

  /** Whether a fault has been active at any time since then, in milliseconds since 1970. */
  excuses(since: number): boolean {
    return this.#faults > 0 || this.#lastEnd + AFTERMATH_MS > since;
  }
}
