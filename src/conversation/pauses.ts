import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** How long somebody may work in one turn of the event loop before the others have theirs, in milliseconds. */
const TURN_MS = 10;

/** When somebody who has much to do lets the event loop turn. */
/** Between two steps of a removal, in milliseconds: the longest interval at which SQLite looks for a free lock. */
export const PAUSE_MS = 25;

/**
 * Runs one of many transactions and then waits for as long as it took: processes do not queue for the lock of a
 * SQLite file, so others can write only while it is free.
 * @param transaction calls `begin` when it has the lock
 */
export async function paced<T>(transaction: (begin: () => void) => Promise<T>): Promise<T> {
  let startedAt = performance.now();
  const result = await transaction(() => (startedAt = performance.now()));
  await pause(performance.now() - startedAt);
  return result;
}

export class Pauses {
  #since = performance.now();

  /** To be called between pieces of work: at once, or after a turn when this one has lasted long. */
  async giveWay(): Promise<void> {
    if (performance.now() - this.#since < TURN_MS) return;
    await nextTurn();
    this.#since = performance.now();
  }
}
