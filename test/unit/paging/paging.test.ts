import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageOfList, pageWindow, sliceOf, type PageRequest } from '../../../src/conversation/paging.js';
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

test('a page has the fields of the Relay specification, and states whether the list continues before and after it', () => {
  fc.assert(
    fc.property(pages, lengths, (page, length) => {
      const { rows, hasPreviousPage, hasNextPage, totalCount } = readPage(page, length);
      expect([rows, totalCount]).toEqual([pageOf(numbers(length), page), length]);
      if (rows.length > 0) expect([hasPreviousPage, hasNextPage]).toEqual([rows[0] !== 0, rows.at(-1) !== length - 1]);
    }),
    { numRuns: runs(2000) },
  );
});

test.each(['ASC', 'DESC'] as const)('a page of a list with gaps has the same borders: %s', (order) => {
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
