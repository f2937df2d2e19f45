/**
 * What a rule wants written, noted as plain data: the store writes it at once, when the rule has succeeded. Every note
 * also writes its line of the log, so that replaying a chat's events gives the chat's branches and checkpoints.
 */
import { v7 as newId } from 'uuid';
import { FIRST_BRANCH } from './branches/branch-names.js';
import type { Draft, DraftNote } from './drafts/draft.js';
import type {
  Branch,
  Chat,
  ChatEvent,
  ChatEventType,
  Checkpoint,
  EventPayloads,
  Message,
  PlacedMessage,
} from './model.js';

/** How long an import that writes a chat in several transactions has the chat after each of them, in milliseconds. */
export const LEASE_MS = 30_000;

/** An import of a chat that has not ended. */
export interface OpenImport {
  userId: string;
  /** The import that holds the lease, under a random id. */
  holder: string;
  /** The end of the lease, in milliseconds since 1970. */
  expiresAt: number;
  /** The seq of the newest message before the import; null for a new chat. */
  afterSeq: number | null;
}

export class ChatChange {
  /** In the order of their seqs. */
  readonly messages: PlacedMessage[] = [];
  /** New ones and changed ones, as they will be; of each the newest state. */
  readonly branches = new Map<string, Branch>();
  readonly createdBranchIds = new Set<string>();
  /** The checkpoint that was saved, new or moved. */
  checkpoint: Checkpoint | null = null;
  deletedCheckpointId: string | null = null;
  /** The branch whose name changes, as it will be. */
  renamedBranch: Branch | null = null;
  deletedBranchId: string | null = null;
  /** Whose chat it becomes; null when that stays as it is. */
  newOwnerId: string | null = null;
  /** The draft that begins, and the one of its id that ended before. */
  startedDraft: { draft: Draft; replaced: Draft | null } | null = null;
  /** The draft that grows or ends. */
  changedDraft: DraftNote | null = null;
  /** The import that goes on after this change, or null when it ends; undefined when that stays as it is. */
  openImport: OpenImport | null | undefined;
  readonly events: ChatEvent[] = [];
  /** The chat's updatedAt, when that is not the time of the change: an imported conversation keeps its own. */
  updatedAt: number;
  #activatedId: string | null = null;
  #chat: Chat;

  constructor(
    chat: Chat,
    readonly actorId: string,
    /** The time of the whole change: everything that it writes carries it. */
    readonly now: number,
  ) {
    this.#chat = chat;
    this.updatedAt = now;
  }

  /** The chat as it will be. */
  get chat(): Chat {
    if (this.events.length === 0) return this.#chat;
    return { ...this.#chat, version: this.#chat.version + this.events.length, updatedAt: this.updatedAt };
  }

  /** The id of the branch that becomes active; null when that stays as it is. */
  get activatedBranchId(): string | null {
    return this.#activatedId;
  }

  get isEmpty(): boolean {
    return this.events.length === 0 && this.messages.length === 0 && this.openImport === undefined;
  }

  createChat(): void {
    this.#record('ChatCreated', {});
  }

  updateChat(fields: { title: string | null; metadata: string }): void {
    this.#chat = { ...this.#chat, ...fields };
    this.#record('ChatUpdated', {});
  }

  /** Gives the chat to another user. */
  transferChat(userId: string): void {
    this.#record('ChatTransferred', { previousUserId: this.#chat.userId, userId });
    this.#chat = { ...this.#chat, userId };
    this.newOwnerId = userId;
  }

  /** A new inactive branch at a message, or an empty one. */
  createBranch(name: string, head: Pick<Message, 'id' | 'depth'> | null): Branch {
    const headId = head?.id ?? null;
    const id = newId();
    const seq = this.#record('BranchCreated', { branchId: id, headId });
    const branch: Branch = {
      id,
      chatId: this.#chat.id,
      name,
      headMessageId: headId,
      messageCount: head === null ? 0 : head.depth + 1,
      isActive: false,
      createdAt: this.now,
      seq,
    };
    this.createdBranchIds.add(id);
    this.branches.set(id, branch);
    return branch;
  }

  /** Makes a branch the active one, in place of the one that is. */
  activate(branch: Branch): Branch {
    this.#record('BranchActivated', { branchId: branch.id });
    // The one that was active may have been noted as changed, in this change, while it was.
    for (const other of this.branches.values()) {
      if (other.isActive) this.branches.set(other.id, { ...other, isActive: false });
    }
    const active = { ...(this.branches.get(branch.id) ?? branch), isActive: true };
    this.branches.set(branch.id, active);
    this.#activatedId = branch.id;
    return active;
  }

  renameBranch(branch: Branch, name: string): Branch {
    this.#record('BranchRenamed', { branchId: branch.id, previousName: branch.name, name });
    this.renamedBranch = { ...branch, name };
    return this.renamedBranch;
  }

  /** Removes a branch that is not active. */
  deleteBranch({ id, name, headMessageId }: Branch): void {
    this.#record('BranchDeleted', { branchId: id, name, headId: headMessageId });
    this.deletedBranchId = id;
  }

  /** Moves a branch's head over new messages, each the parent of the next. */
  append(branch: Branch, messages: readonly PlacedMessage[]): Branch {
    const first = messages[0];
    const last = messages.at(-1);
    if (first === undefined || last === undefined) return branch;
    // One by one: an import may append more than a call can have arguments.
    for (const message of messages) this.messages.push(message);
    return this.moveHead(branch, last, { firstSeq: first.seq, lastSeq: last.seq });
  }

  /** Drafts are no part of the log: they tell of themselves. */
  startDraft(draft: Draft, replaced: Draft | null): void {
    this.startedDraft = { draft, replaced };
  }

  changeDraft(note: DraftNote): void {
    this.changedDraft = note;
  }

  saveCheckpoint(existing: Checkpoint | null, name: string, messageId: string): Checkpoint {
    const id = existing?.id ?? newId();
    const seq = this.#record('CheckpointSaved', { checkpointId: id, name, messageId });
    this.checkpoint = { id, chatId: this.#chat.id, name, messageId, createdAt: this.now, seq };
    return this.checkpoint;
  }

  deleteCheckpoint(checkpoint: Checkpoint): void {
    this.#record('CheckpointDeleted', { name: checkpoint.name });
    this.deletedCheckpointId = checkpoint.id;
  }

  /** Moves a branch's head, telling the seqs of the messages that are new with it: an empty range for none. */
  moveHead(branch: Branch, head: Pick<Message, 'id' | 'depth'>, seqs: { firstSeq: number; lastSeq: number }): Branch {
    const before = this.branches.get(branch.id) ?? branch;
    this.#record('BranchHeadMoved', {
      branchId: branch.id,
      previousHeadId: before.headMessageId,
      headId: head.id,
      ...seqs,
    });
    const after: Branch = { ...before, headMessageId: head.id, messageCount: head.depth + 1 };
    this.branches.set(branch.id, after);
    return after;
  }

  #record<T extends ChatEventType>(type: T, payload: EventPayloads[T]): number {
    const seq = this.#chat.version + this.events.length + 1;
    const event = { chatId: this.#chat.id, seq, type, actorId: this.actorId, createdAt: this.now, payload };
    this.events.push(event as ChatEvent);
    return seq;
  }
}

/** A chat that is not there yet: a change of nothing, which begins with an empty active branch `main`. */
export class NewChat extends ChatChange {
  constructor(chat: Omit<Chat, 'version'>, actorId: string, now: number) {
    super({ ...chat, version: 0 }, actorId, now);
    this.createChat();
    this.activate(this.createBranch(FIRST_BRANCH, null));
  }
}
