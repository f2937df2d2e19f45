/** Pages of lists whose elements have positions: increasing numbers, not necessarily consecutive. */
import { MAX_INT } from './bounds.js';

/** As in Relay cursor connections; at most one of first and last. Both ends are exclusive. */
export interface PageRequest<P> {
  first: number | null;
  last: number | null;
  after: P | null;
  before: P | null;
}

/** The largest list length that every database accepts; no seq exceeds it. */
export const MAX_LIST_LENGTH = MAX_INT;

export const WHOLE_LIST: PageRequest<never> = { first: null, last: null, after: null, before: null };

export interface Page<T> {
  rows: T[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

/** A page and its position in the list. */
export interface Slice<T> extends Page<T> {
  /** The length of the whole list. */
  totalCount: number;
}

/**
 * The positions of a page in a list with positions 0, 1, 2 and so on.
 * @returns start inclusive, end exclusive
 */
export function pageWindow(page: PageRequest<number>, totalCount: number): { start: number; end: number } {
  const low = page.after === null ? 0 : Math.min(page.after + 1, totalCount);
  const high = page.before === null ? totalCount : Math.min(page.before, totalCount);
  const end = page.first === null ? high : Math.min(high, low + page.first);
  const start = page.last === null ? low : Math.max(low, end - page.last);
  return { start, end: Math.max(start, end) };
}

/** Like pageWindow, for a list with seqs as positions: 1, 2, 3 and so on. */
export function seqWindow(page: PageRequest<number>, totalCount: number): { start: number; end: number } {
  const toIndex = (seq: number | null) => (seq === null ? null : seq - 1);
  return pageWindow({ ...page, after: toIndex(page.after), before: toIndex(page.before) }, totalCount);
}

/** The page of a list given by a window. */
export function sliceOf<T>(rows: T[], window: { start: number; end: number }, totalCount: number): Slice<T> {
  return { rows, totalCount, hasPreviousPage: window.start > 0, hasNextPage: window.end < totalCount };
}

/**
 * A page of a list in memory. Its elements may change between two pages.
 * @param positionOf a distinct number for each element
 * @param order that of the positions in the list
 */
export function pageOfList<T>(
  list: readonly T[],
  page: PageRequest<number>,
  positionOf: (element: T) => number,
  order: 'ASC' | 'DESC',
): Slice<T> {
  const sign = order === 'ASC' ? 1 : -1;
  const countUpTo = (position: number) => list.filter((each) => sign * (positionOf(each) - position) <= 0).length;
  const after = page.after === null ? null : countUpTo(page.after) - 1;
  const before = page.before === null ? null : countUpTo(page.before - sign);
  const window = pageWindow({ ...page, after, before }, list.length);
  return sliceOf(list.slice(window.start, window.end), window, list.length);
}
