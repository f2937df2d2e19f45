/**
 * One write transaction at a time, in fair order. Waiters hold neither a connection nor SQLite's lock, and readers and timers
 * run between two transactions.
 */
import { FairLimiter } from '../../scheduler/fair-limiter.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import { retryWhileBusy } from './retry.js';

export class WriteQueue {
  readonly #limiter = new FairLimiter({ concurrency: 1, yieldsBetween: true });

  /** @param isBusy whether an error only means that the database was locked: the job is then repeated */
  constructor(private readonly isBusy: (error: unknown) => boolean) {}

  run<T, Args extends unknown[] = []>(job: (...args: Args) => Promise<T>, caller?: Caller, ...args: Args): Promise<T> {
    return this.#limiter.run(caller, retryWhileBusy<T, Args>, job, this.isBusy, ...args);
  }
}
