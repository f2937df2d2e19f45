/** The scene of the explorer's graph: the segments of an outline with their positions. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Segment } from '../../packages/explorer/src/graph/outline.js';
import {
  colorsOf,
  positionAt,
  rowOf,
  sceneOf,
  walk,
  type Position,
} from '../../packages/explorer/src/graph/scene/scene.js';
import {
  centered,
  fitted,
  following,
  showing,
  within,
  zoomed,
} from '../../packages/explorer/src/graph/scene/camera.js';
import { ROW, xOfLane } from '../../packages/explorer/src/graph/scene/dimensions.js';
import { labelsOf, positionAtDepth, textsOf } from '../../packages/explorer/src/graph/scene/labels.js';
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
          const position = positionAt(scene, row)!;
          expect([position.n, rowOf(scene, position)]).toEqual([n, row]);
        }
        if (scene.top[n]! <= from + count && scene.reach[n]! >= from) expect(near).toContain(n);
      }
    }),
    { numRuns: runs(200) },
  );
});

it('places texts after the last line of their row', () => {
  fc.assert(
    fc.property(outline, (segments) => {
      const scene = sceneOf(segments, null);
      for (let row = 0; row < scene.height; row++) {
        const lanes = [...segments.keys()].filter((n) => scene.from[n]! <= row && row <= scene.reach[n]!);
        expect(scene.lastLane[row]).toBe(Math.max(...lanes.map((n) => scene.lane[n]!)));
      }
      expect(positionAt(scene, scene.height)).toBe(null);
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
  const heightOf = ({ byId, top }: typeof was, id: string, y: number) => top[byId.get(id)!]! * ROW - y;
  const camera = { y: 4 * ROW, scale: 1 };
  const seen = (selectedId: string | null, from = camera) => following(from, was, scene, selectedId, screen);
  expect(heightOf(scene, '1-first', 0)).not.toBe(heightOf(was, '1-first', 0));
  expect(heightOf(scene, '1-first', seen('1-last').y)).toBe(heightOf(was, '1-first', camera.y));
  // A selected segment off the screen is not the reference.
  expect(seen('0-last')).toEqual(seen(null));
  // No segment begins in the visible part: nothing moves.
  expect(seen(null, { ...camera, y: -screen.height })).toEqual({ ...camera, y: -screen.height });
});

it('shows each occupied row at small scales, and no empty lane', () => {
  fc.assert(
    fc.property(outline, fc.integer({ min: 1, max: 100 }), (segments, rowsInOne) => {
      const scene = sceneOf(segments, null);
      const shown = scene.coverage.runs(0, scene.height, rowsInOne);
      for (const n of segments.keys()) {
        const [lane, from, to] = [scene.lane[n]!, scene.from[n]!, scene.reach[n]!];
        for (let row = from; row <= to; row++) {
          expect(shown.filter((run) => run.lane === lane && run.from <= row && row < run.to)).toHaveLength(1);
        }
      }
      for (const { lane, from, to } of shown) {
        expect(
          [...segments.keys()].some((n) => scene.lane[n] === lane && scene.from[n]! < to && scene.reach[n]! >= from),
        ).toBe(true);
      }
    }),
    { numRuns: runs(200) },
  );
});

it('arrows move to parents, along the active branch, and to versions', () => {
  const segments = [
    segment(0, -1, 5),
    { ...segment(1, -1, 2), parentId: '0-last' },
    { ...segment(2, -1, 1), parentId: '0-last' },
    { ...segment(3, -1, 1), parentId: '0-last' },
  ];
  const scene = sceneOf(segments, '2-first');
  expect([...scene.lane]).toEqual([0, 0, 1, 1]);
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

it('shows more of the texts that were read and that the outline has cut', () => {
  const scene = sceneOf(
    [
      { ...segment(0, -1, 2), firstContent: 'One two\nthree f...', lastContent: 'Short' },
      { ...segment(1, -1, 1), firstContent: 'A name of a file...' },
    ],
    null,
  );
  const texts = textsOf(scene, [
    { id: '0-first', text: 'One two\nthree four' },
    { id: '0-last', text: 'Short' },
    { id: '1-first', text: 'Other' },
    { id: '9', text: 'One two\nthree four' },
  ]);
  expect([...texts]).toEqual([['0-first', 'One two three four']]);
});

it('zooms around a point, fits the scene, and moves no more than necessary', () => {
  const screen = { width: 100, height: 200 };
  for (const factor of [1.5, 0.01]) {
    const next = zoomed({ y: 6, scale: 1 }, factor, 40);
    expect(next.y + 40 / next.scale).toBeCloseTo(46);
  }
  // With 16 pixels above and below.
  expect(fitted(8, screen)).toEqual({ scale: 0.5, y: -32 });
  expect(fitted(2, screen)).toEqual({ scale: 1, y: -16 });
  const camera = { y: 5 * ROW, scale: 1 };
  expect(showing(camera, 2, screen)).toEqual({ scale: 1, y: ROW });
  expect(showing(camera, 8, screen)).toEqual({ scale: 1, y: 11 * ROW - 200 });
  expect(showing({ y: 5 * ROW, scale: 0.5 }, 8, screen)).toEqual({ y: 5 * ROW, scale: 0.5 });
  const { y } = centered(camera, 8, screen);
  expect(8.5 * ROW - y).toBe(100);
});

it('stays within the scene', () => {
  const screen = { width: 100, height: 200 };
  expect(within({ y: -1_000, scale: 1 }, 100, screen)).toEqual({ y: -16, scale: 1 });
  expect(within({ y: 99_999, scale: 2 }, 100, screen)).toEqual({ y: 100 * ROW - 92, scale: 2 });
  expect(within({ y: 50, scale: 1 }, 100, screen)).toEqual({ y: 50, scale: 1 });
  expect(within({ y: 50, scale: 1 }, 2, screen)).toEqual({ y: -16, scale: 1 });
});

it('keeps all lanes on a part of the screen', () => {
  const screen = { width: 500, height: 800 };
  expect(xOfLane(3, 4, screen) - xOfLane(2, 4, screen)).toBe(25);
  expect(xOfLane(39, 40, screen)).toBeLessThan(250);
});

it('finds the segment of an inner message, and labels the message there', () => {
  const segments = [
    { ...segment(0, -1, 5), depth: 0 },
    { ...segment(1, -1, 20), parentId: '0-last', depth: 5 },
    { ...segment(2, -1, 1), parentId: '0-last', depth: 5 },
  ];
  const scene = sceneOf(segments, 'in the run', { inside: 1 });
  expect([...scene.lane]).toEqual([0, 0, 1]);
  expect([...scene.isActive]).toEqual([1, 1, 0]);
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

it('keeps the color of a line, which differs from the line that it leaves, whatever is added or active', () => {
  fc.assert(
    fc.property(outline, fc.nat(300), (segments, some) => {
      const colors = colorsOf(segments);
      const scene = sceneOf(segments, segments.at(-1)!.lastId);
      for (const [n, { firstId }] of segments.entries()) {
        expect(scene.color[n]).toBe(colors.get(firstId));
        const parent = scene.parents[n]!;
        if (parent !== -1) expect(scene.color[n] === scene.color[parent]).toBe(scene.straight[parent] === n);
      }
      const fewer = segments.slice(0, some);
      const before = colorsOf(fewer);
      for (const { firstId } of fewer) expect(before.get(firstId)).toBe(colors.get(firstId));
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
