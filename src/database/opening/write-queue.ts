/**
 * One write transaction at a time, in the order asked for. SQLite has one writer anyway, and elsewhere the changes of a
 * chat wait for its lock; a queue in front of it keeps them from holding connections meanwhile, and yields to the event
 * loop between two, so that readers and timers get their turn however many writers wait.
 */
import { setImmediate } from 'node:timers/promises';
import { retryWhileBusy } from './retry.js';

export class WriteQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** @param isBusy whether an error only says that the database was held by somebody else: then the job runs again */
  constructor(private readonly isBusy: (error: unknown) => boolean) {}

  run<T>(job: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => retryWhileBusy(job, this.isBusy));
    this.#last = turn.then(
      () => setImmediate(),
      () => setImmediate(),
    );
    return turn;
  }
}
