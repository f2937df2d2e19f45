import { isUnreachable } from './errors.js';
import { pause, type RetryDelay } from './pause.js';

/**
 * Runs work until it succeeds. The signal ends the pauses and the repetitions; work that must not run after it checks it itself.
 * @param isTransient whether the work can succeed when it is repeated; called after each failure, before the pause, with the number of
 *   repetitions so far
 * @throws the reason of a failure that is not transient, or of any failure when the signal is aborted
 */
export async function retry<Result>(
  work: () => Promise<Result>,
  delay: RetryDelay,
  signal?: AbortSignal,
  isTransient: (reason: unknown, tries: number) => boolean = isUnreachable,
): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (reason) {
      if (signal?.aborted === true || !isTransient(reason, tries)) throw reason;
    }
    await pause(delay(tries), signal);
  }
}
