/**
 * Computes the branches and checkpoints that result from a chat's log. Events can only name messages of the file and
 * earlier branches or checkpoints: ids of a file are never looked up in the database.
 */
import type { Branch, Checkpoint, EventPayloads } from '../../../conversation/model.js';
import { UnreadableError } from '@parley/interchange/server';
import type { LoggedEvent } from './checked-values.js';

type ReplayedBranch = Pick<Branch, 'headMessageId' | 'seq'>;

export class LogReplay {
  readonly #branches = new Map<string, ReplayedBranch>();
  /** By name. */
  readonly #checkpoints = new Map<string, Pick<Checkpoint, 'id' | 'messageId' | 'seq'>>();
  #activeId: string | null = null;
  /** Has 1 at the seq of each message that a move has covered; moves must not overlap. */
  #covered = new Uint8Array(1024);

  /** @param seqOf returns the seq of a message of the file, undefined for any other id */
  constructor(private readonly seqOf: (messageId: string) => number | undefined) {}

  /** @throws UnreadableError when the log cannot have the event at this point */
  add(seq: number, event: LoggedEvent): void {
    try {
      this.#apply(seq, event);
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      throw new UnreadableError(`event ${seq} (${event.type}) ${error.message}`);
    }
  }

  /** @throws UnreadableError when the rows differ from the result of the log */
  end(branches: readonly Branch[], checkpoints: readonly Checkpoint[]): void {
    for (const { id, headMessageId, isActive, seq } of branches) {
      const logged = this.#branches.get(id);
      const isLogged = logged?.headMessageId === headMessageId && logged.seq === seq;
      if (!isLogged || isActive !== (id === this.#activeId)) throw new UnreadableError(unlike('branch', id));
      this.#branches.delete(id);
    }
    for (const { id, name, messageId, seq } of checkpoints) {
      const logged = this.#checkpoints.get(name);
      const isLogged = logged?.id === id && logged.messageId === messageId && logged.seq === seq;
      if (!isLogged) throw new UnreadableError(unlike('checkpoint', id));
      this.#checkpoints.delete(name);
    }
    const missing = this.#branches.size > 0 ? 'branches' : this.#checkpoints.size > 0 ? 'checkpoints' : null;
    if (missing !== null) throw new UnreadableError(`it lacks ${missing} that its log creates`);
  }

  #apply(seq: number, { type, payload }: LoggedEvent): void {
    switch (type) {
      case 'ChatCreated':
      case 'ChatUpdated':
      case 'ChatTransferred':
      case 'ChatRestored':
      case 'MemberChanged':
        return;
      case 'BranchCreated':
        return this.#createBranch(seq, payload);
      case 'BranchActivated':
        this.#branch(payload.branchId);
        this.#activeId = payload.branchId;
        return;
      case 'BranchHeadMoved':
        return this.#moveHead(payload);
      case 'BranchRenamed':
        this.#branch(payload.branchId);
        return;
      case 'BranchDeleted':
        return this.#deleteBranch(payload);
      case 'CheckpointSaved':
        return this.#saveCheckpoint(seq, payload);
      case 'CheckpointDeleted':
        if (!this.#checkpoints.delete(payload.name)) throw unknown('checkpoint', payload.name);
    }
  }

  #createBranch(seq: number, { branchId, headId }: EventPayloads['BranchCreated']): void {
    if (this.#branches.has(branchId)) throw new UnreadableError('creates a branch that exists');
    this.#branches.set(branchId, { headMessageId: headId, seq });
    if (headId !== null) this.#seqOf(headId);
    // Chats imported from other systems have a first branch without an activation event.
    this.#activeId ??= branchId;
  }

  #moveHead({ branchId, previousHeadId, headId, firstSeq, lastSeq }: EventPayloads['BranchHeadMoved']): void {
    const branch = this.#branch(branchId);
    if (previousHeadId !== branch.headMessageId)
      throw new UnreadableError('has another previousHeadId than the branch');
    const isEmpty = firstSeq === lastSeq + 1;
    const headSeq = this.#seqOf(headId);
    if (!isEmpty && !(headSeq === lastSeq && this.#cover(firstSeq, lastSeq))) {
      throw new UnreadableError('has a firstSeq and a lastSeq that are not those of new messages up to its head');
    }
    this.#branches.set(branchId, { ...branch, headMessageId: headId });
  }

  #deleteBranch({ branchId, headId }: EventPayloads['BranchDeleted']): void {
    const { headMessageId } = this.#branch(branchId);
    if (headId !== headMessageId) throw new UnreadableError('has another headId than the branch');
    if (branchId === this.#activeId) throw new UnreadableError('deletes the active branch');
    this.#branches.delete(branchId);
  }

  #saveCheckpoint(seq: number, { checkpointId: id, name, messageId }: EventPayloads['CheckpointSaved']): void {
    const existing = this.#checkpoints.get(name);
    if (existing !== undefined && existing.id !== id) throw new UnreadableError('has another id than the checkpoint');
    this.#seqOf(messageId);
    this.#checkpoints.set(name, { id, messageId, seq });
  }

  #branch(id: string): ReplayedBranch {
    const branch = this.#branches.get(id);
    if (branch === undefined) throw unknown('branch', id);
    return branch;
  }

  #seqOf(messageId: string): number {
    const seq = this.seqOf(messageId);
    if (seq === undefined) throw unknown('message', messageId);
    return seq;
  }

  /**
   * @param lastSeq the seq of a message of the file
   * @returns whether no earlier move covers any of these seqs
   */
  #cover(firstSeq: number, lastSeq: number): boolean {
    if (lastSeq >= this.#covered.length) {
      const grown = new Uint8Array(2 * lastSeq);
      grown.set(this.#covered);
      this.#covered = grown;
    }
    const isNew = firstSeq >= 1 && firstSeq <= lastSeq && !this.#covered.subarray(firstSeq, lastSeq + 1).includes(1);
    if (isNew) this.#covered.fill(1, firstSeq, lastSeq + 1);
    return isNew;
  }
}

function unknown(kind: string, id: string): UnreadableError {
  return new UnreadableError(`names a ${kind} that the chat does not have there: ${JSON.stringify(id)}`);
}

function unlike(kind: string, id: string): string {
  return `${kind} ${JSON.stringify(id)} is not as the log leaves it`;
}
