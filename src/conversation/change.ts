/**
 * A change as plain data, recorded by a rule and written by the store after the rule succeeds. Each record also appends
 * an event, so that replaying the log gives the same branches and checkpoints.
 */
import { v7 as newId } from 'uuid';
import { FIRST_BRANCH } from './branches/branch-names.js';
import { messageSums } from './saving/message-digest.js';
import type {
  Branch,
  Chat,
  ChatRole,
  ChatEvent,
  ChatEventType,
  Checkpoint,
  EventPayloads,
  Message,
  PlacedMessage,
} from './model.js';
import type { Row } from './tables.js';

/** Milliseconds that an import holds the lease of a chat after each of its transactions. */
export const LEASE_MS = 30_000;

/** An unfinished import into a chat. */
export interface OpenImport {
  userId: string;
  /** The random id of the import that holds the lease. */
  holder: string;
  /** The end of the lease, in milliseconds since 1970. */
  expiresAt: number;
  /** The seq of the newest message before the import; null for a new chat. */
  afterSeq: number | null;
  /** The time of the deletion of a chat that can be restored: the row is not an import. */
  deletedAt?: number | null;
}

/**
 * A part of a chat that a feature keeps besides its messages until it ends, such as an unfinished message. It has no event: its
 * subscribers are notified by themselves.
 */
export interface PartChange {
  readonly chatId: string;
  readonly partId: string;
  /** The number of its items after a growth; null for another change. */
  readonly length: number | null;
}

/** A part that begins, changes or ends with a change of its chat. */
export interface NotedPart extends PartChange {
  readonly isNew: boolean;
  /** Its bytes, which no longer count for storage quotas; null unless it ends. */
  readonly endedBytes: number | null;
}

export class ChatChange {
  /** Ordered by seq. */
  readonly messages: PlacedMessage[] = [];
  /** The newest state of each new or changed branch. */
  readonly branches = new Map<string, Branch>();
  readonly createdBranchIds = new Set<string>();
  /** The new or moved checkpoint. */
  checkpoint: Checkpoint | null = null;
  deletedCheckpointId: string | null = null;
  /** The newly activated branch; null when the active branch stays. */
  activatedBranchId: string | null = null;
  /** The renamed branch with its new name. */
  renamedBranch: Branch | null = null;
  deletedBranchId: string | null = null;
  /** The new owner; null when the owner stays. */
  newOwnerId: string | null = null;
  /**
   * The role of the actor, with which an admin is an owner; null for an import, whose rights are checked before. New branches of
   * a COMMENTER stay inactive: see commenting.ts.
   */
  role: ChatRole | null = null;
  part: NotedPart | null = null;
  /** The import that continues after this change; null when it ends; undefined when unchanged. */
  openImport: OpenImport | null | undefined;
  /** The recorded origin of a new chat. */
  fork: Row<'chat_forks'> | null = null;
  /** Whether its messages are saved by users, unlike imported and copied ones. */
  isSave = false;
  readonly events: ChatEvent[] = [];
  /** The chat's new updatedAt. An imported conversation keeps its own time. */
  updatedAt: number;
  #chat: Chat;

  constructor(
    chat: Chat,
    readonly actorId: string,
    /** The time of all rows of this change. */
    readonly now: number,
  ) {
    this.#chat = chat;
    this.updatedAt = now;
  }

  /** The chat after this change. */
  get chat(): Chat {
    if (this.events.length === 0) return this.#chat;
    return { ...this.#chat, version: this.#chat.version + this.events.length, updatedAt: this.updatedAt };
  }

  get isNew(): boolean {
    return this.events[0]?.type === 'ChatCreated';
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

  restoreChat(): void {
    this.#record('ChatRestored', {});
  }

  /**
   * Records a new owner, or changed members, whose rows the caller writes.
   * @param userId the owner after it
   * @param members after it: see Chat
   */
  changeAccess<T extends 'ChatTransferred' | 'MemberChanged'>(
    type: T,
    payload: EventPayloads[T],
    userId: string,
    members: string,
  ): void {
    this.#record(type, payload);
    if (userId !== this.#chat.userId) this.newOwnerId = userId;
    this.#chat = { ...this.#chat, userId, members };
  }

  /** Creates an inactive branch at a message; null for an empty branch. */
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
      createdBy: this.actorId,
    };
    this.createdBranchIds.add(id);
    this.branches.set(id, branch);
    return branch;
  }

  /** Activates a branch and deactivates the present one. */
  activate(branch: Branch): Branch {
    this.#record('BranchActivated', { branchId: branch.id });
    // The formerly active branch may already be recorded as active in this change.
    for (const other of this.branches.values()) {
      if (other.isActive) this.branches.set(other.id, { ...other, isActive: false });
    }
    const active = { ...(this.branches.get(branch.id) ?? branch), isActive: true };
    this.branches.set(branch.id, active);
    this.activatedBranchId = branch.id;
    return active;
  }

  renameBranch(branch: Branch, name: string): Branch {
    this.#record('BranchRenamed', { branchId: branch.id, previousName: branch.name, name });
    this.renamedBranch = { ...branch, name };
    return this.renamedBranch;
  }

  deleteBranch({ id, name, headMessageId }: Branch): void {
    this.#record('BranchDeleted', { branchId: id, name, headId: headMessageId });
    this.deletedBranchId = id;
  }

  /** Moves a branch's head over new messages, each the parent of the next. */
  append(branch: Branch, messages: readonly PlacedMessage[]): Branch {
    const first = messages[0];
    const last = messages.at(-1);
    if (first === undefined || last === undefined) return branch;
    // Spreading would exceed the argument limit of a call for large imports.
    for (const message of messages) {
      this.messages.push(message);
      if (message.ownUsage) this.#chat = { ...this.#chat, usage: messageSums.add(this.#chat.usage, message.ownUsage) };
    }
    return this.moveHead(branch, last, { firstSeq: first.seq, lastSeq: last.seq });
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

  /** Moves a branch's head. `seqs` is the range of its new messages, empty for none. */
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

/** The change that creates a chat, with an empty active branch `main`. */
export class NewChat extends ChatChange {
  constructor(chat: Omit<Chat, 'version' | 'usage'>, actorId: string, now: number) {
    super({ ...chat, version: 0, usage: null }, actorId, now);
    this.createChat();
    this.activate(this.createBranch(FIRST_BRANCH, null));
  }
}
