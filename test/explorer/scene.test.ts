/** The scene of the explorer's graph: the segments of an outline with their positions. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Segment } from '../../packages/explorer/src/graph/outline.js';
import {
  lanesAt,
  positionAt,
  rowOf,
  sceneOf,
  walk,
  type Position,
} from '../../packages/explorer/src/graph/scene/scene.js';
import { fitted, following, showing, zoomed } from '../../packages/explorer/src/graph/scene/camera.js';
import { LANE, ROW } from '../../packages/explorer/src/graph/scene/dimensions.js';
import { labelsOf, positionAtDepth } from '../../packages/explorer/src/graph/scene/labels.js';
import { runsOf, withOpenRuns, withoutCollapsed } from '../../packages/explorer/src/graph/scene/runs.js';
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
        for (const row of [scene.top[n]!, scene.bottom[n]!]) {
          const position = positionAt(scene, scene.lane[n]!, row)!;
          expect([position.n, rowOf(scene, position)]).toEqual([n, row]);
        }
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
          if (!isTaken) expect(positionAt(scene, lane + 1, row)?.n).toBe(n);
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
        for (let row = from; row <= to; row++) {
          expect(shown.filter((run) => run.lane === lane && run.from <= row && row < run.to)).toHaveLength(1);
        }
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
  const first = (n: number) => ({ n, at: 'first' as const });
  const path = (from: Position, ...ways: ('up' | 'down' | 'left' | 'right')[]) =>
    ways.map((way) => {
      const { n, at } = (from = walk(scene, from, way));
      return `${n} ${at}`;
    });
  expect(path(first(0), 'down', 'down', 'down')).toEqual(['0 inside', '0 last', '2 first']);
  expect(path(first(2), 'left', 'down', 'right')).toEqual(['1 first', '1 last', '2 first']);
  expect(path(first(2), 'right', 'right', 'up', 'up', 'up')).toEqual([
    '3 first',
    '3 first',
    '0 last',
    '0 inside',
    '0 first',
  ]);
  expect([walk(scene, first(0), 'up'), walk(scene, first(2), 'down')]).toEqual([first(0), first(2)]);
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
  // With 16 pixels above and below, and lanes that fill the screen.
  expect(fitted(world, screen)).toEqual({ scale: 0.1, across: 0.1, x: 0, y: -160 });
  expect(fitted({ width: 80, height: 10 }, screen)).toEqual({ scale: 1, across: 1.25, x: 0, y: -16 });
  const place = { x: 0, y: 200, width: 10, height: 10 };
  expect(showing(camera, place, screen)).toEqual({ ...camera, x: 0, y: 110 });
  expect(showing({ ...camera, y: 150 }, place, screen)).toEqual({ ...camera, x: 0, y: 150 });
});

it('keeps lanes apart at small scales, and all lanes on the screen', () => {
  const screen = { width: 1_000, height: 800 };
  for (const lanes of [2, 15, 200]) {
    const { scale, across, x } = fitted({ width: lanes * 230, height: 1_000_000 }, screen);
    expect(scale).toBe(0.000768);
    expect(across).toBeCloseTo(Math.min(0.42, 1_000 / (lanes * 230)));
    expect(x).toBeLessThanOrEqual(1e-9);
  }
});

it('finds the segment of an inner message, and labels the message there', () => {
  const segments = [
    { ...segment(0, -1, 5), depth: 0 },
    { ...segment(1, -1, 20), parentId: '0-last', depth: 5 },
    { ...segment(2, -1, 1), parentId: '0-last', depth: 5 },
  ];
  const scene = sceneOf(segments, 'in the run', { inside: 1 });
  expect([...scene.lane]).toEqual([0, 0, 1]);
  const placeAt = (depth: number) => positionAtDepth(scene, { leafId: '1-last', depth });
  expect([0, 3, 4, 5, 23, 24].map(placeAt)).toEqual([
    { n: 0, at: 'first' },
    { n: 0, at: 'inside' },
    { n: 0, at: 'last' },
    { n: 1, at: 'first' },
    { n: 1, at: 'inside' },
    { n: 1, at: 'last' },
  ]);
  expect(positionAtDepth(scene, { leafId: 'not there', depth: 3 })).toBe(null);
  const label = (text: string) => ({ text, kind: 'branch' as const });
  const mark = (messageId: string, text: string) => ({ messageId, ...label(text) });
  const marks = [mark('0-first', 'a'), mark('in the run', 'b'), mark('0-last', 'c'), mark('lost', 'd')];
  expect(labelsOf(scene, marks, new Map([['in the run', { leafId: '1-last', depth: 10 }]]))).toEqual(
    new Map([
      [0, { first: [label('a')], last: [label('c')] }],
      [1, { inside: [label('b')] }],
    ]),
  );
});

/** The messages of a chain, `a0`, `a1` and so on, from a depth on. */
const chain = (name: string, parentId: string | null, depth: number, length: number) =>
  Array.from({ length }, (_, n) => ({
    id: `${name}${n}`,
    parentId: n === 0 ? parentId : `${name}${n - 1}`,
    depth: depth + n,
    role: 'user',
    content: `text of ${name}${n}`,
  }));

/** The segment of a chain. */
const segmentFor = (nodes: ReturnType<typeof chain>): Segment => ({
  ...ends,
  firstId: nodes[0]!.id,
  lastId: nodes.at(-1)!.id,
  parentId: nodes[0]!.parentId,
  depth: nodes[0]!.depth,
  length: nodes.length,
});

it('shows each message of short runs, and of long runs once they are opened', () => {
  const [short, long] = [chain('a', null, 0, 4), chain('b', 'a3', 4, 20)];
  const segments = [segmentFor(short), segmentFor(long)];
  const known = runsOf(segments, [...short, ...long]);
  const shown = (opened: string[]) => withOpenRuns(segments, known, new Set(opened));
  expect(shown([]).map(({ firstId, length }) => [firstId, length])).toEqual([
    ['a0', 1],
    ['a1', 1],
    ['a2', 1],
    ['a3', 1],
    ['b0', 20],
  ]);
  expect(shown(['b0'])).toHaveLength(24);
  expect(shown(['b0']).map(({ parentId }) => parentId)).toEqual(
    [null, ...shown(['b0']).map(({ lastId }) => lastId)].slice(0, 24),
  );
  expect(shown(['b0'])[2]).toMatchObject({ firstRole: 'user', firstContent: 'text of a2', lastContent: 'text of a2' });
});

it('keeps the messages of an opened run that were not read as runs before and after the others', () => {
  const long = chain('a', null, 3, 200);
  const opened = withOpenRuns([segmentFor(long)], new Map([['a0', long.slice(100, 190)]]), new Set(['a0']));
  expect(opened.map(({ length }) => length)).toEqual([101, ...Array<number>(88).fill(1), 11]);
  expect(opened.map(({ depth }) => depth)).toEqual([3, ...Array.from({ length: 89 }, (_, n) => 104 + n)]);
  expect([opened[0]!.firstId, opened[0]!.lastId, opened.at(-1)!.firstId, opened.at(-1)!.lastId]).toEqual([
    'a0',
    'a100',
    'a189',
    'a199',
  ]);
});

it('collapses a branch to its first message', () => {
  const segments = [
    segmentFor(chain('a', null, 0, 3)),
    segmentFor(chain('b', 'a2', 3, 5)),
    segmentFor(chain('c', 'b4', 8, 2)),
    segmentFor(chain('d', 'a2', 3, 2)),
  ];
  const { segments: shown, hidden } = withoutCollapsed(segments, new Set(['b0']));
  expect(shown.map(({ firstId, length, collapsedCount }) => [firstId, length, collapsedCount])).toEqual([
    ['a0', 3, undefined],
    ['b0', 1, 7],
    ['d0', 2, undefined],
  ]);
  const scene = sceneOf(shown, 'd1', { hidden });
  const marks = [{ messageId: 'c1', text: 'side', kind: 'branch' as const }];
  expect([...labelsOf(scene, marks, new Map())]).toEqual([[1, { first: [{ text: 'side', kind: 'branch' }] }]]);
});

it('colors a line as a whole, differently from the line that it leaves and from the one before', () => {
  fc.assert(
    fc.property(outline, (segments) => {
      const { lane, color, parents, isActive } = sceneOf(segments, segments.at(-1)!.lastId);
      const turned = [...segments.keys()].filter((n) => lane[n]! > 0 && lane[n] !== lane[parents[n]!]);
      for (const n of segments.keys()) {
        expect(color[n] === 0).toBe(lane[n] === 0);
        if (isActive[n] === 1) expect(lane[n]).toBe(0);
        if (parents[n] === -1 || lane[n] === 0) continue;
        expect(color[n] === color[parents[n]!]).toBe(lane[n] === lane[parents[n]!]);
      }
      for (const [at, n] of turned.entries()) if (at > 0) expect(color[n]).not.toBe(color[turned[at - 1]!]);
    }),
    { numRuns: runs(200) },
  );
});

it('draws lines from the segments of sources, also of opened runs and collapsed branches', () => {
  const [main, side, merge] = [segment(0, -1, 2), segment(1, -1, 3), segment(2, -1, 2)];
  const segments = [
    main,
    { ...side, parentId: main.lastId },
    { ...merge, parentId: main.lastId, sourceIds: [side.lastId, 'not drawn'] },
  ];
  expect([...sceneOf(segments, null).sources]).toEqual([[2, [1]]]);
  const { segments: shown, hidden } = withoutCollapsed(segments, new Set([side.firstId]));
  expect([...sceneOf(shown, null, { hidden }).sources]).toEqual([[2, [1]]]);
  const all = withoutCollapsed(segments, new Set([main.firstId]));
  expect([...sceneOf(all.segments, null, all).sources]).toEqual([]);
  const inner = ['2-first', '2-inner', '2-last'].map((id, depth) => ({
    id,
    parentId: null,
    depth,
    role: 'user',
    content: '',
  }));
  const long = [...segments.slice(0, 2), { ...segments[2]!, length: 3 }];
  const open = withOpenRuns(long, new Map([['2-first', inner]]), new Set());
  expect(open).toHaveLength(5);
  expect([...sceneOf(open, null).sources]).toEqual([[2, [1]]]);
});
