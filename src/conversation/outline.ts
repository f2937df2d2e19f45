/** The graph of a chat with each unforked run of messages combined into one segment. */
import type { GraphRow } from './model.js';

/** A run in which each message but the first is the only child of the one before. It ends at a fork or a leaf. */
export interface Segment {
  /** A root, or one of several siblings. */
  first: GraphRow;
  last: GraphRow;
}

/** The fields of a segment. */
export type SegmentColumn =
  'length' | 'depth' | `${'first' | 'last'}${'Id' | 'Name' | 'Preview' | 'CreatedAt'}` | 'parentId';

/** A segment by the seqs of its ends. */
export interface Span {
  readonly firstSeq: number;
  lastSeq: number;
}

/** A message whose parent is not the one saved immediately before. */
export interface RunStart {
  seq: number;
  /** The seq of its parent; null for a root. */
  above: number | null;
}

/**
 * The segments in the order of their first messages: parents before children, siblings in their order.
 * @param starts all run starts but the first message; and the seq of the next message
 */
export function outlineOf(starts: readonly RunStart[]): Span[] {
  const runs = starts.toSorted((one, other) => one.seq - other.seq);
  const end = runs.pop()?.seq ?? 1;
  if (end === 1) return [];
  runs.unshift({ seq: 1, above: null });

  // Cut at run starts and after their parents, so that a message with several children ends a segment.
  const cuts = new Set(runs.map(({ seq }) => seq));
  for (const { above } of runs) if (above !== null) cuts.add(above + 1);
  const ends = Int32Array.from(cuts.add(end)).sort();
  const pieceEndingAt = new Map<number, number>();
  for (const [n, next] of ends.entries()) pieceEndingAt.set(next - 1, n - 1);

  const count = ends.length - 1;
  const above = new Int32Array(count);
  const children = new Int32Array(count);
  for (let n = 0, r = 0; n < count; n++) {
    const run = runs[r]?.seq === ends[n] ? runs[r++] : undefined;
    // A cut within a run continues the segment before it.
    const upper = run === undefined ? n - 1 : run.above === null ? -1 : (pieceEndingAt.get(run.above) ?? -1);
    above[n] = upper;
    if (upper >= 0) children[upper] = (children[upper] ?? 0) + 1;
  }
  const spans: Span[] = [];
  const spanOf: Span[] = [];
  for (let n = 0; n < count; n++) {
    const upper = above[n] ?? -1;
    const continued = children[upper] === 1 ? spanOf[upper] : undefined;
    const span = continued ?? { firstSeq: ends[n] ?? 0, lastSeq: 0 };
    if (continued === undefined) spans.push(span);
    span.lastSeq = (ends[n + 1] ?? 0) - 1;
    spanOf.push(span);
  }
  return spans;
}
