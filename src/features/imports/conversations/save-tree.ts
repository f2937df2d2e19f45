/**
 * Saves the new nodes of a conversation as messages on branches. Depth first, the new messages of every leaf are one
 * run of consecutive seqs; each run is one move of a head in the log.
 */
import { FIRST_BRANCH, type NextBranchNames } from '../../../conversation/branches/branch-names.js';
import { namesAfter } from '../../../conversation/branches/branches.js';
import type { ChatChange } from '../../../conversation/change.js';
import type { Branch, Message, PlacedMessage } from '../../../conversation/model.js';
import { Placement, type Position } from '../../../conversation/saving/placement.js';
import type { LockedChat } from '../../../conversation/store.js';
import type { SourceConversation, SourceNode } from '@parley/interchange/server';
import type { KnownMessages } from './known-messages.js';
import { importedMessage, WrittenValues } from './imported-message.js';
import { nothingSaved, type SavedTree } from './saved-tree.js';

/** Runs per transaction of an import in steps. Each writes at most a branch and two events. */
export const RUNS_PER_STEP = 160;

/** A node without a branch so far, with the time of its message. */
export interface PendingNode {
  node: SourceNode;
  createdAt: number | null;
}

/** A message of a run: written by this change, or earlier without a branch. */
type RunMessage = Pick<Message, 'id' | 'depth' | 'seq'>;

export class TreeSaver {
  readonly #placement: Placement;
  /** The new messages since the last fork, each the parent of the next. */
  #run: RunMessage[] = [];
  #start: Message | null = null;
  /** The branches other than main that this import moved, by their head. */
  readonly #ends = new Map<string, Branch>();
  #names: NextBranchNames | null = null;
  readonly #written: WrittenValues;

  constructor(
    private readonly locked: LockedChat,
    private readonly change: ChatChange,
    from: SourceConversation,
    /** The messages that are already saved. */
    private readonly known: KnownMessages,
    /** The branch to move and its target node. Null: main stays unchanged. */
    private readonly move: { branch: Branch; to: string } | null,
    readonly saved: SavedTree = nothingSaved(),
    /** Saved messages with a higher seq have no branch yet: an import in steps appended them. */
    private readonly afterSeq = Infinity,
  ) {
    this.#placement = new Placement(locked, change);
    this.#written = new WrittenValues(from, this.saved);
  }

  /**
   * @param nodes parents before children, and appended ones in the order of their seqs
   * @param runs the maximum number of runs; the rest is left for another transaction
   * @returns the number of finished nodes
   */
  async save(nodes: readonly PendingNode[], runs = Infinity): Promise<number> {
    let previous: SourceNode | null = null;
    let done = 0;
    for (const { node, createdAt } of nodes) {
      await this.locked.yieldIfDue();
      const saved = this.known.get(this.known.idOf(node.id));
      const isNext = saved === undefined || saved.seq === (this.#run.at(-1)?.seq ?? 0) + 1;
      if (previous !== null && (node.parentId !== previous.id || previous.id === this.move?.to || !isNext)) {
        await this.#endRun(previous);
        previous = null;
        if (--runs === 0) break;
      }
      await this.#add(node, saved ?? null, createdAt ?? this.change.now);
      previous = node;
      done++;
    }
    if (previous !== null) await this.#endRun(previous);
    this.#moveToKnown();
    return done;
  }

  /** Creates a branch at a head that is about to move, so that its messages stay reachable. */
  async keep(head: Message): Promise<void> {
    this.change.createBranch(await this.#nextName(), head);
  }

  #isAppended({ seq }: Message): boolean {
    return seq > this.afterSeq;
  }

  async #add(node: SourceNode, appended: Message | null, createdAt: number): Promise<void> {
    const id = this.known.idOf(node.id);
    const parent = node.parentId === null ? null : this.#message(node.parentId);
    if (this.#run.length === 0) this.#start = parent;
    this.#run.push(appended ?? (await this.#place(parent, id, node, createdAt)));
    this.saved.messageIds.push(id);
    if (this.known.isVersion(node.id)) this.saved.changedMessages++;
  }

  async #place(parent: Message | null, id: string, node: SourceNode, createdAt: number): Promise<PlacedMessage> {
    const make = (position: Position) => importedMessage(position, createdAt, node, this.#written);
    const message = await this.#placement.placeAs(parent, id, make);
    this.change.messages.push(message);
    return message;
  }

  async #endRun(last: SourceNode): Promise<void> {
    const run = this.#run;
    this.#run = [];
    const isMains = last.id === this.move?.to;
    const branch = isMains ? this.move.branch : await this.#branchAt(this.#start);
    const [first, head] = [run[0], run.at(-1)];
    if (first === undefined || head === undefined) return;
    const after = this.change.moveHead(branch, head, { firstSeq: first.seq, lastSeq: head.seq });
    if (!isMains && after.headMessageId !== null) this.#ends.set(after.headMessageId, after);
  }

  /** The branch that ends here and may continue, else a new one. Main moves to the conversation's active node. */
  async #branchAt(head: Message | null): Promise<Branch> {
    const open = head === null ? undefined : (this.#takeEnd(head) ?? (await this.#savedBranchAt(head)));
    return open ?? this.change.createBranch(await this.#nextName(), head);
  }

  #takeEnd(head: Message): Branch | undefined {
    const branch = this.#ends.get(head.id);
    this.#ends.delete(head.id);
    return branch;
  }

  async #savedBranchAt(head: Message): Promise<Branch | undefined> {
    const saved = this.known.get(head.id);
    if (saved === undefined || this.#isAppended(saved)) return undefined;
    const branches = await this.locked.branchesAt(head.id);
    return branches.find((branch) => branch.name !== FIRST_BRANCH && !this.change.branches.has(branch.id));
  }

  /** Moves the head to a saved message: the event has an empty range of seqs. */
  #moveToKnown(): void {
    if (this.move === null) return;
    const { branch, to } = this.move;
    const head = this.known.get(this.known.idOf(to));
    if (head === undefined || head.id === branch.headMessageId || this.#isAppended(head)) return;
    const lastSeq = this.change.messages.at(-1)?.seq ?? head.seq;
    this.change.moveHead(branch, head, { firstSeq: lastSeq + 1, lastSeq });
  }

  async #nextName(): Promise<string> {
    this.#names ??= await namesAfter(this.locked, FIRST_BRANCH);
    return this.#names.take();
  }

  #message(nodeId: string): Message {
    const id = this.known.idOf(nodeId);
    const message = this.#placement.placed(id) ?? this.known.get(id);
    if (message === undefined) throw new Error(`the parent "${nodeId}" comes after its child`);
    return message;
  }
}
