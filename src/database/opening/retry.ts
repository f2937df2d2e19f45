import { setTimeout } from 'node:timers/promises';

/** How long a job keeps trying while others are in its way, in milliseconds. */
const GIVE_UP_AFTER_MS = 60_000;
const MAX_PAUSE_MS = 50;

/**
 * Runs a job again as long as it fails only because others were in its way: a lock that is held, a deadlock lost.
 * @param isBusy whether an error says no more than that
 */
export async function retryWhileBusy<T>(job: () => Promise<T>, isBusy: (error: unknown) => boolean): Promise<T> {
  const deadline = Date.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    try {
      return await job();
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
    }
    // A random pause, so that those that collide do not collide again and again.
    await setTimeout(Math.random() * MAX_PAUSE_MS);
  }
}
