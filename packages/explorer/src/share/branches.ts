/** The branches of a share: their names, their graph, and the one in the address. */
import { chainsOf, INNER, type Chains, type MiniNode } from '../miniature/chains.js';
import type { SharedBranch, SharedMessage } from './read-share.js';

/** The key of the path that opens first. */
export const FIRST_PATH = '0';
/** Messages of the largest miniature. */
const MAX_NODES = 600;
const PARAMETER = 'branch';

export const nameOf = ({ key, name }: SharedBranch): string => name ?? (key === FIRST_PATH ? 'Shared path' : key);

/** The branch that the address names, by its name or its key; the path that opens first by default. */
export function keyInAddress(branches: readonly SharedBranch[]): string {
  const wanted = new URLSearchParams(location.search).get(PARAMETER);
  const found =
    branches.find(({ name }) => name !== null && name === wanted) ?? branches.find(({ key }) => key === wanted);
  return found?.key ?? FIRST_PATH;
}

/** Puts an open branch into the address, and leaves the token in its fragment. */
export function showInAddress({ key, name }: SharedBranch): void {
  const url = new URL(location.href);
  if (key === FIRST_PATH) url.searchParams.delete(PARAMETER);
  else url.searchParams.set(PARAMETER, name ?? key);
  history.replaceState(null, '', url);
}

/** The number of messages that two branches have in common. */
export function commonCount(branches: readonly SharedBranch[], one: string, other: string): number {
  const [ones, others] = [lineOf(branches, one), lineOf(branches, other)];
  return Math.max(0, ...[...ones].map(([key, count]) => Math.min(count, others.get(key) ?? 0)));
}

/** A branch and those that it leaves, each with the number of messages that the branch has of it. */
function lineOf(branches: readonly SharedBranch[], start: string): Map<string, number> {
  const line = new Map<string, number>();
  let count = Infinity;
  for (let key: string | null = start; key !== null;) {
    const branch = branches.find((each) => each.key === key);
    if (branch === undefined) break;
    count = Math.min(count, branch.messageCount);
    line.set(key, count);
    count = Math.min(count, branch.forkPlace);
    key = branch.forkOf;
  }
  return line;
}

const nodeId = (key: string, depth: number): string => `${key} ${depth}`;

/** The graph of all branches; of a large share only that of the open one, as far as it is read. */
export function graphOf(
  branches: readonly SharedBranch[],
  open: string,
  messages: readonly SharedMessage[],
): { chains: Chains; idAt(depth: number): string } {
  /** The id of the message of a branch at a depth: of the branch whose own message it is. */
  const idOf = (key: string, depth: number): string => {
    const { forkOf, forkPlace } = branches.find((each) => each.key === key) ?? { forkOf: null, forkPlace: 0 };
    return forkOf === null || depth >= forkPlace ? nodeId(key, depth) : idOf(forkOf, depth);
  };
  const total = branches.reduce((sum, { messageCount, forkPlace }) => sum + messageCount - forkPlace, 0);
  const drawn = total <= MAX_NODES ? branches : [];
  const roles = new Map(messages.map(({ depth, name }) => [idOf(open, depth), name]));
  const add = (key: string, from: number, to: number): MiniNode[] =>
    Array.from({ length: to - from }, (_, n) => {
      const [id, depth] = [idOf(key, from + n), from + n];
      return { id, parentId: depth === 0 ? null : idOf(key, depth - 1), depth, role: roles.get(id) ?? INNER };
    });
  const nodes =
    drawn.length > 0
      ? drawn.flatMap(({ key, forkPlace, messageCount }) => add(key, forkPlace, messageCount))
      : add(open, 0, messages.length);
  const heads =
    drawn.length > 0
      ? drawn.map(({ key, messageCount }) => idOf(key, messageCount - 1))
      : [idOf(open, messages.length - 1)];
  return { chains: chainsOf(nodes, heads), idAt: (depth) => idOf(open, depth) };
}
