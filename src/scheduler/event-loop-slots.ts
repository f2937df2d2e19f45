/**
 * Limits how long work that never waits, such as SQLite queries, holds a turn of the event loop: until it ends, timers
 * do not fire, and Node accepts only one connection per turn.
 */
import { FairQueue, SERVER, type Caller } from './fair-queue.js';
import { TURN_BUDGET_MS } from './turn-budget.js';

export class EventLoopSlots {
  /** Start of the first work of this turn; null before it. */
  #began: number | null = null;
  #running = 0;
  readonly #waiting = new FairQueue<() => void>();

  /** Runs a query in this turn of the event loop within the budget, or in a later one in fair order. */
  async run<T>(query: () => Promise<T>, { userId }: Caller = SERVER): Promise<T> {
    if (!this.#tryBegin()) await this.#wait(userId);
    try {
      return await query();
    } finally {
      this.#end();
    }
  }

  /** Begins at once only when nothing else runs: the duration of running work is unknown. */
  #tryBegin(): boolean {
    if (this.#running > 0 || this.#waiting.size > 0 || !this.#hasTime()) return false;
    this.#running++;
    return true;
  }

  #wait(userId: string): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.add(userId, begin);
      setImmediate(this.#resume);
    });
  }

  /** Scheduled once per waiter: the microtasks that follow from one query run before the next query starts. */
  readonly #resume = (): void => {
    if (this.#waiting.size === 0) return;
    if (this.#hasTime()) this.#next();
    else setImmediate(this.#resume);
  };

  #next(): void {
    this.#running++;
    this.#waiting.next()?.item();
  }

  #end(): void {
    this.#running--;
    if (this.#running === 0 && this.#waiting.size > 0 && this.#hasTime()) this.#next();
  }

  #hasTime(): boolean {
    if (this.#began !== null) return performance.now() - this.#began < TURN_BUDGET_MS;
    this.#began = performance.now();
    // Scheduled before those of waiters, which then find a new turn.
    setImmediate(() => (this.#began = null));
    return true;
  }
}
