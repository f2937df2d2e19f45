/** The scene of the explorer's graph: the segments of an outline with their positions. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Segment } from '../../packages/explorer/src/graph/outline.js';
import { lanesAt, sceneOf, segmentAt, walk } from '../../packages/explorer/src/graph/scene.js';
import { fitted, following, showing, zoomed } from '../../packages/explorer/src/graph/camera.js';
import { LANE, ROW } from '../../packages/explorer/src/graph/dimensions.js';
import { labelsOf, segmentOf } from '../../packages/explorer/src/graph/labels.js';
import { runs } from '../support/effort.js';

const ends = { firstRole: 'user', firstContent: 'a', lastRole: 'user', lastContent: 'b' };
const segment = (n: number, parent: number, length: number): Segment => ({
  ...ends,
  firstId: `${n}-first`,
  lastId: length === 1 ? `${n}-first` : `${n}-last`,
  parentId: parent < 0 ? null : `${parent}`,
  length,
  depth: 0,
});
const outline = fc
  .array(fc.record({ distance: fc.nat(12), length: fc.integer({ min: 1, max: 400 }) }), {
    minLength: 1,
    maxLength: 300,
  })
  .map((list) => {
    const segments: Segment[] = [];
    for (const [n, { distance, length }] of list.entries()) {
      const parent = distance === 0 ? undefined : segments[n - distance];
      segments.push({ ...segment(n, -1, length), parentId: parent?.lastId ?? null });
    }
    return segments;
  });

it('finds every segment at its position, and all segments on some rows', () => {
  fc.assert(
    fc.property(outline, fc.nat(500), fc.nat(100), (segments, from, count) => {
      const scene = sceneOf(segments, null);
      const near = scene.between(from, from + count);
      for (const n of segments.keys()) {
        for (const row of [scene.top[n]!, scene.bottom[n]!]) expect(segmentAt(scene, scene.lane[n]!, row)).toBe(n);
        if (scene.top[n]! <= from + count && scene.reach[n]! >= from) expect(near).toContain(n);
      }
    }),
    { numRuns: runs(200) },
  );
});

it('gives texts the next lane if it is free, and finds them there', () => {
  fc.assert(
    fc.property(outline, (segments) => {
      const scene = sceneOf(segments, null);
      for (const n of segments.keys()) {
        const lane = scene.lane[n]!;
        for (const row of [scene.top[n]!, scene.bottom[n]!]) {
          const isTaken = [...segments.keys()].some(
            (m) => scene.lane[m] === lane + 1 && scene.top[m]! <= row && row <= scene.reach[m]!,
          );
          expect(lanesAt(scene, lane, row)).toBe(isTaken ? 1 : 2);
          if (!isTaken) expect(segmentAt(scene, lane + 1, row)).toBe(n);
        }
      }
    }),
    { numRuns: runs(100) },
  );
});

it('keeps the selected segment at its position on the screen when another one grows', () => {
  const screen = { width: 500, height: 400 };
  const turns = (length: number) => [
    segment(0, -1, 5),
    { ...segment(1, -1, length), parentId: '0-last' },
    { ...segment(2, -1, 2), parentId: '0-last' },
    { ...segment(3, -1, 2), parentId: '0-last' },
  ];
  const [was, scene] = [sceneOf(turns(1), '2-last'), sceneOf(turns(3), '2-last')];
  const placeOf = ({ byId, lane, top }: typeof was, id: string, { x, y }: { x: number; y: number }) => {
    const n = byId.get(id)!;
    return { x: lane[n]! * LANE - x, y: top[n]! * ROW - y };
  };
  const camera = { x: 10, y: 4 * ROW, scale: 1, across: 1 };
  const seen = (selectedId: string | null, from = camera) => following(from, was, scene, selectedId, screen);
  expect(placeOf(scene, '3-first', { x: 0, y: 0 })).not.toEqual(placeOf(was, '3-first', { x: 0, y: 0 }));
  expect(placeOf(scene, '3-first', seen('3-last'))).toEqual(placeOf(was, '3-first', camera));
  // A selected segment off the screen is not the reference.
  expect(seen('0-last')).toEqual(seen(null));
  // No segment begins in the visible part: nothing moves.
  expect(seen(null, { ...camera, y: -20 })).toEqual({ ...camera, y: -20 });
});

it('shows each occupied row at small scales, and no empty lane', () => {
  fc.assert(
    fc.property(outline, fc.integer({ min: 1, max: 100 }), (segments, rowsInOne) => {
      const scene = sceneOf(segments, null);
      const shown = scene.coverage.runs(0, scene.height, rowsInOne);
      for (const n of segments.keys()) {
        const [lane, from, to] = [scene.lane[n]!, scene.top[n]!, scene.reach[n]!];
        expect(shown.some((run) => run.lane === lane && run.from <= from && to < run.to)).toBe(true);
      }
      for (const { lane, from, to } of shown) {
        expect(
          [...segments.keys()].some((n) => scene.lane[n] === lane && scene.top[n]! < to && scene.reach[n]! >= from),
        ).toBe(true);
      }
    }),
    { numRuns: runs(200) },
  );
});

it('puts the active branch on the first lane, and arrows move to parents, children and versions', () => {
  const segments = [
    segment(0, -1, 5),
    { ...segment(1, -1, 2), parentId: '0-last' },
    { ...segment(2, -1, 1), parentId: '0-last' },
    { ...segment(3, -1, 1), parentId: '0-last' },
  ];
  const scene = sceneOf(segments, '2-first');
  expect([...scene.lane]).toEqual([0, 1, 0, 1]);
  expect(walk(scene, 0, 'down')).toBe(2);
  expect([walk(scene, 2, 'left'), walk(scene, 2, 'right'), walk(scene, 2, 'up'), walk(scene, 2, 'down')]).toEqual([
    1, 3, 0, 2,
  ]);
  expect([walk(scene, 0, 'up'), walk(scene, 1, 'left'), walk(scene, 3, 'right')]).toEqual([0, 1, 3]);
});

it('zooms around a point, fits the scene, and moves no more than necessary', () => {
  const [at, world, screen] = [
    { x: 30, y: 40 },
    { width: 1_000, height: 100 },
    { width: 100, height: 100 },
  ];
  const camera = { x: 5, y: 6, scale: 1, across: 1 };
  for (const factor of [1.5, 0.01]) {
    const next = zoomed(camera, factor, at, world, screen);
    expect(next.x + at.x / next.across).toBeCloseTo(35);
    expect(next.y + at.y / next.scale).toBeCloseTo(46);
  }
  expect(fitted(world, screen)).toEqual({ scale: 0.1, across: 0.1, x: 0, y: 0 });
  expect(fitted({ width: 10, height: 10 }, screen)).toEqual({ scale: 1, across: 1, x: -45, y: 0 });
  const place = { x: 0, y: 200, width: 10, height: 10 };
  expect(showing(camera, place, screen)).toEqual({ ...camera, x: 0, y: 110 });
  expect(showing({ ...camera, y: 150 }, place, screen)).toEqual({ ...camera, x: 0, y: 150 });
});

it('keeps lanes apart at small scales, and all lanes on the screen', () => {
  const screen = { width: 1_000, height: 800 };
  for (const lanes of [2, 15, 200]) {
    const { scale, across, x } = fitted({ width: lanes * 230, height: 1_000_000 }, screen);
    expect(scale).toBe(0.0008);
    expect(across).toBeCloseTo(Math.min(0.16, 1_000 / (lanes * 230)));
    expect(x).toBeLessThanOrEqual(1e-9);
  }
});

it('finds the segment of an inner message, and labels the message there', () => {
  const segments = [
    { ...segment(0, -1, 5), depth: 0 },
    { ...segment(1, -1, 20), parentId: '0-last', depth: 5 },
    { ...segment(2, -1, 1), parentId: '0-last', depth: 5 },
  ];
  const scene = sceneOf(segments, 'in the run', 1);
  expect([...scene.lane]).toEqual([0, 0, 1]);
  expect([0, 4, 5, 24].map((depth) => segmentOf(scene, '1-last', depth))).toEqual([0, 0, 1, 1]);
  expect(segmentOf(scene, 'not there', 3)).toBe(null);
  const label = (messageId: string, text: string) => ({ messageId, text, isActive: false });
  const marks = [label('0-first', 'a'), label('in the run', 'b'), label('0-last', 'c'), label('lost', 'd')];
  expect(labelsOf(scene, marks, new Map([['in the run', 1]]))).toEqual(
    new Map([
      [0, { first: [{ text: 'a', isActive: false }], last: [{ text: 'c', isActive: false }] }],
      [1, { inside: [{ text: 'b', isActive: false }] }],
    ]),
  );
});
