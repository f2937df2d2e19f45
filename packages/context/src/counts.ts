import { invalid } from './errors.js';

/** The largest value of GraphQL's Int, and the longest timeout in milliseconds. */
export const MAX_INT = 2 ** 31 - 1;

/**
 * A count or a duration, with the same range in every store.
 * @throws ContextError for other values than whole numbers in the range
 */
export function checkCount(value: number, path: string, low: number, high = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= low && value <= high) return value;
  const range = high === Number.MAX_SAFE_INTEGER ? `of ${low} or more` : `from ${low} to ${high}`;
  throw invalid(`${path} must be a whole number ${range}, not ${value}`, path);
}

/** The hits of one search. */
export const MAX_HITS = 1000;
