/** The graph of a chat with each unforked run of messages combined into one segment. */
import type { GraphRow } from './model.js';
import { firstIndex } from '../system/sorted.js';

/**
 * A run in which each message but the first is the only child of the one before, and has no sources. It ends at a fork, at a
 * leaf, or at a source of another message.
 */
export interface Segment {
  first: GraphRow;
  last: GraphRow;
  /** The sources of the first message, in their order. Each is the last message of a segment. */
  sourceIds: readonly string[];
}

export type SegmentColumn =
  | 'length'
  | 'depth'
  | `${'first' | 'last'}${'Id' | 'Name' | 'Preview' | 'CreatedAt'}`
  | 'parentId'
  | 'sourceIds';

/** A segment by the seqs of its ends. */
export interface Span {
  readonly firstSeq: number;
  lastSeq: number;
  /** The seqs of the first message's sources, in their order. */
  sourceSeqs?: readonly number[];
}

/** A message whose parent is not the one saved immediately before, or a source of a message. */
export interface RunStart {
  seq: number;
  /** The seq of its parent, null for a root; or the seq of the source. */
  above: number | null;
  /** The number of the source; null for a parent. */
  position: number | null;
}

/**
 * The segments in the order of their first messages: parents before children, siblings in their order.
 * @param starts all run starts but the first message, all sources, and the seq of the next message
 */
export function outlineOf(starts: readonly RunStart[]): Span[] {
  const runs = starts.filter(({ position }) => position === null).sort((one, other) => one.seq - other.seq);
  const end = runs.pop()?.seq ?? 1;
  if (end === 1) return [];
  runs.unshift({ seq: 1, above: null, position: null });
  const { sourcesOf, isSource } = sourcesIn(starts);

  const ends = cutsOf(runs, sourcesOf.keys(), isSource, end);
  const count = ends.length - 1;
  const above = new Int32Array(count);
  const children = new Int32Array(count);
  for (let n = 0, r = 0; n < count; n++) {
    const run = runs[r]?.seq === ends[n] ? runs[r++] : undefined;
    // A cut within a run continues the segment before it.
    const upper = run === undefined ? n - 1 : run.above === null ? -1 : endAt(ends, run.above) - 1;
    above[n] = upper;
    if (upper >= 0) children[upper] = (children[upper] ?? 0) + 1;
  }
  const spans: Span[] = [];
  const spanOf: Span[] = [];
  for (let n = 0; n < count; n++) {
    const upper = above[n] ?? -1;
    const firstSeq = ends[n] ?? 0;
    const sourceSeqs = sourcesOf.get(firstSeq);
    const isContinued = children[upper] === 1 && sourceSeqs === undefined && !isSource.has((ends[upper + 1] ?? 0) - 1);
    const continued = isContinued ? spanOf[upper] : undefined;
    const span = continued ?? { firstSeq, lastSeq: 0, ...(sourceSeqs && { sourceSeqs }) };
    if (continued === undefined) spans.push(span);
    span.lastSeq = (ends[n + 1] ?? 0) - 1;
    spanOf.push(span);
  }
  return spans;
}

/**
 * Each run start, each seq after the parent of one, so that a message with several children ends a segment, each message with
 * sources, each seq after a source, and the end: sorted, without duplicates. Typed arrays are several times as fast as a Set.
 */
function cutsOf(
  runs: readonly RunStart[],
  drawing: Iterable<number>,
  sources: Iterable<number>,
  end: number,
): Int32Array {
  const others = [...drawing, ...Array.from(sources, (seq) => seq + 1), end];
  const cuts = new Int32Array(2 * runs.length + others.length);
  let length = 0;
  for (const { seq, above } of runs) {
    cuts[length++] = seq;
    cuts[length++] = (above ?? 0) + 1;
  }
  cuts.set(others, length);
  cuts.sort();
  length = 0;
  let before = 0;
  for (const seq of cuts) {
    if (seq > before) cuts[length++] = seq;
    before = seq;
  }
  return cuts.subarray(0, length);
}

/** The index of the first cut after a message. */
function endAt(cuts: Int32Array, seq: number): number {
  return firstIndex(cuts.length, (n) => (cuts[n] ?? 0) > seq);
}

/** The seqs of the sources of each message in their order, and of all sources. */
function sourcesIn(starts: readonly RunStart[]) {
  const sourcesOf = new Map<number, number[]>();
  const isSource = new Set<number>();
  for (const { seq, above, position } of starts) {
    if (position === null || above === null) continue;
    isSource.add(above);
    const sources = sourcesOf.get(seq) ?? [];
    sources[position] = above;
    sourcesOf.set(seq, sources);
  }
  return { sourcesOf, isSource };
}
