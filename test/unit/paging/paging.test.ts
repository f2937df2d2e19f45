import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageOfList, pageWindow, sliceOf, type PageRequest, type Slice } from '../../../src/conversation/paging.js';
import { runs } from '../../support/effort.js';

const positions = fc.option(fc.integer({ min: -1, max: 14 }));
const sizes = fc.integer({ min: 0, max: 14 });
const pages: fc.Arbitrary<PageRequest<number>> = fc.oneof(
  fc.record({ first: fc.option(sizes), last: fc.constant(null), after: positions, before: positions }),
  fc.record({ first: fc.constant(null), last: sizes, after: positions, before: positions }),
);
const lengths = fc.integer({ min: 0, max: 12 });

const numbers = (length: number) => Array.from({ length }, (_, n) => n);

/** The page according to the algorithm of the Relay specification: filter by the cursors, then take from one end. */
function pageOf(list: readonly number[], { first, last, after, before }: PageRequest<number>): number[] {
  let page = list.filter((position) => (after === null || position > after) && (before === null || position < before));
  if (first !== null) page = page.slice(0, first);
  if (last !== null) page = page.slice(Math.max(0, page.length - last));
  return page;
}

function readPage(page: PageRequest<number>, length: number) {
  const window = pageWindow(page, length);
  return sliceOf(numbers(length).slice(window.start, window.end), window, length);
}

describe('a page', () => {
  it('has the fields of the Relay specification', () => {
    fc.assert(
      fc.property(pages, lengths, (page, length) => {
        expect(readPage(page, length).rows).toEqual(pageOf(numbers(length), page));
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each(['ASC', 'DESC'] as const)('of a list with gaps has the same borders: %s', (order) => {
    const sign = order === 'ASC' ? 1 : -1;
    const inOrder = (list: number[]) => list.sort((a, b) => sign * (a - b));
    fc.assert(
      fc.property(pages, fc.uniqueArray(fc.nat(14)).map(inOrder), (page, list) => {
        const borders = { after: page.after && sign * page.after, before: page.before && sign * page.before };
        const expected = pageOf(
          list.map((position) => sign * position),
          { ...page, ...borders },
        );
        expect(pageOfList(list, page, (position) => position, order).rows.map((row) => sign * row)).toEqual(expected);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('lies within its list, empty or not', () => {
    fc.assert(
      fc.property(pages, lengths, (page, length) => {
        const { start, end } = pageWindow(page, length);
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThanOrEqual(start);
        expect(length).toBeGreaterThanOrEqual(end);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('states whether the list continues before and after it', () => {
    fc.assert(
      fc.property(pages, lengths, (page, length) => {
        const { rows, hasPreviousPage, hasNextPage, totalCount } = readPage(page, length);
        expect(totalCount).toBe(length);
        if (rows.length === 0) return;
        expect(hasPreviousPage).toBe(rows[0] !== 0);
        expect(hasNextPage).toBe(rows.at(-1) !== length - 1);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('an empty page still states on which side the list continues', () => {
    const none = { first: 0, last: null, before: null };
    expect(readPage({ ...none, after: null }, 3)).toMatchObject({ hasPreviousPage: false, hasNextPage: true });
    expect(readPage({ ...none, after: 0 }, 3)).toMatchObject({ hasPreviousPage: true, hasNextPage: true });
    expect(readPage({ ...none, after: 2 }, 3)).toMatchObject({ hasPreviousPage: true, hasNextPage: false });
    expect(readPage({ ...none, after: 50 }, 3)).toMatchObject({ hasPreviousPage: true, hasNextPage: false });
    expect(readPage({ ...none, after: null }, 0)).toMatchObject({ hasPreviousPage: false, hasNextPage: false });
  });

  it.each(['forwards', 'backwards'])('follow each other, %s, and cover the list exactly once', (direction) => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 5 }), (length, size) => {
        const seen: number[] = [];
        const isForwards = direction === 'forwards';
        let cursor: number | null = null;
        for (let hasMore = true; hasMore && seen.length <= length;) {
          const slice: Slice<number> = isForwards
            ? readPage({ first: size, last: null, after: cursor, before: null }, length)
            : readPage({ first: null, last: size, after: null, before: cursor }, length);
          if (isForwards) seen.push(...slice.rows);
          else seen.unshift(...slice.rows);
          cursor = slice.rows.at(isForwards ? -1 : 0) ?? null;
          hasMore = isForwards ? slice.hasNextPage : slice.hasPreviousPage;
        }
        expect(seen).toEqual(numbers(length));
      }),
    );
  });
});
