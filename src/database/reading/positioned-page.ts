import { MAX_INT } from '../../conversation/bounds.js';
import type { Page, PageRequest } from '../../conversation/paging.js';

interface Range<P> {
  after: P | null;
  before: P | null;
}

interface PositionedList<T, P> {
  /** The first or last `count` rows between two positions. */
  read(range: Range<P>, from: 'first' | 'last', limit: number): Promise<T[]>;
  /** By default, it reads a row. */
  isAnythingAt?(range: Range<P>): Promise<boolean>;
  positionOf(row: T): P;
}

/** A page of a list of unknown length. */
export async function positionedPage<T, P>(
  { first, last, after, before }: PageRequest<P>,
  list: PositionedList<T, P>,
): Promise<Page<T>> {
  const backwards = last !== null;
  const limit = (backwards ? last : first) ?? MAX_INT - 1;
  const isAnythingAt =
    list.isAnythingAt ?? (async (range: Range<P>) => (await list.read(range, 'first', 1)).length > 0);
  // One extra row shows whether more follow.
  const found = await list.read({ after, before }, backwards ? 'last' : 'first', limit + 1);
  const hasMore = found.length > limit;
  const rows = found.slice(0, limit);
  if (backwards) rows.reverse();
  const [start, end] = [rows[0], rows.at(-1)];
  const positionOf = (row: T | undefined) => (row === undefined ? null : list.positionOf(row));
  // An empty page has the other rows of the list, if any, on the side of its cursor.
  const hasPreviousPage =
    (backwards && hasMore) || (after !== null && (await isAnythingAt({ after: null, before: positionOf(start) })));
  const hasNextPage =
    (!backwards && hasMore) || (before !== null && (await isAnythingAt({ after: positionOf(end), before: null })));
  return { rows, hasNextPage, hasPreviousPage };
}
