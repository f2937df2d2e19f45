/** Checks of the fields of an input, whose problems one error reports. */
import { InvalidInputError, type InputProblem } from './errors.js';

/** Problems of one error. */
export const MAX_PROBLEMS = 20;

type Results<Checks> = { [Name in keyof Checks]: Checks[Name] extends () => infer Result ? Result : never };

/**
 * Runs all checks.
 * @returns their results by the same names
 * @throws InvalidInputError with the problems of all, in their order
 */
export function checkAll<Checks extends Record<string, () => unknown>>(checks: Checks): Results<Checks> {
  const results: Record<string, unknown> = {};
  checkEach(Object.keys(checks), (name) => void (results[name] = checks[name]?.()));
  return results as Results<Checks>;
}

/**
 * Checks each element of a list, up to MAX_PROBLEMS problems.
 * @returns the results in the same order
 * @throws InvalidInputError
 */
export function checkEach<Element, Result>(
  list: readonly Element[],
  check: (element: Element, index: number) => Result,
): Result[] {
  const results: Result[] = [];
  const problems: InputProblem[] = [];
  for (const [index, element] of list.entries()) {
    try {
      results.push(check(element, index));
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      problems.push(...error.problems);
      if (problems.length >= MAX_PROBLEMS) break;
    }
  }
  const [first, ...others] = problems.slice(0, MAX_PROBLEMS);
  if (first !== undefined) throw new InvalidInputError(first.message, first.path, others);
  return results;
}
