/** Which thread of a chat is shown, and where it ends; a part of a long one after a jump. */
import type { Branch, ChatRecord } from './chat-record.js';
import type { Message } from './message.js';
import type { MessageTree } from './message-tree.js';
import type { Guess, Optimism } from './optimism.js';
import { VisibleThread } from './visible-thread.js';

/** What is followed: whichever branch is active, one branch, or nothing but a leaf. */
export type Followed = { kind: 'active' } | { kind: 'branch'; id: string } | { kind: 'leaf'; id: string };

export interface View {
  thread: readonly Message[];
  leafId: string | null;
  branch: Branch | null;
  hasOlder: boolean;
  hasNewer: boolean;
  epoch: number;
  /** The message whose path is not here yet; undefined when all that is to be shown is here. */
  missing: string | undefined;
}

export class ThreadView {
  followed: Followed = { kind: 'active' };
  /** The draft that this page writes or was led to, and the view without it. */
  draft: { id: string; before: Followed } | undefined;
  /** Where the part that is shown ends, and its cursor, when that is not the end of the thread. */
  part: { endId: string; cursor: string } | null = null;
  #epoch = 0;
  #leafId: string | null | undefined;
  readonly #visible = new VisibleThread();

  constructor(
    private readonly record: ChatRecord,
    private readonly tree: MessageTree,
    private readonly guesses: Optimism,
    /** A message that is still being written, and that a message which is not saved yet follows. */
    private readonly written: (id: string) => Message | undefined,
  ) {}

  find = (id: string): Message | undefined => this.tree.byId.get(id) ?? this.guesses.message(id) ?? this.written(id);

  /** The branch that is followed; undefined while only a leaf is. */
  get branch(): Branch | undefined {
    const { followed, record } = this;
    if (followed.kind === 'leaf') return undefined;
    return (followed.kind === 'branch' ? record.branch(followed.id) : undefined) ?? record.active;
  }

  /** Whether no branch is followed. */
  get isLoose(): boolean {
    return this.followed.kind === 'leaf';
  }

  get leafId(): string | null {
    const { guesses, followed } = this;
    if (guesses.end !== undefined) return guesses.end;
    return followed.kind === 'leaf' ? followed.id : (this.branch?.headId ?? null);
  }

  /** The option `branch` of a write to the branch that is followed; nothing for the active one. */
  get named(): { branch?: string } {
    return this.followed.kind === 'branch' && this.branch ? { branch: this.branch.name } : {};
  }

  /** Shows something else, whatever was guessed. */
  follow(followed: Followed): void {
    this.guesses.leave();
    this.draft = undefined;
    this.followed = followed;
  }

  /** Shows a draft before others; one that is not at the end of the thread here alone, until the active branch leads to it. */
  watchDraft(id: string, parentId = this.leafId): void {
    const before = this.followed;
    if (parentId !== null && parentId !== this.leafId) this.follow({ kind: 'leaf', id: parentId });
    this.draft = { id, before };
  }

  /** Returns from a draft of which nothing is saved. */
  leaveDraft(id: string): void {
    if (this.draft?.id !== id) return;
    if (this.isLoose) this.followed = this.draft.before;
    this.draft = undefined;
  }

  /** A page that watches a draft follows the active branch once that leads to the draft. */
  joinActive(): void {
    if (this.draft && this.isLoose && this.record.active?.headId === this.leafId) {
      this.followed = { kind: 'active' };
    }
  }

  /** A message after the leaf that is shown belongs to that thread, unless the page watches a draft there. */
  extend(messages: readonly { id: string; parentId: string | null }[]): void {
    for (const { id, parentId } of messages) {
      if (this.followed.kind !== 'leaf' || this.followed.id !== parentId) continue;
      if (this.draft && this.draft.id !== id && this.draft.id !== parentId) continue;
      this.followed = { kind: 'leaf', id };
      if (this.draft?.id === parentId) this.draft = undefined;
    }
  }

  /** A send that was taken back is no other thread. */
  takeBack({ show, after }: Guess): void {
    if (after !== undefined && this.#leafId === show) this.#leafId = after;
  }

  look(): View {
    const { leafId } = this;
    if (leafId !== this.#leafId) {
      if (this.#leafId != null && !this.#leads(this.#leafId, leafId)) {
        this.#epoch++;
        this.part = null;
      }
      this.#leafId = leafId;
    }
    const endId = this.part?.endId ?? leafId;
    const isHere = endId === null || this.find(endId) !== undefined;
    // What was shown stays until there is something else to show.
    const thread = isHere ? this.#visible.moveTo(endId, this.find) : this.#visible.shown;
    return {
      thread,
      leafId,
      branch: this.branch ?? null,
      hasOlder: thread[0]?.parentId != null,
      hasNewer: this.part !== null,
      epoch: this.#epoch,
      missing: isHere ? undefined : endId,
    };
  }

  /** Whether a thread goes on from one message to another. */
  #leads(fromId: string, toId: string | null): boolean {
    const from = this.find(fromId);
    for (let id = toId; id !== null;) {
      if (id === fromId) return true;
      const message = this.find(id);
      if (!message || (from && message.depth <= from.depth)) return false;
      id = message.parentId;
    }
    return false;
  }
}
