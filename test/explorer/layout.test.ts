/** Lanes for the segments of an outline. The tests check the drawing cell by cell. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { layOut, type Layout, type Placeable } from '../../packages/explorer/src/graph/scene/layout.js';
import { runs } from '../support/effort.js';

/** Random forests. The distance is from a segment to its parent; 0 makes a root. */
const forest = fc
  .array(fc.record({ distance: fc.nat(12), rows: fc.integer({ min: 1, max: 4 }) }), { maxLength: 60 })
  .map((list) =>
    list.map(({ distance, rows }, n): Placeable => ({
      parent: distance === 0 ? -1 : Math.max(-1, n - distance),
      rows,
    })),
  );
const withMain = fc
  .tuple(forest, fc.nat(59))
  .map(([segments, n]) => ({ segments, main: Math.min(n, segments.length - 1) }));

/** The content of each cell, as `lane,row`: segments, and the lanes between them. */
function cells(segments: readonly Placeable[], { lane, top, bottom }: Layout): Map<string, string> {
  const drawn = new Map<string, string>();
  const draw = (n: number, row: number, what: string) => {
    const cell = `${lane[n]},${row}`;
    const there = drawn.get(cell);
    if (there !== undefined && there !== what) throw new Error(`${what} meets ${there} at ${cell}`);
    drawn.set(cell, what);
  };
  const lowest = new Map<number, number>();
  for (const [n, { parent }] of segments.entries()) {
    for (let row = top[n]!; row <= bottom[n]!; row++) draw(n, row, `segment ${n}`);
    lowest.set(parent, Math.max(lowest.get(parent) ?? 0, top[n]!));
  }
  // Down the lane of the parent, then between two rows to the segment's own lane.
  for (const [n, end] of lowest)
    if (n !== -1) for (let row = bottom[n]! + 1; row < end; row++) draw(n, row, `behind ${n}`);
  return drawn;
}

const isLeaf = (segments: readonly Placeable[], n: number) => segments.every(({ parent }) => parent !== n);

it('draws without overlaps, children below their parents, and edges to the next lane at most', () => {
  fc.assert(
    fc.property(withMain, ({ segments, main }) => {
      const layout = layOut(segments, main);
      const { lane, top, bottom, width, height } = layout;
      cells(segments, layout);
      for (const [n, { parent, rows }] of segments.entries()) {
        expect(bottom[n]! - top[n]!).toBe(rows - 1);
        expect(top[n]).toBeGreaterThan(parent === -1 ? -1 : bottom[parent]!);
        if (parent !== -1) expect([0, 1]).toContain(lane[n]! - lane[parent]!);
      }
      expect([width, height]).toEqual([
        Math.max(0, ...lane.map((each) => each + 1)),
        Math.max(0, ...bottom.map((each) => each + 1)),
      ]);
    }),
    { numRuns: runs(2_000) },
  );
});

it('edges share a path only where they leave a lane at the same row', () => {
  fc.assert(
    fc.property(withMain, ({ segments, main }) => {
      const { lane, top } = layOut(segments, main);
      const turns = [...segments.keys()].filter(
        (n) => segments[n]!.parent !== -1 && lane[n] !== lane[segments[n]!.parent],
      );
      expect(new Set(turns.map((n) => `${lane[n]},${top[n]}`)).size).toBe(turns.length);
    }),
    { numRuns: runs(500) },
  );
});

it('puts the main line on the first lane, and one child of each segment on its parent’s lane', () => {
  fc.assert(
    fc.property(withMain, ({ segments, main }) => {
      const { lane, straight } = layOut(segments, main);
      for (let at = main; at !== -1; at = segments[at]!.parent) expect(lane[at]).toBe(0);
      for (const n of segments.keys()) {
        const children = [...segments.keys()].filter((child) => segments[child]!.parent === n);
        expect(children.filter((child) => lane[child] === lane[n])).toEqual(straight[n] === -1 ? [] : [straight[n]]);
        expect(straight[n] === -1).toBe(children.length === 0);
      }
    }),
    { numRuns: runs(500) },
  );
});

it('keeps lanes and order when a leaf grows by a row, and moves nothing by more', () => {
  fc.assert(
    fc.property(withMain, fc.nat(59), ({ segments, main }, some) => {
      const leaves = [...segments.keys()].filter((n) => isLeaf(segments, n));
      if (leaves.length === 0) return;
      const grown = leaves[some % leaves.length]!;
      const before = layOut(segments, main);
      const after = layOut(
        segments.map((segment, n) => (n === grown ? { ...segment, rows: segment.rows + 1 } : segment)),
        main,
      );
      expect(after.lane).toEqual(before.lane);
      for (const n of segments.keys()) expect([0, 1]).toContain(after.top[n]! - before.top[n]!);
      if (grown === main) expect(after.top).toEqual(before.top);
    }),
    { numRuns: runs(500) },
  );
});

it('needs few lanes for 10,000 forks of any shape', () => {
  const count = 20_001;
  const shape = (parentOf: (n: number) => number) =>
    Array.from({ length: count }, (_, n): Placeable => ({ parent: n === 0 ? -1 : parentOf(n), rows: 1 + (n % 3) }));
  // A comb, without and with its trunk as the main line; a message with all children; halves of halves; only roots.
  const comb = shape((n) => n - 2 + (n % 2));
  const halves = shape((n) => Math.floor((n - 1) / 2));
  for (const [segments, main, width] of [
    [comb, -1, 2],
    [comb, count - 1, 2],
    [comb, 1, 3],
    [shape(() => 0), 1, 2],
    [halves, -1, 14],
    [shape(() => -1), 5, 2],
  ] as const) {
    const layout = layOut(segments, main);
    cells(segments, layout);
    expect(layout.width).toBe(width);
  }
  expect(layOut([], -1)).toMatchObject({ width: 0, height: 0 });
});
