/**
 * One write transaction at a time, in turn of users. SQLite has one writer anyway, and elsewhere the changes of a
 * chat wait for its lock; a queue in front of it keeps them from holding connections meanwhile, and yields to the event
 * loop between two, so that readers and timers get their turn however many writers wait.
 */
import type { Caller } from '../../limits/fair-queue.js';
import { Turns } from '../../limits/turns.js';
import { retryWhileBusy } from './retry.js';

export class WriteQueue {
  readonly #turns = new Turns({ atOnce: 1 });

  /** @param isBusy whether an error only says that the database was held by somebody else: then the job runs again */
  constructor(private readonly isBusy: (error: unknown) => boolean) {}

  async run<T>(job: () => Promise<T>, caller?: Caller): Promise<T> {
    const end = await this.#turns.begin(caller);
    try {
      return await retryWhileBusy(job, this.isBusy);
    } finally {
      setImmediate(end);
    }
  }
}
