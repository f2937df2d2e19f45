/** A laid-out outline: positions, hit tests, and keyboard navigation. */
import { Coverage } from './coverage.js';
import { layOut, type Layout } from './layout.js';
import type { Segment } from './outline.js';

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
  readonly coverage: Coverage;
  /** Segments by the id of their first or last message. */
  readonly byId: ReadonlyMap<string, number>;
  /** The segments whose lanes cross some rows, and a few more. */
  between(firstRow: number, lastRow: number): Set<number>;
}

/**
 * @param activeId the head of the active branch
 * @param inside the segment that contains it, when it is at neither end
 */
export function sceneOf(segments: readonly Segment[], activeId: string | null, inside = -1): Scene {
  const byId = new Map<string, number>();
  for (const [n, { firstId, lastId }] of segments.entries()) byId.set(firstId, n).set(lastId, n);
  const parents = Int32Array.from(segments, ({ parentId }) => (parentId === null ? -1 : (byId.get(parentId) ?? -1)));
  const placeable = segments.map(({ length }, n) => ({ parent: parents[n] ?? -1, rows: Math.min(length, MAX_ROWS) }));
  const main = activeId === null ? -1 : (byId.get(activeId) ?? inside);
  const layout = layOut(placeable, main);

  const reach = layout.bottom.slice();
  for (const [n, parent] of parents.entries()) {
    if (parent !== -1) reach[parent] = Math.max(reach[parent] ?? 0, (layout.top[n] ?? 0) - 1);
  }
  const bands: number[][] = Array.from({ length: Math.ceil(layout.height / BAND) + 1 }, () => []);
  for (const n of segments.keys()) {
    const last = Math.floor((reach[n] ?? 0) / BAND);
    // Its edge starts a row above.
    for (let band = Math.floor(Math.max(0, (layout.top[n] ?? 0) - 1) / BAND); band <= last; band++)
      bands[band]?.push(n);
  }
  return {
    ...layout,
    segments,
    parents,
    reach,
    coverage: new Coverage(layout, reach),
    byId,
    between(firstRow, lastRow) {
      const first = Math.max(0, Math.floor(firstRow / BAND));
      return new Set(bands.slice(first, Math.max(first, Math.floor(lastRow / BAND) + 1)).flat());
    },
  };
}

/** The number of lanes for a text: two when the next lane is free. */
export const lanesAt = ({ coverage }: Scene, lane: number, row: number): 1 | 2 =>
  coverage.isOn(lane + 1, row) ? 1 : 2;

/** The segment at a point, including its texts. */
export function segmentAt(scene: Scene, lane: number, row: number): number | null {
  for (const n of scene.between(row, row)) {
    const begins = scene.lane[n] ?? 0;
    const isOnRow = (scene.top[n] ?? 0) <= row && row <= (scene.bottom[n] ?? 0);
    if (isOnRow && begins <= lane && lane < begins + lanesAt(scene, begins, row)) return n;
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

/** The target of an arrow key from a segment; the same segment when there is none. */
export function walk(scene: Scene, from: number, way: 'up' | 'down' | 'left' | 'right'): number {
  const { parents, straight } = scene;
  if (way === 'up') return parents[from] === -1 ? from : (parents[from] ?? from);
  if (way === 'down') return straight[from] === -1 ? from : (straight[from] ?? from);
  const step = way === 'left' ? -1 : 1;
  for (let n = from + step; n >= 0 && n < parents.length; n += step) if (parents[n] === parents[from]) return n;
  return from;
}
