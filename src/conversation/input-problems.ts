/** Checks of the fields of an input, whose problems one error reports. */
import { InvalidInputError, type InputProblem } from './errors.js';

export const MAX_PROBLEMS = 20;

/** The checks of one input. */
export class InputChecks {
  readonly #problems: InputProblem[] = [];

  /**
   * Runs a check with its arguments, and keeps its problems.
   * @returns its result, undefined after a problem: to be used after `end`
   * @throws InvalidInputError after MAX_PROBLEMS
   */
  run<Args extends readonly unknown[], Result>(check: (...args: Args) => Result, ...args: Args): Result {
    try {
      return check(...args);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      this.#problems.push(...error.problems);
      if (this.#problems.length >= MAX_PROBLEMS) this.end();
      return undefined as Result;
    }
  }

  /** @throws InvalidInputError with the problems of all checks, in their order */
  end(): void {
    const [first, ...others] = this.#problems.slice(0, MAX_PROBLEMS);
    if (first !== undefined) throw new InvalidInputError(first.message, first.path, others);
  }
}

/**
 * Checks each element of a list.
 * @returns the results in the same order
 * @throws InvalidInputError
 */
export function checkEach<Element, Result>(
  list: readonly Element[],
  check: (element: Element, index: number) => Result,
): Result[] {
  const checks = new InputChecks();
  const results = list.map((element, index) => checks.run(check, element, index));
  checks.end();
  return results;
}
