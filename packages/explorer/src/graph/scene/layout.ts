/**
 * Places the segments of an outline on lanes (columns), from top to bottom, like a commit log. One child continues on
 * its parent's lane; the others turn to the next lane on the right, below each other. Edges reach only the next lane,
 * so none cross, and lanes are reused. Off the main line, the largest child continues: 10,000 forks need at most
 * fifteen lanes.
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
  /** The first and last row. The edge ends above the first row, on the lane of its parent or its own lane. */
  readonly top: Int32Array;
  readonly bottom: Int32Array;
  /** The child that continues on its lane; -1 for a leaf. */
  readonly straight: Int32Array;
  /** The number of lanes and rows. */
  readonly width: number;
  readonly height: number;
}

/**
 * Runs in linear time.
 * @param segments parents before children, siblings in order
 * @param main the segment on lane 0, with all its ancestors, such as the end of the active branch; -1 for none
 */
export function layOut(segments: readonly Placeable[], main: number): Layout {
  const count = segments.length;
  // Index 0 is a virtual parent of the roots, without rows.
  const { straight, turns } = childrenOf(segments, main);
  const lane = new Int32Array(count + 1);
  const top = new Int32Array(count + 1);
  const bottom = new Int32Array(count + 1).fill(-1);

  // The rows of a lane and its subtrees, relative to its start. Children follow their segment.
  const heights = new Int32Array(count + 1);
  for (let n = count; n >= 0; n--) {
    if (n > 0 && straight[parentAt(segments, n)] === n) continue;
    let row = n === 0 ? -1 : 0;
    /** The first free row of the next lane. */
    let free = 0;
    for (let at = n; at !== -1; at = straight[at] ?? -1) {
      top[at] = row;
      bottom[at] = row += rowsAt(segments, at) - 1;
      for (const turn of turns[at] ?? []) {
        // Its start, relative to its parent's lane.
        row = Math.max(row, free - 1);
        lane[turn] = row + 1;
        free = row + 1 + (heights[turn] ?? 0);
      }
      row++;
    }
    heights[n] = Math.max(row, free);
  }

  /** The start of each segment's lane, and its number. */
  const begins = new Int32Array(count + 1);
  let width = 0;
  for (let n = 1; n <= count; n++) {
    const parent = parentAt(segments, n);
    const turned = straight[parent] !== n;
    begins[n] = (begins[parent] ?? 0) + (turned ? (lane[n] ?? 0) : 0);
    lane[n] = (lane[parent] ?? 0) + Number(turned);
    top[n] = (begins[n] ?? 0) + (top[n] ?? 0);
    bottom[n] = (begins[n] ?? 0) + (bottom[n] ?? 0);
    width = Math.max(width, (lane[n] ?? 0) + 1);
  }
  return {
    lane: lane.subarray(1),
    top: top.subarray(1),
    bottom: bottom.subarray(1),
    straight: straight.subarray(1).map((n) => Math.max(n, 0) - 1),
    width,
    height: heights[0] ?? 0,
  };
}

/** The straight child of each segment, or -1, and the children that turn. */
function childrenOf(
  segments: readonly Placeable[],
  main: number,
): { straight: Int32Array; turns: (number[] | null)[] } {
  const count = segments.length;
  const sizes = new Int32Array(count + 1).fill(1);
  const sizeOf = (n: number) => sizes[n] ?? 0;
  for (let n = count; n > 0; n--) sizes[parentAt(segments, n)] = sizeOf(parentAt(segments, n)) + sizeOf(n);
  const straight = new Int32Array(count + 1).fill(-1);
  // The first of the largest children.
  for (let n = 1; n <= count; n++) {
    const parent = parentAt(segments, n);
    const rival = straight[parent] ?? -1;
    if (rival === -1 || sizeOf(n) > sizeOf(rival)) straight[parent] = n;
  }
  for (let n = main + 1; n > 0; n = parentAt(segments, n)) straight[parentAt(segments, n)] = n;
  const turns = Array.from({ length: count + 1 }, (): number[] | null => null);
  for (let n = 1; n <= count; n++) {
    const parent = parentAt(segments, n);
    if (straight[parent] !== n) (turns[parent] ??= []).push(n);
  }
  return { straight, turns };
}

const parentAt = (segments: readonly Placeable[], n: number): number => (segments[n - 1]?.parent ?? -1) + 1;
const rowsAt = (segments: readonly Placeable[], n: number): number => segments[n - 1]?.rows ?? 1;
