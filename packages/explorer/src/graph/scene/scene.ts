/** A laid-out outline: positions, colors, hit tests, and keyboard navigation. */
import { Coverage } from './coverage.js';
import { layOut, type Layout } from './layout.js';
import { LANE_COLORS } from './lane-colors.js';
import type { Segment } from '../outline.js';

/** Segments up to this length have one row per message; in longer ones, the inner messages share one row. */
const MAX_ROWS = 3;

/** The number of rows per index bucket. */
const BAND = 64;

export interface Scene extends Layout {
  readonly segments: readonly Segment[];
  /** The parent of each segment; -1 for a root. */
  readonly parents: Int32Array;
  /** The last row of each segment's lane, down to its children. */
  readonly reach: Int32Array;
  /** The color of each segment's line: segments that continue each other have the same. */
  readonly color: Uint8Array;
  /** By row, its segment, and the last lane with a line. */
  readonly segmentAt: Int32Array;
  readonly lastLane: Uint8Array;
  /** The child on the path to the head of the active branch, or else the one that continues the lane; -1 for a leaf. */
  readonly next: Int32Array;
  /** 1 for each segment on the path to the head of the active branch. */
  readonly isActive: Uint8Array;
  /** The segments that the first messages of segments draw on, where one has any; each source is the last message of its segment. */
  readonly sources: ReadonlyMap<number, readonly number[]>;
  readonly coverage: Coverage;
  /** Segments by the id of their first or last message, and collapsed branches by the ends of their segments. */
  readonly byId: ReadonlyMap<string, number>;
  /** The segments whose lanes cross some rows, and a few more. */
  between(firstRow: number, lastRow: number): Set<number>;
}

/** A drawn message, or the row of a segment's inner messages. */
export interface Position {
  readonly n: number;
  readonly at: 'first' | 'inside' | 'last';
}

export interface SceneOptions {
  /** The segment that contains the head of the active branch, when it is at neither end. */
  inside?: number | undefined;
  /** For the ends of hidden segments, the first message of their collapsed branch. */
  hidden?: ReadonlyMap<string, string>;
  /** The colors of all lines, also of hidden segments. @default of these segments */
  colors?: LineColors;
}

/** By the id of each segment's first message. */
export type LineColors = ReadonlyMap<string, number>;

/** @param activeId the head of the active branch */
export function sceneOf(
  segments: readonly Segment[],
  activeId: string | null,
  { inside = -1, hidden = new Map(), colors = colorsOf(segments) }: SceneOptions = {},
): Scene {
  const byId = new Map<string, number>();
  for (const [n, { firstId, lastId }] of segments.entries()) byId.set(firstId, n).set(lastId, n);
  for (const [id, root] of hidden) byId.set(id, byId.get(root) ?? -1);
  const parents = Int32Array.from(segments, ({ parentId }) => (parentId === null ? -1 : (byId.get(parentId) ?? -1)));
  const placeable = segments.map(({ length }, n) => ({ parent: parents[n] ?? -1, rows: Math.min(length, MAX_ROWS) }));
  const main = activeId === null ? -1 : (byId.get(activeId) ?? inside);
  const layout = layOut(placeable);
  const { lane, top, bottom, from } = layout;

  const reach = bottom.slice();
  for (const [n, parent] of parents.entries()) {
    if (parent !== -1) reach[parent] = Math.max(reach[parent] ?? 0, (from[n] ?? 0) - 1);
  }
  const isActive = new Uint8Array(segments.length);
  const next = layout.straight.slice();
  for (let n = main; n !== -1; n = parents[n] ?? -1) {
    isActive[n] = 1;
    const parent = parents[n] ?? -1;
    if (parent !== -1) next[parent] = n;
  }
  const segmentAt = new Int32Array(layout.height);
  const lastLane = new Uint8Array(layout.height);
  for (const n of segments.keys()) {
    segmentAt.fill(n, top[n], (bottom[n] ?? 0) + 1);
    for (let row = from[n] ?? 0; row <= (reach[n] ?? 0); row++)
      lastLane[row] = Math.max(lastLane[row] ?? 0, lane[n] ?? 0);
  }
  const bands: number[][] = Array.from({ length: Math.ceil(layout.height / BAND) + 1 }, () => []);
  for (const n of segments.keys()) {
    const last = Math.floor((reach[n] ?? 0) / BAND);
    // Its edge starts a row above.
    for (let band = Math.floor(Math.max(0, (from[n] ?? 0) - 1) / BAND); band <= last; band++) bands[band]?.push(n);
  }
  const color = Uint8Array.from(segments, ({ firstId }) => colors.get(firstId) ?? 0);
  const sources = new Map<number, number[]>();
  for (const [n, { sourceIds = [] }] of segments.entries()) {
    // Both can be in one collapsed branch.
    const drawn = sourceIds.map((id) => byId.get(id) ?? -1).filter((source) => source !== -1 && source !== n);
    if (drawn.length > 0) sources.set(n, drawn);
  }
  return {
    ...layout,
    segments,
    parents,
    reach,
    color,
    segmentAt,
    lastLane,
    next,
    isActive,
    sources,
    coverage: new Coverage(layout, reach, color),
    byId,
    between(firstRow, lastRow) {
      const first = Math.max(0, Math.floor(firstRow / BAND));
      return new Set(bands.slice(first, Math.max(first, Math.floor(lastRow / BAND) + 1)).flat());
    },
  };
}

/**
 * Each line that leaves another one, and each root, gets the next color, by age: later messages change none. A line differs from
 * the one that it leaves.
 */
export function colorsOf(segments: readonly Segment[]): LineColors {
  const colors = new Map<string, number>();
  const endColors = new Map<string | null, number>();
  const continued = new Set<string>();
  let next = 0;
  for (const { firstId, lastId, parentId } of segments) {
    const above = endColors.get(parentId);
    const isTurn = parentId === null || above === undefined || continued.has(parentId);
    if (isTurn && next === above) next = (next + 1) % LANE_COLORS;
    const color = isTurn ? next : above;
    if (isTurn) next = (next + 1) % LANE_COLORS;
    if (parentId !== null) continued.add(parentId);
    colors.set(firstId, color);
    endColors.set(lastId, color);
  }
  return colors;
}

/** The segment with which a line leaves another one; on a root's line, the segment itself. */
export function startOf({ straight, parents }: Scene, n: number): number {
  let at = n;
  while (straight[parents[at] ?? -1] === at) at = parents[at] ?? -1;
  return parents[at] === -1 ? n : at;
}

/** The row of a drawn message. */
export function rowOf({ top, bottom }: Layout, { n, at }: Position): number {
  if (at === 'last') return bottom[n] ?? 0;
  return (top[n] ?? 0) + (at === 'inside' ? 1 : 0);
}

/** The message of a row. */
export function positionAt({ segmentAt, top, bottom }: Scene, row: number): Position | null {
  const n = segmentAt[row];
  if (n === undefined) return null;
  return { n, at: row === top[n] ? 'first' : row === bottom[n] ? 'last' : 'inside' };
}

/** The first segment that begins between two rows: it identifies the position. */
export function firstBetween(scene: Scene, firstRow: number, lastRow: number): number | null {
  let found: number | null = null;
  for (const n of scene.between(firstRow, lastRow)) {
    const top = scene.top[n] ?? 0;
    if (top >= firstRow && top <= lastRow && (found === null || top < (scene.top[found] ?? 0))) found = n;
  }
  return found;
}

/** The target of an arrow key; the same position when there is none. */
export function walk(scene: Scene, from: Position, way: 'up' | 'down' | 'left' | 'right'): Position {
  const { parents, next, segments } = scene;
  const { n, at } = from;
  const lengthOf = (m: number) => segments[m]?.length ?? 1;
  const endOf = (m: number): Position => ({ n: m, at: lengthOf(m) > 1 ? 'last' : 'first' });
  if (way === 'up') {
    if (at === 'last' && lengthOf(n) > 2) return { n, at: 'inside' };
    if (at !== 'first') return { n, at: 'first' };
    const parent = parents[n] ?? -1;
    return parent === -1 ? from : endOf(parent);
  }
  if (way === 'down') {
    if (at === 'first' && lengthOf(n) > 2) return { n, at: 'inside' };
    if (at !== 'last' && lengthOf(n) > 1) return { n, at: 'last' };
    const child = next[n] ?? -1;
    return child === -1 ? from : { n: child, at: 'first' };
  }
  const step = way === 'left' ? -1 : 1;
  for (let m = n + step; m >= 0 && m < parents.length; m += step) {
    if (parents[m] === parents[n]) return { n: m, at: 'first' };
  }
  return from;
}
