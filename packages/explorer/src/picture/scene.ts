/** An outline as it is drawn: where everything is, what is near a place, and where one goes from there. */
import { Coverage } from './coverage.js';
import { layOut, type Layout } from './layout.js';
import type { Segment } from './outline.js';

/** Up to so many messages of a segment have a row each; of more, those between its ends share one. */
const MAX_ROWS = 3;

/** Rows are looked up so many at a time. */
const BAND = 64;

export interface Scene extends Layout {
  readonly segments: readonly Segment[];
  /** By segment, the one above it; -1 for a root. */
  readonly parents: Int32Array;
  /** By segment, the last row that its lane goes on to, behind it: to its children. */
  readonly reach: Int32Array;
  readonly coverage: Coverage;
  /** By the id of the first or last message of a segment. */
  readonly byId: ReadonlyMap<string, number>;
  /** The segments whose lanes are on any of some rows, and a few more. */
  between(firstRow: number, lastRow: number): Set<number>;
}

/**
 * @param activeId the head of the active branch
 * @param inside the segment that it is in, where it is at no end of one
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
    // Its edge begins a row above.
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

/** How many lanes a text may take: the next one, too, where nothing is beside it. */
export const lanesAt = ({ coverage }: Scene, lane: number, row: number): 1 | 2 =>
  coverage.isOn(lane + 1, row) ? 1 : 2;

/** The segment at a place, if there is one: it, or its texts. */
export function segmentAt(scene: Scene, lane: number, row: number): number | null {
  for (const n of scene.between(row, row)) {
    const begins = scene.lane[n] ?? 0;
    const isOnRow = (scene.top[n] ?? 0) <= row && row <= (scene.bottom[n] ?? 0);
    if (isOnRow && begins <= lane && lane < begins + lanesAt(scene, begins, row)) return n;
  }
  return null;
}

/** The segment that tells where one is: the first that begins between two rows. */
export function firstBetween(scene: Scene, firstRow: number, lastRow: number): number | null {
  let found: number | null = null;
  for (const n of scene.between(firstRow, lastRow)) {
    const top = scene.top[n] ?? 0;
    if (top >= firstRow && top <= lastRow && (found === null || top < (scene.top[found] ?? 0))) found = n;
  }
  return found;
}

/** Where an arrow key leads to from a segment; itself where there is nothing. */
export function walk(scene: Scene, from: number, way: 'up' | 'down' | 'left' | 'right'): number {
  const { parents, straight } = scene;
  if (way === 'up') return parents[from] === -1 ? from : (parents[from] ?? from);
  if (way === 'down') return straight[from] === -1 ? from : (straight[from] ?? from);
  const step = way === 'left' ? -1 : 1;
  for (let n = from + step; n >= 0 && n < parents.length; n += step) if (parents[n] === parents[from]) return n;
  return from;
}
