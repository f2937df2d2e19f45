/** The log of a chat as acts of people: a question with its answer is one act of several events. */
import type { Chains, MiniNode } from '../miniature/chains.js';
import type { LoggedEvent } from './events.js';

export type ActKind =
  | 'started'
  | 'asked'
  | 'edited'
  | 'retried'
  | 'answered'
  | 'went-back'
  | 'aside'
  | 'switched'
  | 'moved'
  | 'checkpoint'
  | 'other';

export interface Act {
  readonly kind: ActKind;
  /** Oldest first, at least one. */
  readonly events: readonly LoggedEvent[];
  /** The branch that it changed, if it still exists. */
  readonly branchId: string | null;
  readonly isNewBranch: boolean;
  /** The saved question, and the last saved answer. */
  readonly questionId: string | null;
  readonly answerId: string | null;
  /** Another version of the question. */
  readonly previousId: string | null;
  /** Numbers of messages of each chain, before and after it; `added` are the new ones. */
  readonly before: Int32Array;
  readonly after: Int32Array;
  readonly added: ReadonlySet<string>;
  /** The end of the active branch; null for an empty or unknown one. */
  readonly headBefore: string | null;
  readonly headAfter: string | null;
}

/** A pause after which a message on a new branch is an act of its own. */
const PAUSE_MS = 600_000;

/**
 * @param events consecutive ones up to the present, oldest first
 * @param roleOf the name of a message; undefined if it is unknown
 * @returns newest first
 */
export function actsOf(
  events: readonly LoggedEvent[],
  chains: Chains,
  branches: readonly { id: string; headId: string | null; isActive: boolean }[],
  roleOf: (id: string) => string | undefined,
): readonly Act[] {
  const heads = new Map(branches.map(({ id, headId }) => [id, headId]));
  let activeId = branches.find(({ isActive }) => isActive)?.id;
  const headOf = () => (activeId === undefined ? null : (heads.get(activeId) ?? null));
  const extents = Int32Array.from(chains.list, ({ nodes }) => nodes.length);
  const isShown = ({ id }: MiniNode) => {
    const place = chains.places.get(id);
    return place !== undefined && place.at < (extents[place.chain] ?? 0);
  };
  const activated = events.filter(({ __typename }) => __typename === 'BranchActivated');
  const acts: Act[] = [];
  for (const group of groupsOf(events, roleOf).toReversed()) {
    const after = extents.slice();
    const headAfter = headOf();
    const added: MiniNode[] = [];
    for (const { __typename, branch, headId, previousHeadId } of group.toReversed()) {
      if (__typename === 'BranchHeadMoved') {
        heads.set(branch?.id ?? '', previousHeadId ?? null);
        added.unshift(...addedBy(chains, headId ?? null, previousHeadId ?? null));
      } else if (__typename === 'BranchActivated') {
        activated.pop();
        activeId = activated.at(-1)?.branch?.id;
      }
    }
    for (const { id } of added) {
      const { chain, at } = chains.places.get(id) ?? { chain: -1, at: 0 };
      if (chain !== -1) extents[chain] = Math.min(extents[chain] ?? 0, at);
    }
    acts.push({
      ...describe(group, added, roleOf, (node) => versionsOf(chains, node).filter(isShown)),
      ...{ before: extents.slice(), after, headBefore: headOf(), headAfter },
    });
  }
  return acts;
}

/** The messages between two heads, root first; none if the second one is not above the first. */
function addedBy({ nodes }: Chains, headId: string | null, previousHeadId: string | null): MiniNode[] {
  const path: MiniNode[] = [];
  let node = nodes.get(headId ?? '');
  for (; node && node.id !== previousHeadId; node = nodes.get(node.parentId ?? '')) path.push(node);
  return node || previousHeadId === null ? path.reverse() : [];
}

function groupsOf(events: readonly LoggedEvent[], roleOf: (id: string) => string | undefined): LoggedEvent[][] {
  const groups: LoggedEvent[][] = [];
  for (const event of events) {
    const group = groups.at(-1);
    if (group !== undefined && continues(group, event, roleOf)) group.push(event);
    else groups.push([event]);
  }
  return groups;
}

/** Whether an event is of the same act as those before it. */
function continues(
  group: readonly LoggedEvent[],
  event: LoggedEvent,
  roleOf: (id: string) => string | undefined,
): boolean {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined || !event.__typename.startsWith('Branch')) return false;
  const isCreation = first.__typename === 'ChatCreated' || first.__typename === 'BranchCreated';
  const branchId = group.findLast(({ branch }) => branch)?.branch?.id;
  const isSame = branchId === event.branch?.id || first.__typename === 'ChatCreated';
  if (isCreation && isSame && last.createdAt === event.createdAt && last.actorId === event.actorId) return true;
  if (event.__typename !== 'BranchHeadMoved' || branchId !== event.branch?.id) return false;
  const moved = group.findLast(({ __typename }) => __typename === 'BranchHeadMoved');
  const created = group.findLast(({ __typename }) => __typename === 'BranchCreated');
  if ((moved ?? created)?.headId !== event.previousHeadId) return false;
  const isSoon = Date.parse(event.createdAt) - Date.parse(last.createdAt) < PAUSE_MS;
  if (moved === undefined) return isCreation && isSoon;
  const roles = [moved, event].map(({ headId }) => roleOf(headId ?? ''));
  return roles[1] !== undefined && (roles[1] !== 'user' || (isCreation && isSoon && roles[0] === 'system'));
}

type Description = Omit<Act, 'before' | 'after' | 'headBefore' | 'headAfter'>;

function describe(
  events: readonly LoggedEvent[],
  nodes: readonly MiniNode[],
  roleOf: (id: string) => string | undefined,
  versionsOfNode: (node: MiniNode) => readonly MiniNode[],
): Description {
  const has = (type: LoggedEvent['__typename']) => events.some(({ __typename }) => __typename === type);
  const heads = events.flatMap(({ __typename, headId }) =>
    __typename === 'BranchHeadMoved' && headId ? [headId] : [],
  );
  const saved = nodes.length > 0 ? nodes.map(({ id, role }) => [id, role]) : heads.map((id) => [id, roleOf(id)]);
  const questionId = saved.find(([, role]) => role === 'user')?.[0] ?? null;
  const answerId = saved.findLast(([, role]) => role === 'assistant')?.[0] ?? null;
  const isNewBranch = has('BranchCreated') && !has('ChatCreated');
  const first = nodes.find(({ id }) => id === (questionId ?? answerId));
  const versions = first && isNewBranch ? versionsOfNode(first) : [];
  const kind = (): ActKind => {
    if (has('ChatCreated')) return 'started';
    if (questionId !== null) return versions.length > 0 ? 'edited' : 'asked';
    if (answerId !== null) return versions.length > 0 ? 'retried' : 'answered';
    if (isNewBranch) return has('BranchActivated') ? 'went-back' : 'aside';
    if (has('BranchActivated')) return 'switched';
    if (has('BranchHeadMoved')) return 'moved';
    return has('CheckpointSaved') ? 'checkpoint' : 'other';
  };
  return {
    ...{ kind: kind(), events, isNewBranch, questionId, answerId },
    branchId: events.findLast(({ branch }) => branch)?.branch?.id ?? null,
    previousId: questionId === null ? null : (versions[0]?.id ?? null),
    added: new Set(nodes.map(({ id }) => id)),
  };
}

/** The other versions of a message, by the same role. */
const versionsOf = ({ nodes }: Chains, { id, parentId, role }: MiniNode): MiniNode[] =>
  [...nodes.values()].filter((node) => node.parentId === parentId && node.role === role && node.id !== id);
