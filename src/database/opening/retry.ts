import { setTimeout } from 'node:timers/promises';
import { TimeoutError } from '../../conversation/errors.js';

/** How long a job keeps trying while others are in its way, in milliseconds. */
const GIVE_UP_AFTER_MS = 60_000;
/** The longest pauses between two attempts, in milliseconds: at first, doubled each time, and at last. */
const FIRST_PAUSE_MS = 1;
const LAST_PAUSE_MS = 50;

/**
 * Runs a job again as long as it fails only because others were in its way: a lock that is held, a deadlock lost.
 * @param isBusy whether an error says no more than that
 * @throws TimeoutError when they were in its way for too long
 */
export async function retryWhileBusy<T>(job: () => Promise<T>, isBusy: (error: unknown) => boolean): Promise<T> {
  const deadline = Date.now() + GIVE_UP_AFTER_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
    try {
      return await job();
    } catch (error) {
      if (!isBusy(error)) throw error;
      // As whoever has a deadline of its own, of the same length, is told.
      if (Date.now() > deadline) throw new TimeoutError('Others held the database for too long', { cause: error });
    }
    // A random pause, so that those that collide do not collide again and again.
    await setTimeout(Math.random() * pause);
  }
}
