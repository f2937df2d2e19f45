/** Limits of searches: each proceeds in steps, so that others need not wait for its end. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairLimiter } from './fair-limiter.js';
import type { Caller } from './fair-queue.js';

/** Whole searches, each of which keeps its hits in memory. */
export const searches = new FairLimiter({ concurrency: Infinity, perUser: 4 });

/** Statements of searches: few enough to leave connections and threads to other reads. */
export const searchSteps = new FairLimiter({ concurrency: 2, perUser: 1 });

/** Steps through words on the main thread, for snippets and titles. */
const wordSteps = new FairLimiter({ concurrency: 1 });

/** Waits for a turn of the event loop without any other step through words. */
export function beginWordStep(caller: Caller | undefined): Promise<void> {
  return wordSteps.run(caller, () => nextTurn());
}
