/** Lanes and rows for the segments of an outline. The tests check the drawing cell by cell. */
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
const isLeaf = (segments: readonly Placeable[], n: number) => segments.every(({ parent }) => parent !== n);
const childrenOf = (segments: readonly Placeable[], n: number) =>
  [...segments.keys()].filter((child) => segments[child]!.parent === n);

/** The line or message of each cell, as `lane,row`. */
function cells(segments: readonly Placeable[], { lane, top, bottom, from }: Layout): void {
  const drawn = new Map<string, string>();
  const draw = (n: number, row: number, what: string) => {
    const cell = `${lane[n]},${row}`;
    const there = drawn.get(cell);
    if (there !== undefined && there !== what) throw new Error(`${what} meets ${there} at ${cell}`);
    drawn.set(cell, what);
  };
  for (const n of segments.keys()) {
    for (let row = from[n]!; row <= bottom[n]!; row++) draw(n, row, `segment ${n}`);
    // Down the lane to where the last child leaves.
    const end = Math.max(0, ...childrenOf(segments, n).map((child) => from[child]!));
    for (let row = bottom[n]! + 1; row < end; row++) draw(n, row, `behind ${n}`);
  }
  expect(new Set(segments.flatMap(({ rows }, n) => Array.from({ length: rows }, (_, k) => top[n]! + k))).size).toBe(
    segments.reduce((sum, { rows }) => sum + rows, 0),
  );
}

it('gives each message a row of its own, below its parent, and no line meets another one', () => {
  fc.assert(
    fc.property(forest, (segments) => {
      const layout = layOut(segments);
      const { lane, top, bottom, from, width, height } = layout;
      cells(segments, layout);
      for (const [n, { parent, rows }] of segments.entries()) {
        expect(bottom[n]! - top[n]!).toBe(rows - 1);
        expect(from[n]).toBeGreaterThan(parent === -1 ? -1 : bottom[parent]!);
        expect(from[n]).toBeLessThanOrEqual(top[n]!);
        if (parent !== -1) expect([0, 1]).toContain(lane[n]! - lane[parent]!);
      }
      expect(width).toBe(Math.max(0, ...lane.map((each) => each + 1)));
      expect(height).toBe(segments.reduce((sum, { rows }) => sum + rows, 0));
    }),
    { numRuns: runs(2_000) },
  );
});

it('continues a lane with the oldest child', () => {
  fc.assert(
    fc.property(forest, (segments) => {
      const { lane, straight } = layOut(segments);
      for (const n of segments.keys()) {
        const [oldest = -1, ...younger] = childrenOf(segments, n);
        expect(straight[n]).toBe(oldest);
        if (oldest !== -1) expect(lane[oldest]).toBe(lane[n]);
        for (const child of younger) expect(lane[child]).toBe(lane[n]! + 1);
      }
    }),
    { numRuns: runs(500) },
  );
});

it('keeps all lanes when messages are added anywhere', () => {
  fc.assert(
    fc.property(forest, fc.array(fc.nat(59), { maxLength: 5 }), (segments, parents) => {
      const before = layOut(segments);
      const more = parents.map((n) => ({ parent: Math.min(n, segments.length - 1), rows: 2 }));
      const after = layOut([...segments, ...more]);
      expect(after.lane.slice(0, segments.length)).toEqual(before.lane);
    }),
    { numRuns: runs(500) },
  );
});

it('places a smaller branch above a larger one', () => {
  const message = (parent: number) => ({ parent, rows: 1 });
  // An answer with another version; a question with an edit; the edit's answer has another one, too.
  const segments = [-1, 0, 0, 1, 3, 3, 5, 6, 6].map(message);
  const { top, from, lane } = layOut(segments);
  expect([...lane]).toEqual([0, 0, 1, 0, 0, 1, 1, 1, 2]);
  expect([...top]).toEqual([0, 2, 1, 3, 4, 5, 6, 7, 8]);
  // The edit passes the version that it leaves.
  expect(from[5]).toBe(top[4]);
});

it('grows by the new row only when a leaf grows', () => {
  fc.assert(
    fc.property(forest, fc.nat(59), (segments, some) => {
      const leaves = [...segments.keys()].filter((n) => isLeaf(segments, n));
      if (leaves.length === 0) return;
      const grown = leaves[some % leaves.length]!;
      const after = layOut(segments.map((each, n) => (n === grown ? { ...each, rows: each.rows + 1 } : each)));
      expect(after.height).toBe(layOut(segments).height + 1);
    }),
    { numRuns: runs(500) },
  );
});

it('needs at most forty lanes for 10,000 forks of any shape', () => {
  const count = 20_001;
  const shape = (parentOf: (n: number) => number) =>
    Array.from({ length: count }, (_, n): Placeable => ({ parent: n === 0 ? -1 : parentOf(n), rows: 1 + (n % 3) }));
  // A comb that always continues the oldest or the youngest; a message with all children; halves of halves; only roots.
  for (const [segments, width] of [
    [shape((n) => Math.max(0, n % 2 === 1 ? n - 2 : n - 3)), 2],
    [shape((n) => (n % 2 === 1 ? Math.max(0, n - 2) : n - 1)), 40],
    [shape(() => 0), 2],
    [shape((n) => Math.floor((n - 1) / 2)), 14],
    [shape(() => -1), 1],
  ] as const) {
    const layout = layOut(segments);
    expect(layout.width).toBe(width);
    expect(layout.height).toBe(segments.reduce((sum, { rows }) => sum + rows, 0));
  }
  expect(layOut([])).toMatchObject({ width: 0, height: 0 });
});
