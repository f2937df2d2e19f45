/**
 * Derives the log of a chat from its rows, because the original keeps none. A chat that grows there yields a log with
 * the same beginning, so that it can be imported again.
 */
import type { ChatEventType } from '../../../conversation/model.js';
import { UnreadableError } from '@parley/interchange/server';
import type { OriginalBranch, OriginalCheckpoint, OriginalNode } from './original-database.js';

export interface History {
  /** Parents before their replies. */
  readonly nodes: readonly OriginalNode[];
  readonly branches: readonly (OriginalBranch & { seq: number })[];
  readonly checkpoints: readonly (OriginalCheckpoint & { seq: number })[];
  readonly events: readonly HistoryEvent[];
}

export interface HistoryEvent {
  type: ChatEventType;
  createdAt: number;
  payload: object;
}

interface BranchPosition {
  branch: OriginalBranch;
  seq: number;
  head: string | null;
}

/** A repaired chat: every id in it names one of its messages. */
export interface Found {
  createdAt: number;
  nodes: readonly OriginalNode[];
  /** Oldest first, at least one; exactly one is active. */
  branches: readonly OriginalBranch[];
  checkpoints: readonly OriginalCheckpoint[];
}

export function historyOf({ createdAt, nodes: found, branches, checkpoints }: Found): History {
  const nodes = parentsFirst(found);
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
  const owners = ownersOf(branches, parents);
  const seqs = new Map(nodes.map(({ id }, n) => [id, n + 1]));
  let placed = 0;
  const isPlaced = (id: string) => (seqs.get(id) ?? Infinity) <= placed;

  const events: HistoryEvent[] = [];
  const addEvent = (type: ChatEventType, at: number, payload: object) => events.push({ type, createdAt: at, payload });
  addEvent('ChatCreated', createdAt, {});
  const positions = new Map<OriginalBranch, BranchPosition>();
  let active: OriginalBranch | null = null;
  const begin = (branch: OriginalBranch, head: string | null): BranchPosition => {
    const seq = addEvent('BranchCreated', branch.createdAt, { branchId: branch.id, headId: head });
    const position = { branch, seq, head };
    positions.set(branch, position);
    // A chat begins on the first branch.
    active ??= branch;
    return position;
  };
  const activate = (branch: OriginalBranch) => {
    if (branch !== active) addEvent('BranchActivated', events.at(-1)?.createdAt ?? createdAt, { branchId: branch.id });
    active = branch;
  };
  const move = (position: BranchPosition, headId: string, at: number, range: { firstSeq: number; lastSeq: number }) => {
    addEvent('BranchHeadMoved', at, { branchId: position.branch.id, previousHeadId: position.head, headId, ...range });
    position.head = headId;
  };
  /** The last message on the way to its head that exists so far. */
  const placedHead = ({ headMessageId }: OriginalBranch): string | null => {
    let head = headMessageId;
    while (head !== null && !isPlaced(head)) head = parents.get(head) ?? null;
    return head;
  };

  const saved = new Map<OriginalCheckpoint, number>();
  let nextBranch = 0;
  let nextCheckpoint = 0;
  /** Emits all events before a time. */
  const catchUp = (time: number) => {
    for (let next; (next = branches[nextBranch]) !== undefined && next.createdAt < time; nextBranch++) {
      if (!positions.has(next)) begin(next, placedHead(next));
    }
    for (let next; (next = checkpoints[nextCheckpoint]) !== undefined && next.createdAt < time; nextCheckpoint++) {
      if (!isPlaced(next.messageId)) break;
      const { id, name, messageId } = next;
      saved.set(next, addEvent('CheckpointSaved', next.createdAt, { checkpointId: id, name, messageId }));
    }
  };

  const [first] = branches;
  if (first !== undefined) begin(first, null);
  while (placed < nodes.length) {
    const node = nodes[placed] as OriginalNode;
    catchUp(node.createdAt);
    const owner = owners.get(node.id);
    const firstSeq = placed + 1;
    // Messages that were saved together have one time.
    let last = node;
    for (placed++; ; placed++) {
      const next = nodes[placed];
      if (next?.parentId !== last.id || next.createdAt !== node.createdAt || owners.get(next.id) !== owner) break;
      last = next;
    }
    // On no branch: deleting a branch keeps its messages.
    if (owner === undefined) continue;
    const position = positions.get(owner) ?? begin(owner, node.parentId);
    activate(owner);
    move(position, last.id, node.createdAt, { firstSeq, lastSeq: placed });
  }
  catchUp(Infinity);
  for (const position of positions.values()) {
    const { headMessageId: head, createdAt: at } = position.branch;
    if (head === null || head === position.head) continue;
    move(position, head, Math.max(at, events.at(-1)?.createdAt ?? at), { firstSeq: placed + 1, lastSeq: placed });
  }
  for (const branch of branches) if (branch.isActive) activate(branch);
  return {
    nodes,
    branches: [...positions.values()].map(({ branch, seq }) => ({ ...branch, seq })),
    checkpoints: [...saved].map(([checkpoint, seq]) => ({ ...checkpoint, seq })),
    events,
  };
}

/** Keeps the order, except for messages that precede their parents. */
function parentsFirst(nodes: readonly OriginalNode[]): OriginalNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sorted = new Set<OriginalNode>();
  for (const node of nodes) {
    const waiting = new Set<OriginalNode>();
    for (let at: OriginalNode | undefined = node; at !== undefined && !sorted.has(at);) {
      if (waiting.has(at)) throw new UnreadableError(`message ${JSON.stringify(at.id)} is its own ancestor`);
      waiting.add(at);
      at = at.parentId === null ? undefined : byId.get(at.parentId);
    }
    for (const one of [...waiting].reverse()) sorted.add(one);
  }
  return [...sorted];
}

/** The branch on which each message was saved: the oldest that leads to it. */
function ownersOf(
  branches: readonly OriginalBranch[],
  parents: ReadonlyMap<string, string | null>,
): Map<string, OriginalBranch> {
  const owners = new Map<string, OriginalBranch>();
  for (const branch of branches) {
    for (let id = branch.headMessageId; id !== null && !owners.has(id); id = parents.get(id) ?? null) {
      owners.set(id, branch);
    }
  }
  return owners;
}
