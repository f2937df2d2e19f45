import { pageWindow, type PageRequest } from '../../conversation/paging.js';
import type { Keyed } from './rows.js';

/** The length of a list, the number of its rows up to `after`, and of those before `before`. */
export interface Bounds extends Keyed {
  total: number;
  low: number;
  high: number;
}

/** The ranks of a page among the rows between its cursors; an empty list has no bounds. */
export function rankWindow(page: PageRequest<number>, bounds: Bounds | undefined) {
  const { low, high, total } = bounds ?? { low: 0, high: 0, total: 0 };
  const ranks = { ...page, after: low - 1, before: high };
  return { window: pageWindow(ranks, total), total };
}
