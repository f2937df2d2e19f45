import { setTimeout } from 'node:timers/promises';
import { TimeoutError } from '../../conversation/errors.js';

/** Milliseconds that a job is retried during conflicts. */
const GIVE_UP_AFTER_MS = 60_000;
/** The maximum pause between attempts in milliseconds: at first, doubled each time up to the last. */
const FIRST_PAUSE_MS = 1;
const LAST_PAUSE_MS = 50;

/**
 * Retries a job that failed only by a conflict: a held lock, a deadlock.
 * @param isBusy whether an error is a conflict
 * @throws TimeoutError when conflicts last too long
 */
export async function retryWhileBusy<T, Args extends unknown[] = []>(
  job: (...args: Args) => Promise<T>,
  isBusy: (error: unknown) => boolean,
  ...args: Args
): Promise<T> {
  const deadline = Date.now() + GIVE_UP_AFTER_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
    try {
      return await job(...args);
    } catch (error) {
      if (!isBusy(error)) throw error;
      // The same message as for an operation's deadline.
      if (Date.now() > deadline)
        throw new TimeoutError('Other transactions locked the database for too long', { cause: error });
    }
    // A random pause prevents repeated collisions.
    await setTimeout(Math.random() * pause);
  }
}
