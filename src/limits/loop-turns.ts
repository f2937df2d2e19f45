/**
 * Keeps the turns of the event loop short. SQLite answers at once, so that an operation runs from its beginning to its end
 * without a pause, and a turn takes as long as all operations that have arrived together. Meanwhile no timer fires; and as
 * Node accepts one connection a turn, a hundred busy clients would keep everybody else out for minutes.
 */

import { FairQueue, SERVER, type Caller } from './fair-queue.js';

/** How long a turn may last before queries wait for another one, in milliseconds. */
const TURN_MS = 10;

export class LoopTurns {
  /** When the first query of this turn began; null before it. */
  #began: number | null = null;
  #running = 0;
  readonly #waiting = new FairQueue<() => void>();

  /** Runs a query when there is time for it: at once, or behind others, in turn of users, in this turn or one to come. */
  async run<T>(query: () => Promise<T>, { userId }: Caller = SERVER): Promise<T> {
    // Nobody knows how long those will take that have only just begun.
    if (this.#running === 0 && this.#waiting.size === 0 && this.#hasTime()) this.#running++;
    else await this.#turn(userId);
    try {
      return await query();
    } finally {
      this.#running--;
      if (this.#running === 0 && this.#waiting.size > 0 && this.#hasTime()) this.#next();
    }
  }

  #turn(userId: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(userId, resolve);
      setImmediate(this.#resume);
    });
  }

  /** Once for each that waits: what follows from a query runs before the next of these does. */
  readonly #resume = (): void => {
    if (this.#waiting.size === 0) return;
    if (this.#hasTime()) this.#next();
    else setImmediate(this.#resume);
  };

  #next(): void {
    this.#running++;
    this.#waiting.next()?.item();
  }

  #hasTime(): boolean {
    if (this.#began !== null) return performance.now() - this.#began < TURN_MS;
    this.#began = performance.now();
    // Before those that wait, so that they are the first of the next turn.
    setImmediate(() => (this.#began = null));
    return true;
  }
}
