import { completionTurns } from '../limits/completion-turns.js';
import type { Loaders } from './loaders.js';

/** A list of so many elements is completed at once, and of a longer one so many. */
const AT_ONCE = 500;

/** Elements of each step behind those. */
const STEP = 100;

/**
 * A list for the executor to complete in steps, each when there is time for it. What the elements load is loaded when all of
 * them have asked for it. Of those that are left when the operation has been refused nothing is resolved: each is the refusal.
 */
export function listInSteps<T>(
  list: readonly T[],
  loaders: Loaders,
  refusalOf: () => Error | null,
): readonly (T | Promise<T | Error>)[] {
  if (list.length <= AT_ONCE) return list;
  loaders.schedule.hold();
  // One step behind the other, so that others come between them. None fails: nobody might catch it.
  let step: Promise<Error | null> = Promise.resolve(null);
  const elements = list.map((element, n) => {
    if (n < AT_ONCE) return element;
    if ((n - AT_ONCE) % STEP === 0) {
      step = step.then(async () => {
        await completionTurns.wait(loaders.userId);
        return refusalOf();
      });
    }
    return step.then((refusal) => refusal ?? element);
  });
  void step.then(async () => {
    // The last of them are resolved right behind.
    await completionTurns.wait(loaders.userId);
    loaders.schedule.release();
  });
  return elements;
}
