/** Leaves the lock of a SQLite file free between the transactions of a long operation: processes do not queue for it. */
import { setTimeout as pause } from 'node:timers/promises';

/** Pause between two transactions of a removal, in milliseconds: the longest interval at which SQLite retries a lock. */
export const LOCK_PAUSE_MS = 25;

/**
 * Runs a transaction and then waits for as long as it took.
 * @param transaction calls `begin` when it has the lock
 */
export async function paced<T>(transaction: (begin: () => void) => Promise<T>): Promise<T> {
  let startedAt = performance.now();
  const result = await transaction(() => (startedAt = performance.now()));
  await pause(performance.now() - startedAt);
  return result;
}
