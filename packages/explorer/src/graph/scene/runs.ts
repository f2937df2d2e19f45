/**
 * Shows the inner messages of runs, and hides collapsed branches: both return the segments that are drawn.
 * All work is linear in the number of segments and shown messages.
 */
import type { Inner, Segment } from '../outline.js';

/** Runs up to this length show all messages, if they were read. */
const MAX_OPEN = 7;

/** The consecutive messages of runs that were read, by the id of the run's first message. */
export type KnownRuns = ReadonlyMap<string, readonly Inner[]>;

/** Assigns the messages of a small graph to their runs. @param nodes parents before children */
export function runsOf(segments: readonly Segment[], nodes: readonly Inner[]): KnownRuns {
  const runs = new Map<string, Inner[]>(segments.map(({ firstId }) => [firstId, []]));
  const runOf = new Map<string, string>();
  for (const node of nodes) {
    const run = runs.has(node.id) ? node.id : runOf.get(node.parentId ?? '');
    if (run === undefined) continue;
    runOf.set(node.id, run);
    runs.get(run)?.push(node);
  }
  return runs;
}

/**
 * Splits runs into segments of one message each. Messages that were not read stay a run.
 * @param opened the first ids of long runs to show
 */
export function withOpenRuns(
  segments: readonly Segment[],
  known: KnownRuns,
  opened: ReadonlySet<string>,
): readonly Segment[] {
  if (known.size === 0) return segments;
  return segments.flatMap((segment) => {
    const isShown = segment.length > 2 && (segment.length <= MAX_OPEN || opened.has(segment.firstId));
    const end = segment.depth + segment.length;
    const nodes = isShown ? (known.get(segment.firstId) ?? []).filter(({ depth }) => depth < end) : [];
    return nodes.length < 2 ? [segment] : split(segment, nodes);
  });
}

function split(segment: Segment, nodes: readonly Inner[]): Segment[] {
  const end = segment.depth + segment.length - 1;
  return nodes.map((node, n) => {
    const { id, parentId, depth, role, content } = node;
    const single: Segment = {
      firstId: id,
      lastId: id,
      parentId,
      depth,
      length: 1,
      firstRole: role,
      firstContent: content,
      lastRole: role,
      lastContent: content,
    };
    if (n === 0 && depth > segment.depth) {
      const { firstId, firstRole, firstContent, sourceIds = [] } = segment;
      const length = depth - segment.depth + 1;
      return {
        ...single,
        sourceIds,
        firstId,
        firstRole,
        firstContent,
        parentId: segment.parentId,
        depth: segment.depth,
        length,
      };
    }
    if (n === nodes.length - 1 && depth < end) {
      const { lastId, lastRole, lastContent } = segment;
      return { ...single, lastId, lastRole, lastContent, length: end - depth + 1 };
    }
    return n === 0 ? { ...single, parentId: segment.parentId, sourceIds: segment.sourceIds ?? [] } : single;
  });
}

export interface Collapsed {
  readonly segments: readonly Segment[];
  /** For the ends of hidden segments, the first message of their collapsed branch. */
  readonly hidden: ReadonlyMap<string, string>;
}

/** Reduces branches to their first message. @param collapsed the first ids of branches */
export function withoutCollapsed(segments: readonly Segment[], collapsed: ReadonlySet<string>): Collapsed {
  const hidden = new Map<string, string>();
  if (collapsed.size === 0) return { segments, hidden };
  const counts = new Map<string, number>();
  const shown = segments.filter(({ firstId, lastId, parentId, length }) => {
    const above = hidden.get(parentId ?? '');
    const root = above ?? (collapsed.has(firstId) ? firstId : undefined);
    if (root === undefined) return true;
    counts.set(root, (counts.get(root) ?? 0) + length);
    hidden.set(firstId, root).set(lastId, root);
    return above === undefined;
  });
  return {
    hidden,
    segments: shown.map((segment) => {
      const { firstId, firstRole, firstContent } = segment;
      const collapsedCount = counts.get(firstId);
      if (collapsedCount === undefined) return segment;
      return { ...segment, lastId: firstId, lastRole: firstRole, lastContent: firstContent, length: 1, collapsedCount };
    }),
  };
}
