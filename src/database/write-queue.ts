/**
 * One write transaction at a time, in the order asked for. SQLite has one writer anyway; a queue in front of it yields
 * to the event loop between two, so that readers and timers get their turn however many writers wait.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';

/** How long a write keeps trying while another process holds the database, in milliseconds. */
const GIVE_UP_AFTER_MS = 60_000;
const MAX_PAUSE_MS = 50;

export class WriteQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** @param isBusy whether an error only says that the database was held by somebody else: then the job runs again */
  constructor(private readonly isBusy: (error: unknown) => boolean) {}

  run<T>(job: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#try(job));
    this.#last = turn.then(
      () => setImmediate(),
      () => setImmediate(),
    );
    return turn;
  }

  async #try<T>(job: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + GIVE_UP_AFTER_MS;
    for (;;) {
      try {
        return await job();
      } catch (error) {
        if (!this.isBusy(error) || Date.now() > deadline) throw error;
      }
      // A random pause, so that processes that collide do not collide again and again.
      await setTimeout(Math.random() * MAX_PAUSE_MS);
    }
  }
}
