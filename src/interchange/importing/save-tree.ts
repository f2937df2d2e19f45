/**
 * The new nodes of a conversation as messages on branches. Depth first, every leaf's new messages are one run of
 * consecutive seqs, and each run is one move of a head in the log.
 */
import { FIRST_BRANCH, type NextBranchNames } from '../../conversation/branches/branch-names.js';
import { namesAfter } from '../../conversation/branches/branches.js';
import type { ChatChange } from '../../conversation/change.js';
import type { Branch, Message, PlacedMessage } from '../../conversation/model.js';
import { Placement, type Position } from '../../conversation/saving/placement.js';
import type { LockedChat } from '../../conversation/store.js';
import type { SourceConversation, SourceNode } from '@parley/interchange/server';
import type { KnownMessages } from './known-messages.js';
import { ImportedMessage, WrittenValues } from './imported-message.js';
import { nothingSaved, type SavedTree } from './saved-tree.js';

/** Runs of one transaction of an import in steps. Each writes a branch and two events at most. */
export const RUNS_PER_STEP = 160;

/** A node that no branch leads to yet, with the time of its message. */
export interface PendingNode {
  node: SourceNode;
  createdAt: number | null;
}

/** A message of a run: one that the change writes, or one that was written without a branch. */
type RunMessage = Pick<Message, 'id' | 'depth' | 'seq'>;

export class TreeSaver {
  readonly #placement: Placement;
  /** The new messages since the last fork, each the parent of the next. */
  #run: RunMessage[] = [];
  #start: Message | null = null;
  /** The branches but main that this import has moved, by the message where they end now. */
  readonly #ends = new Map<string, Branch>();
  #names: NextBranchNames | null = null;
  readonly #written: WrittenValues;

  constructor(
    private readonly locked: LockedChat,
    private readonly change: ChatChange,
    from: SourceConversation,
    /** The messages that are saved already. */
    private readonly known: KnownMessages,
    /** The branch to move, and the node to move it to. Null: main stays where it is. */
    private readonly move: { branch: Branch; to: string } | null,
    readonly saved: SavedTree = nothingSaved(),
    /** The saved messages with a higher seq have no branch yet: an import in steps has appended them. */
    private readonly afterSeq = Infinity,
  ) {
    this.#placement = new Placement(locked, change);
    this.#written = new WrittenValues(from, this.saved);
  }

  /**
   * @param nodes parents before children, and those that are appended in the order of their seqs
   * @param runs after so many runs, the rest is left for another transaction
   * @returns how many of the nodes are done
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

  /** A branch where a head is about to leave, so that what it led to stays reachable. */
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
    const make = (position: Position) => new ImportedMessage(position, createdAt, node, this.#written);
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

  /** The branch that ends here and may go on, else a new one. Main goes where the conversation's active node is. */
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

  /** The head goes to a message that was there before: no messages are new with it, and its range of seqs is empty. */
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
