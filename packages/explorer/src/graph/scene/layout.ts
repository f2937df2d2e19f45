/**
 * Places the segments of an outline on lanes (columns) and rows, like a commit log: each message has a row of its own, so that
 * no text meets a line. The oldest child continues on its parent's lane, the others turn to the next one. Only forks decide on
 * lanes: no later message and no switch changes one.
 */

/** The part of a segment that the layout needs. */
export interface Placeable {
  /** The index of the parent segment, which precedes it; -1 for a root. */
  readonly parent: number;
  /** The number of rows, at least 1. */
  readonly rows: number;
}

/** Each list has one value per segment. */
export interface Layout {
  readonly lane: Int32Array;
  /** The first and last row of its messages. */
  readonly top: Int32Array;
  readonly bottom: Int32Array;
  /** The row in which its line reaches its lane: above `top` where it passes the line that it leaves. */
  readonly from: Int32Array;
  /** The child that continues on its lane; -1 for a leaf. */
  readonly straight: Int32Array;
  /** The number of lanes and rows. */
  readonly width: number;
  readonly height: number;
}

/** Deeper forks share the last lane. */
const MAX_LANES = 40;

/**
 * Runs in linear time. Smaller branches stand above larger ones, which keeps lines short: a fork's turns come before its
 * straight child, but its largest turn passes a straight child that is smaller and has no forks.
 * @param segments parents before children, siblings by age
 */
export function layOut(segments: readonly Placeable[]): Layout {
  const count = segments.length;
  const sizes = Int32Array.from(segments, ({ rows }) => rows);
  const straight = new Int32Array(count).fill(-1);
  const turns = Array.from({ length: count }, (): number[] => []);
  const roots: number[] = [];
  const hasForks = new Uint8Array(count);
  for (let n = count - 1; n >= 0; n--) {
    const parent = segments[n]?.parent ?? -1;
    if (parent === -1) continue;
    sizes[parent] = (sizes[parent] ?? 0) + (sizes[n] ?? 0);
    // The oldest child is met last.
    const younger = straight[parent] ?? -1;
    if (younger !== -1) turns[parent]?.push(younger);
    straight[parent] = n;
    hasForks[parent] = Number(younger !== -1 || hasForks[parent] === 1 || hasForks[n] === 1);
  }

  const [lane, top, bottom] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  const from = new Int32Array(count).fill(-1);
  for (const [n, { parent }] of segments.entries()) if (parent === -1) roots.push(n);
  const waiting = roots.toReversed();
  let [row, width] = [0, 0];
  for (let n = waiting.pop(); n !== undefined; n = waiting.pop()) {
    const parent = segments[n]?.parent ?? -1;
    if (parent !== -1) lane[n] = Math.min(MAX_LANES - 1, (lane[parent] ?? 0) + Number(straight[parent] !== n));
    width = Math.max(width, (lane[n] ?? 0) + 1);
    top[n] = row;
    // A turn that passes its sibling has the row of it already.
    if (from[n] === -1) from[n] = row;
    row += segments[n]?.rows ?? 1;
    bottom[n] = row - 1;
    const next = straight[n] ?? -1;
    if (next === -1) continue;
    const largest = (turns[n] ?? []).reduce((best, turn) => (sizeOf(best) >= sizeOf(turn) ? best : turn), -1);
    const passes = hasForks[next] === 0 && sizeOf(largest) >= sizeOf(next);
    // The last one is placed first.
    if (passes) waiting.push(largest);
    waiting.push(next);
    for (const turn of turns[n] ?? []) if (!passes || turn !== largest) waiting.push(turn);
    if (passes) from[largest] = row + (turns[n] ?? []).reduce((sum, turn) => sum + sizeOf(turn), 0) - sizeOf(largest);
  }
  return { lane, top, bottom, from, straight, width, height: row };

  function sizeOf(n: number): number {
    return sizes[n] ?? -1;
  }
}
