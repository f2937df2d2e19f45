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

  /** Settles when there is time for a query: at once, or in a turn to come, in the order asked. */
  async next(): Promise<void> {
    if (this.#waiting.length === 0 && this.#hasTime()) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      setImmediate(this.#resume);
    });
  }

  /** Once for each that waits: what follows from a query runs before the next of these does. */
  readonly #resume = (): void => {
    if (this.#hasTime()) this.#waiting.shift()?.();
    else setImmediate(this.#resume);
  };

  #hasTime(): boolean {
    if (this.#began !== null) return performance.now() - this.#began < TURN_MS;
    this.#began = performance.now();
    // Before those that wait, so that they are the first of the next turn.
    setImmediate(() => (this.#began = null));
    return true;
  }
}
