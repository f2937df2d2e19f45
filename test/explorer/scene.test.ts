/** What the explorer's picture is drawn from: the segments of an outline with their places. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Segment } from '../../explorer/src/picture/outline.js';
import { sceneOf, segmentAt, walk } from '../../explorer/src/picture/scene.js';
import { fitted, showing, zoomed } from '../../explorer/src/picture/camera.js';
import { runs } from '../support/effort.js';

const ends = { firstRole: 'user', firstContent: 'a', lastRole: 'user', lastContent: 'b' };
const segment = (n: number, parent: number, length: number): Segment => ({
  ...ends,
  firstId: `${n}-first`,
  lastId: length === 1 ? `${n}-first` : `${n}-last`,
  parentId: parent < 0 ? null : `${parent}`,
  length,
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

it('finds every segment where it is, and all that is on some rows', () => {
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

it('shows from far away each row that something is on, and no lane where there is nothing', () => {
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

it('puts the active branch on the first lane, and arrows walk to parents, children and versions', () => {
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

it('zooms around a point, fits everything, and moves no more than it has to', () => {
  const at = { x: 30, y: 40 };
  const camera = { x: 5, y: 6, scale: 1 };
  const nearer = zoomed(camera, 1.5, at);
  expect([nearer.x + at.x / nearer.scale, nearer.y + at.y / nearer.scale]).toEqual([35, 46]);
  const screen = { width: 100, height: 100 };
  expect(fitted({ width: 1_000, height: 100 }, screen)).toEqual({ scale: 0.1, x: 0, y: 0 });
  expect(fitted({ width: 10, height: 10 }, screen)).toEqual({ scale: 1, x: -45, y: 0 });
  const place = { x: 0, y: 200, width: 10, height: 10 };
  expect(showing({ x: 0, y: 0, scale: 1 }, place, screen)).toEqual({ x: 0, y: 110, scale: 1 });
  expect(showing({ x: 0, y: 150, scale: 1 }, place, screen)).toEqual({ x: 0, y: 150, scale: 1 });
});
