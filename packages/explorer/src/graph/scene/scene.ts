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
}

/** @param activeId the head of the active branch */
export function sceneOf(
  segments: readonly Segment[],
  activeId: string | null,
  { inside = -1, hidden = new Map() }: SceneOptions = {},
): Scene {
  const byId = new Map<string, number>();
  for (const [n, { firstId, lastId }] of segments.entries()) byId.set(firstId, n).set(lastId, n);
  for (const [id, root] of hidden) byId.set(id, byId.get(root) ?? -1);
  const parents = Int32Array.from(segments, ({ parentId }) => (parentId === null ? -1 : (byId.get(parentId) ?? -1)));
  const placeable = segments.map(({ length }, n) => ({ parent: parents[n] ?? -1, rows: Math.min(length, MAX_ROWS) }));
  const main = activeId === null ? -1 : (byId.get(activeId) ?? inside);
  const layout = layOut(placeable, main);

  const reach = layout.bottom.slice();
  for (const [n, parent] of parents.entries()) {
    if (parent !== -1) reach[parent] = Math.max(reach[parent] ?? 0, (layout.top[n] ?? 0) - 1);
  }
  const isActive = new Uint8Array(segments.length);
  for (let n = main; n !== -1; n = parents[n] ?? -1) isActive[n] = 1;
  const bands: number[][] = Array.from({ length: Math.ceil(layout.height / BAND) + 1 }, () => []);
  for (const n of segments.keys()) {
    const last = Math.floor((reach[n] ?? 0) / BAND);
    // Its edge starts a row above.
    for (let band = Math.floor(Math.max(0, (layout.top[n] ?? 0) - 1) / BAND); band <= last; band++)
      bands[band]?.push(n);
  }
  const color = colorsOf(parents, layout);
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

/** Neighboring lines differ: a line that leaves another one gets the next color. */
function colorsOf(parents: Int32Array, { lane }: Layout): Uint8Array {
  const color = new Uint8Array(parents.length);
  let next = 0;
  for (const [n, parent] of parents.entries()) {
    const at = lane[n] ?? 0;
    if (at === 0) continue;
    const above = parent === -1 ? 0 : (color[parent] ?? 0);
    if (parent !== -1 && at === lane[parent]) {
      color[n] = above;
      continue;
    }
    if (next + 1 === above) next = (next + 1) % (LANE_COLORS - 1);
    color[n] = next + 1;
    next = (next + 1) % (LANE_COLORS - 1);
  }
  return color;
}

/** The segment with which a line leaves another one; on the first lane, the segment itself. */
export function startOf({ lane, parents }: Scene, n: number): number {
  let at = n;
  while (lane[at] !== 0 && lane[parents[at] ?? -1] === lane[at]) at = parents[at] ?? -1;
  return at;
}

/** The row of a drawn message. */
export function rowOf({ top, bottom }: Layout, { n, at }: Position): number {
  if (at === 'last') return bottom[n] ?? 0;
  return (top[n] ?? 0) + (at === 'inside' ? 1 : 0);
}

/** The number of lanes for a text: two when the next lane is free. */
export const lanesAt = ({ coverage }: Scene, lane: number, row: number): 1 | 2 =>
  coverage.isOn(lane + 1, row) ? 1 : 2;

/** The message at a point, including its texts. */
export function positionAt(scene: Scene, lane: number, row: number): Position | null {
  for (const n of scene.between(row, row)) {
    const [begins, top, bottom] = [scene.lane[n] ?? 0, scene.top[n] ?? 0, scene.bottom[n] ?? 0];
    if (row < top || row > bottom || lane < begins || lane >= begins + lanesAt(scene, begins, row)) continue;
    return { n, at: row === top ? 'first' : row === bottom ? 'last' : 'inside' };
  }
  return null;
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
  const { parents, straight, segments } = scene;
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
    const child = straight[n] ?? -1;
    return child === -1 ? from : { n: child, at: 'first' };
  }
  const step = way === 'left' ? -1 : 1;
  for (let m = n + step; m >= 0 && m < parents.length; m += step) {
    if (parents[m] === parents[n]) return { n: m, at: 'first' };
  }
  return from;
}
