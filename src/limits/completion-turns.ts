/**
 * Keeps the turns of the event loop short while answers are made. The executor completes a list without a pause, and what
 * has been loaded together all at once: with 100,000 objects that takes seconds.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairQueue } from './fair-queue.js';

/** How long a turn may last before the rest waits for another one, in milliseconds. */
const TURN_MS = 10;

/** How many microtasks behind its own the executor has completed what somebody gave it. */
const MICROTASKS = 4;

async function completion(): Promise<void> {
  for (let n = 0; n < MICROTASKS; n++) await Promise.resolve();
}

export class CompletionTurns {
  /** When the first piece of this turn began; null before it. */
  #began: number | null = null;
  readonly #waiting = new FairQueue<() => void>();
  #isGoing = false;

  /**
   * Asks for time to complete a piece of an answer: there is some at once (null), or it comes behind others, users in turn.
   */
  wait(userId: string): Promise<void> | null {
    const isFirst = !this.#isGoing;
    if (isFirst) void this.#go();
    if (isFirst && this.#hasTime()) return null;
    return new Promise((resolve) => this.#waiting.add(userId, resolve));
  }

  /** Lets one after the other go on, until nobody waits. */
  async #go(): Promise<void> {
    this.#isGoing = true;
    await completion();
    for (let next = this.#waiting.next(); next !== null; next = this.#waiting.next()) {
      while (!this.#hasTime()) await nextTurn();
      next.item();
      await completion();
    }
    this.#isGoing = false;
  }

  #hasTime(): boolean {
    if (this.#began !== null) return performance.now() - this.#began < TURN_MS;
    this.#began = performance.now();
    // Before those that wait, so that they find a new turn.
    setImmediate(() => (this.#began = null));
    return true;
  }
}

/** Those of all answers of the process. */
export const completionTurns = new CompletionTurns();
