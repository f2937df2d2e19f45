/**
 * Where the segments of an outline are drawn: on lanes, which are columns, from row to row downwards, as in a log of commits.
 *
 * One child of a segment goes on on its lane; the others turn off to the next lane on the right, one below the other, each as
 * soon as what turned off above has ended: no edge goes further than to the next lane, so none crosses anything, and lanes are
 * taken again. Off the main line the child with most below it goes on, so that there are no more lanes than a tree of so many
 * can be deep when it is halved at each step: fifteen for 10,000 forks.
 */

/** What the layout needs to know of a segment. */
export interface Placeable {
  /** The index of the segment above it, which comes before it; -1 for a root. */
  readonly parent: number;
  /** How many rows it takes, one at least. */
  readonly rows: number;
}

/** Each list has a value for each segment. */
export interface Layout {
  readonly lane: Int32Array;
  /** Its first and its last row. Its edge ends above the first, on the lane of its parent or on its own. */
  readonly top: Int32Array;
  readonly bottom: Int32Array;
  /** The child that goes on on its lane; -1 for a leaf. */
  readonly straight: Int32Array;
  /** How many lanes and rows there are. */
  readonly width: number;
  readonly height: number;
}

/**
 * Takes a time that grows with the number of segments.
 * @param segments parents before children, siblings in their order
 * @param main the segment that is to be on lane 0 with all above it, such as the end of the active branch; -1 for none
 */
export function layOut(segments: readonly Placeable[], main: number): Layout {
  const count = segments.length;
  // At 0 stands what is above the roots, as if it were a segment of no rows.
  const { straight, turns } = childrenOf(segments, main);
  const lane = new Int32Array(count + 1);
  const top = new Int32Array(count + 1);
  const bottom = new Int32Array(count + 1).fill(-1);

  // The rows of a lane and of all that turns off it, from where it begins. What is below a segment comes behind it.
  const heights = new Int32Array(count + 1);
  for (let n = count; n >= 0; n--) {
    if (n > 0 && straight[parentAt(segments, n)] === n) continue;
    let row = n === 0 ? -1 : 0;
    /** The first row of the next lane that nothing is on. */
    let free = 0;
    for (let at = n; at !== -1; at = straight[at] ?? -1) {
      top[at] = row;
      bottom[at] = row += rowsAt(segments, at) - 1;
      for (const turn of turns[at] ?? []) {
        // Where it begins, from where its parent's lane does.
        row = Math.max(row, free - 1);
        lane[turn] = row + 1;
        free = row + 1 + (heights[turn] ?? 0);
      }
      row++;
    }
    heights[n] = Math.max(row, free);
  }

  /** Where the lane of each begins, and which it is. */
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

/** What goes on from each, or -1, and what turns off it. */
function childrenOf(
  segments: readonly Placeable[],
  main: number,
): { straight: Int32Array; turns: (number[] | null)[] } {
  const count = segments.length;
  const sizes = new Int32Array(count + 1).fill(1);
  const sizeOf = (n: number) => sizes[n] ?? 0;
  for (let n = count; n > 0; n--) sizes[parentAt(segments, n)] = sizeOf(parentAt(segments, n)) + sizeOf(n);
  const straight = new Int32Array(count + 1).fill(-1);
  // The first of those that are as large.
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
