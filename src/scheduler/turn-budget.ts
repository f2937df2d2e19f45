/** Yields to the event loop when an operation has used its budget of the main thread. Long loops call it in each step. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long an operation may use the main thread before it yields, in milliseconds. */
export const TURN_BUDGET_MS = 10;

export class TurnBudget {
  #since = performance.now();

  /** Returns at once within the budget, and after a turn of the event loop otherwise. */
  yieldIfDue = async (): Promise<void> => {
    if (performance.now() - this.#since < TURN_BUDGET_MS) return;
    await nextTurn();
    this.#since = performance.now();
  };
}
