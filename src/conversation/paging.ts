/** Pages of lists whose elements have positions: numbers that grow along the list, in steps of one or more. */

/** As in Relay cursor connections; at most one of first and last. Both ends are exclusive. */
export interface PageRequest<P> {
  first: number | null;
  last: number | null;
  after: P | null;
  before: P | null;
}

/** The largest number that every database takes for the length of a list, and that no seq is beyond. */
export const LONGEST_LIST = 2 ** 31 - 1;

/** The page that is all of a list. */
export const WHOLE_LIST: PageRequest<never> = { first: null, last: null, after: null, before: null };

/** A page, and where it stands in its list. */
export interface Slice<T> {
  rows: T[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** The length of the whole list. */
  totalCount: number;
}

/**
 * The positions of a page in a list whose positions are 0, 1, 2 and so on.
 * @returns start inclusive, end exclusive
 */
export function pageWindow(page: PageRequest<number>, totalCount: number): { start: number; end: number } {
  const low = page.after === null ? 0 : Math.min(page.after + 1, totalCount);
  const high = page.before === null ? totalCount : Math.min(page.before, totalCount);
  const end = page.first === null ? high : Math.min(high, low + page.first);
  const start = page.last === null ? low : Math.max(low, end - page.last);
  return { start, end: Math.max(start, end) };
}

/** The same of a list whose positions are seqs: 1, 2, 3 and so on. */
export function seqWindow(page: PageRequest<number>, totalCount: number): { start: number; end: number } {
  const toIndex = (seq: number | null) => (seq === null ? null : seq - 1);
  return pageWindow({ ...page, after: toIndex(page.after), before: toIndex(page.before) }, totalCount);
}

/** The page that a window of the list holds. */
export function sliceOf<T>(rows: T[], window: { start: number; end: number }, totalCount: number): Slice<T> {
  return { rows, totalCount, hasPreviousPage: window.start > 0, hasNextPage: window.end < totalCount };
}
