import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long somebody may work in one turn of the event loop before the others have theirs, in milliseconds. */
const TURN_MS = 10;

/** When somebody who has much to do lets the event loop turn. */
export class Pauses {
  #since = performance.now();

  /** To be called between pieces of work: at once, or after a turn when this one has lasted long. */
  async giveWay(): Promise<void> {
    if (performance.now() - this.#since < TURN_MS) return;
    await nextTurn();
    this.#since = performance.now();
  }
}
