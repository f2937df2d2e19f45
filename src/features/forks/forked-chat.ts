/** The plan of a fork: its branches, checkpoints and log, and the messages to copy. Its messages are copied in SQL. */
import { v7 as newId } from 'uuid';
import { FIRST_BRANCH } from '../../conversation/branches/branch-names.js';
import { ChatChange } from '../../conversation/change.js';
import type { Branch, Chat, Checkpoint, Message } from '../../conversation/model.js';
import { lengthOf, type GraphRuns, type SeqBounds } from './graph-runs.js';

/** Characters of a UUID before the last 8, which are the seq of the copied message. */
const PREFIX_LENGTH = 28;

/** The name of branches to messages that no branch of the origin leads to: the log creates and deletes them. */
const DELETED_BRANCH = 'deleted';

/** A chat to fork, at one moment. */
export interface ForkOrigin {
  readonly chat: Chat;
  /** The message to fork at; null for a graph whose active branch is empty. */
  readonly head: (Pick<Message, 'id' | 'seq' | 'depth'> & { readonly usage: string | null }) | null;
  readonly runs: GraphRuns;
  /** All messages, branches and checkpoints, by the seqs of their messages; null for a path. */
  readonly whole: {
    readonly messageCount: number;
    readonly branches: readonly (Pick<Branch, 'name' | 'isActive'> & { readonly headSeq: number | null })[];
    readonly checkpoints: readonly (Pick<Checkpoint, 'name'> & { readonly messageSeq: number })[];
  } | null;
}

export class ForkedChat extends ChatChange {
  readonly checkpoints: Checkpoint[] = [];
  /** The copied messages by their seqs in the origin, in order. */
  readonly ranges: readonly SeqBounds[];
  /** The new ids are this and the seq in the origin: sortable UUIDs, unique by the time and 42 bits. */
  readonly idPrefix = newId().slice(0, PREFIX_LENGTH);

  constructor(
    readonly origin: ForkOrigin,
    chat: Omit<Chat, 'version'>,
    now: number,
  ) {
    super({ ...chat, version: 0 }, chat.userId, now);
    this.createChat();
    const { head, runs, whole } = origin;
    if (whole === null) {
      this.ranges = head === null ? [] : runs.pathTo(head.seq);
      const main = this.activate(this.createBranch(FIRST_BRANCH, null));
      if (head !== null) this.moveHead(main, this.#place(head.seq), { firstSeq: 1, lastSeq: head.depth + 1 });
    } else {
      this.ranges = whole.messageCount === 0 ? [] : [{ firstSeq: 1, lastSeq: whole.messageCount }];
      this.#addGraph(whole);
    }
  }

  get messageCount(): number {
    return lengthOf(this.ranges);
  }

  /** Each message is in the range of one move, whose messages are a chain from the branch's previous head. */
  #addGraph({ branches, checkpoints }: NonNullable<ForkOrigin['whole']>): void {
    const { runs } = this.origin;
    const uncovered = runs.uncovered();
    let active: Branch | null = null;
    for (const { name, isActive, headSeq } of branches) {
      const branch = this.#addBranch(name, headSeq, headSeq === null ? [] : uncovered(headSeq));
      if (isActive) active = branch;
    }
    for (const end of runs.ends()) {
      const ranges = uncovered(end);
      if (ranges.length === 0) continue;
      const branch = this.#addBranch(DELETED_BRANCH, end, ranges);
      this.deleteBranch(branch);
      this.branches.delete(branch.id);
    }
    if (active !== null && this.branches.get(active.id)?.isActive !== true) this.activate(active);
    for (const { name, messageSeq } of checkpoints) {
      this.checkpoints.push(this.saveCheckpoint(null, name, this.#place(messageSeq).id));
    }
  }

  #addBranch(name: string, headSeq: number | null, moves: readonly SeqBounds[]): Branch {
    const [first] = moves;
    const start = first === undefined ? headSeq : this.origin.runs.parentOf(first.firstSeq);
    let branch = this.createBranch(name, start === null ? null : this.#place(start));
    // As in any new chat, the first branch is active from the beginning.
    if (this.branches.size === 1) branch = this.activate(branch);
    for (const range of moves) branch = this.moveHead(branch, this.#place(range.lastSeq), range);
    return branch;
  }

  /** The copy of a message. */
  #place(seq: number): Pick<Message, 'id' | 'depth'> {
    const id = this.idPrefix + seq.toString(16).padStart(8, '0');
    return { id, depth: this.origin.runs.depthOf(seq) };
  }
}
