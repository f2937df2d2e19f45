/** The graph of a chat with every run of messages that has no fork drawn together into one segment. */
import type { GraphRow } from './reads.js';

/** Messages of which each but the first is the only child of the one before it. It ends in a fork or a leaf. */
export interface Segment {
  /** A root, or one of several children. */
  first: GraphRow;
  last: GraphRow;
}

/** What there is to know of one. */
export type SegmentColumn =
  'length' | 'depth' | `${'first' | 'last'}${'Id' | 'Name' | 'Preview' | 'CreatedAt'}` | 'parentId';

/** The same by the seqs of its ends. */
export interface Span {
  readonly firstSeq: number;
  lastSeq: number;
}

/** A message whose parent is not the one saved right before it. */
export interface RunStart {
  seq: number;
  /** The seq of its parent; null for a root. */
  above: number | null;
}

/**
 * The segments, in the order in which their first messages were saved: parents before children, siblings in their order.
 * @param starts of all messages but the first, of which each other is the child of the one saved right before it; and the seq of
 *   the next message
 */
export function outlineOf(starts: readonly RunStart[]): Span[] {
  const sorted = starts.toSorted((one, other) => one.seq - other.seq);
  const end = sorted.pop()?.seq ?? 1;
  const aboveOf = new Map(sorted.map(({ seq, above }) => [seq, above]));
  const children = new Map<number, number>();
  const begins = new Set(end === 1 ? [] : [1, ...aboveOf.keys()]);
  for (const { above } of sorted) {
    if (above === null) continue;
    // It has this child, too, unless that one is another's.
    const next = above + 1;
    if (!aboveOf.has(next)) begins.add(next);
    children.set(above, (children.get(above) ?? Number(!aboveOf.has(next))) + 1);
  }

  const seqs = [...begins].sort((one, other) => one - other);
  const spans: Span[] = [];
  /** By the seqs where they end, as far as they have come. */
  const open = new Map<number, Span>();
  for (const [n, firstSeq] of seqs.entries()) {
    const lastSeq = (seqs[n + 1] ?? end) - 1;
    const above = aboveOf.get(firstSeq) ?? null;
    const upper = above !== null && children.get(above) === 1 ? open.get(above) : undefined;
    const span = upper ?? { firstSeq, lastSeq };
    if (upper === undefined) spans.push(span);
    span.lastSeq = lastSeq;
    open.set(lastSeq, span);
  }
  return spans;
}
