/**
 * A graph as chains, for miniatures: each branch has one, from where it leaves an older branch to its head. A chain keeps
 * its colour when younger branches come.
 */
import type { Inner, Segment } from '../graph/outline.js';

/** A drawn message. */
export interface MiniNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly depth: number;
  readonly role: string;
}

/** A run of messages without branches. */
type Run = Pick<Segment, 'firstId' | 'lastId' | 'parentId' | 'depth' | 'length' | 'firstRole' | 'lastRole'>;

/** The place of a message inside a run of a large graph. */
export interface InnerPlace {
  readonly name: string;
  readonly depth: number;
  /** A leaf below it. */
  readonly leafId: string;
}

/** The role of messages inside a run that were not read. */
export const INNER = 'inner';

/** The longest run whose inner messages are drawn. */
const MAX_INNER = 60;

export interface Chain {
  /** Root first, at least one. */
  readonly nodes: readonly MiniNode[];
  /** The chain that it leaves; -1 for none. It precedes this one. */
  readonly parent: number;
  /** The depth of the message that it leaves; -1 for none. */
  readonly from: number;
  /** The depth of its last message. */
  readonly to: number;
  readonly color: number;
}

export interface Chains {
  readonly list: readonly Chain[];
  readonly nodes: ReadonlyMap<string, MiniNode>;
  /** The chain of each message, and its position there. */
  readonly places: ReadonlyMap<string, { readonly chain: number; readonly at: number }>;
}

/**
 * The messages to draw, parents first: all of a small graph; of a large one the ends of its runs, and named messages.
 * @param inner all messages of a small graph
 */
export function nodesOf(
  { segments }: { readonly segments: readonly Run[] },
  inner: readonly Inner[] = [],
  named: ReadonlyMap<string, InnerPlace> = new Map(),
): readonly MiniNode[] {
  if (inner.length > 0) return inner;
  const byEnd = new Map(segments.flatMap((segment) => [segment.firstId, segment.lastId].map((id) => [id, segment])));
  const inside = new Map<string, [id: string, InnerPlace][]>();
  for (const [id, place] of named) {
    if (byEnd.has(id)) continue;
    let segment = byEnd.get(place.leafId);
    while (segment && segment.depth > place.depth) segment = byEnd.get(segment.parentId ?? '');
    if (segment) inside.set(segment.firstId, [...(inside.get(segment.firstId) ?? []), [id, place]]);
  }
  return segments.flatMap(({ firstId, lastId, parentId, depth, length, firstRole, lastRole }) => {
    const nodes: MiniNode[] = [{ id: firstId, parentId, depth, role: firstRole }];
    const add = (id: string, at: number, role: string) =>
      nodes.push({ id, parentId: nodes.at(-1)?.id ?? null, depth: at, role });
    const known = new Map((inside.get(firstId) ?? []).map(([id, { depth: at, name }]) => [at, { id, name }]));
    const depths =
      length <= MAX_INNER
        ? Array.from({ length: Math.max(0, length - 2) }, (_, n) => depth + 1 + n)
        : [...known.keys()].sort((one, other) => one - other);
    for (const at of depths) add(known.get(at)?.id ?? `${firstId} ${at}`, at, known.get(at)?.name ?? INNER);
    if (length > 1) add(lastId, depth + length - 1, lastRole);
    return nodes;
  });
}

/**
 * @param nodes parents first
 * @param heads of the branches, oldest branch first; null for an empty one. Versions without a branch follow them
 */
export function chainsOf(nodes: readonly MiniNode[], heads: readonly (string | null)[]): Chains {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const places = new Map<string, { chain: number; at: number }>();
  const list: Chain[] = [];
  const add = (headId: string | null, color: number) => {
    const path: MiniNode[] = [];
    let node = byId.get(headId ?? '');
    for (; node && !places.has(node.id); node = byId.get(node.parentId ?? '')) path.push(node);
    const last = path[0];
    if (last === undefined) return;
    path.reverse();
    const parent = (node && places.get(node.id)?.chain) ?? -1;
    for (const [at, { id }] of path.entries()) places.set(id, { chain: list.length, at });
    list.push({ nodes: path, parent, from: node?.depth ?? -1, to: last.depth, color });
  };
  for (const [n, headId] of heads.entries()) add(headId, n);
  const deepest = nodes.filter(({ id }) => !places.has(id)).sort((a, b) => b.depth - a.depth);
  for (const { id } of deepest) add(id, heads.length + list.length);
  return { list, nodes: byId, places };
}

/** The rows of some chains, which have their parents among them. A chain is below its parent, and meets no other. */
export function rowsOf(chains: readonly Chain[], drawn: readonly number[]): ReadonlyMap<number, number> {
  const rows = new Map<number, number>();
  for (const n of drawn) {
    const chain = chains[n];
    if (chain === undefined) continue;
    let row = chain.parent === -1 ? 0 : (rows.get(chain.parent) ?? -1) + 1;
    const isTaken = () =>
      [...rows].some(([other, at]) => {
        const { from = 0, to = 0 } = chains[other] ?? {};
        return at === row && from <= chain.to && to >= chain.from;
      });
    while (isTaken()) row++;
    rows.set(n, row);
  }
  return rows;
}

/** Chains for a limited number of rows: the wanted ones with their parents, then the oldest in a range of depths. */
export function chosenChains(
  chains: readonly Chain[],
  wanted: readonly number[],
  count: number,
  [first, last]: readonly [first: number, last: number] = [0, Infinity],
): readonly number[] {
  const chosen = new Set<number>();
  for (let n of wanted) for (; n !== -1 && !chosen.has(n); n = chains[n]?.parent ?? -1) chosen.add(n);
  for (let n = 0; n < chains.length && chosen.size < count; n++) {
    const { parent, from, to } = chains[n] as Chain;
    if (from <= last && to >= first && (parent === -1 || chosen.has(parent))) chosen.add(n);
  }
  return [...chosen].sort((a, b) => a - b);
}
