/**
 * Schedules the loaders of an operation: as DataLoader does by default, except while a long list is completed in steps.
 * It schedules batches, not time of the main thread, which `completions` limits.
 */
import { completions } from '../../scheduler/event-loop-slots.js';

/** Elements that are completed without a wait. */
const FIRST_STEP_ELEMENTS = 500;
/** Elements of each later step. */
const STEP_ELEMENTS = 100;

export class LoadSchedule {
  #holders = 0;
  readonly #held: (() => void)[] = [];

  constructor(private readonly userId: string) {}

  /** @param load loads a batch */
  readonly batch = (load: () => void): void => {
    if (this.#holders > 0) this.#held.push(load);
    else soon(load);
  };

  /** Waits until the executor may complete the loaded values. */
  begin(): Promise<void> | null {
    return completions.beginCompletion(this.userId);
  }

  /**
   * Lets the executor complete a list in steps. Loads of its elements wait for the last step, so that they share batches.
   * @param refusalOf returns the error of a refused operation, which then replaces all later elements
   */
  completeInSteps<T>(list: readonly T[], refusalOf: () => Error | null): readonly (T | Promise<T | Error>)[] {
    if (list.length <= FIRST_STEP_ELEMENTS) return list;
    this.#holders++;
    // Steps resolve to errors: a rejection could go unhandled and would end the process.
    let step: Promise<Error | null> = Promise.resolve(null);
    const elements = list.map((element, n) => {
      if (n < FIRST_STEP_ELEMENTS) return element;
      if ((n - FIRST_STEP_ELEMENTS) % STEP_ELEMENTS === 0) {
        step = step.then(async () => {
          await this.begin();
          return refusalOf();
        });
      }
      return step.then((refusal) => refusal ?? element);
    });
    void step.then(async () => {
      // The elements of the last step are resolved before.
      await this.begin();
      this.#release();
    });
    return elements;
  }

  #release(): void {
    this.#holders--;
    if (this.#holders > 0) return;
    for (const load of this.#held.splice(0)) soon(load);
  }
}

/** Runs a load after the microtasks of the current resolution. */
function soon(load: () => void): void {
  void Promise.resolve().then(() => process.nextTick(load));
}
