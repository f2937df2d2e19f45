/**
 * Keeps the turns of the event loop short. SQLite answers at once, so that an operation runs from its beginning to its end
 * without a pause, and a turn takes as long as all operations that have arrived together. Meanwhile no timer fires; and as
 * Node accepts one connection a turn, a hundred busy clients would keep everybody else out for minutes.
 */

/** How long a turn may last before queries wait for another one, in milliseconds. */
const TURN_MS = 10;

export class LoopTurns {
  /** When the first query of this turn came; null before it. */
  #began: number | null = null;
  readonly #waiting: (() => void)[] = [];

  /** Settles when there is time for a query: at once, or in a turn of its own, in the order asked. */
  async next(): Promise<void> {
    if (this.#waiting.length === 0 && this.#hasTime()) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #hasTime(): boolean {
    if (this.#began !== null) return performance.now() - this.#began < TURN_MS;
    this.#begin();
    return true;
  }

  #begin(): void {
    this.#began = performance.now();
    setImmediate(() => {
      this.#began = null;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#begin();
      next();
    });
  }
}
