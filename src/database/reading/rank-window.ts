import { pageWindow, type PageRequest } from '../../conversation/paging.js';
import type { Keyed } from './rows.js';

/** The length of a list, the number of its rows up to `after`, and of those before `before`. */
export interface Bounds extends Keyed {
  total: number;
  low: number;
  high: number;
}

/** The ranks of the pages of `count` lists among the rows between their cursors; an empty list has no bounds. */
export function rankWindows(page: PageRequest<number>, rows: readonly Bounds[], count: number) {
  const byN = new Map(rows.map((row) => [row.n, row]));
  const slices = Array.from({ length: count }, (_, n) => {
    const { low, high, total } = byN.get(n) ?? { low: 0, high: 0, total: 0 };
    return { window: pageWindow({ ...page, after: low - 1, before: high }, total), total };
  });
  const lengths = slices.map(({ window }) => window.end - window.start);
  const sum = lengths.reduce((total, each) => total + each, 0);
  return { slices, longest: lengths.reduce((most, each) => Math.max(most, each), 0), sum };
}
