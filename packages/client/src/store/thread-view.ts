/** Selects the shown thread of a chat and its end, or a part of a long thread after a jump. */
import type { Branch, ChatRecord } from './chat-record.js';
import type { Message } from '../message.js';
import type { MessageTree } from './message-tree.js';
import type { Guess, Optimism } from './optimism.js';
import { VisibleThread } from './visible-thread.js';

/** The followed target: the active branch, a branch by id, or a leaf. */
export type Followed = { kind: 'active' } | { kind: 'branch'; id: string } | { kind: 'leaf'; id: string };

export interface View {
  thread: readonly Message[];
  leafId: string | null;
  branch: Branch | null;
  hasOlder: boolean;
  hasNewer: boolean;
  epoch: number;
  /** The message whose path was not read yet; undefined when the whole view was read. */
  missing: string | undefined;
}

export class ThreadView {
  followed: Followed = { kind: 'active' };
  /** The draft that this page watches, and the view without it. */
  draft: { id: string; before: Followed } | undefined;
  /** The last message of the shown part, and its cursor; unset at the end of the thread. */
  part: { endId: string; cursor: string } | null = null;
  #epoch = 0;
  #leafId: string | null | undefined;
  readonly #visible = new VisibleThread();

  constructor(
    private readonly record: ChatRecord,
    private readonly tree: MessageTree,
    private readonly guesses: Optimism,
    /** A draft that an unsaved message follows. */
    private readonly written: (id: string) => Message | undefined,
  ) {}

  find = (id: string): Message | undefined => this.tree.byId.get(id) ?? this.guesses.message(id) ?? this.written(id);

  /** The followed branch; undefined while a leaf is shown. */
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

  /** The option `branch` of a write to the followed branch; empty for the active branch. */
  get named(): { branch?: string } {
    return this.followed.kind === 'branch' && this.branch ? { branch: this.branch.name } : {};
  }

  /** Shows another target, and drops the expected ends of pending writes. */
  follow(followed: Followed): void {
    this.guesses.leave();
    this.draft = undefined;
    this.followed = followed;
  }

  /**
   * Shows a draft before others. Away from the end of the thread, only this page shows it until the active branch
   * includes it.
   */
  watchDraft(id: string, parentId = this.leafId): void {
    const before = this.followed;
    if (parentId !== null && parentId !== this.leafId) this.follow({ kind: 'leaf', id: parentId });
    this.draft = { id, before };
  }

  /** Returns from a draft that was not saved. */
  leaveDraft(id: string): void {
    if (this.draft?.id !== id) return;
    if (this.isLoose) this.followed = this.draft.before;
    this.draft = undefined;
  }

  /** A page that watches a draft follows the active branch once it includes the draft. */
  joinActive(): void {
    if (this.draft && this.isLoose && this.record.active?.headId === this.leafId) {
      this.followed = { kind: 'active' };
    }
  }

  /** A message after the shown leaf belongs to that thread, unless the page watches a draft there. */
  extend(messages: readonly { id: string; parentId: string | null }[]): void {
    for (const { id, parentId } of messages) {
      if (this.followed.kind !== 'leaf' || this.followed.id !== parentId) continue;
      if (this.draft && this.draft.id !== id && this.draft.id !== parentId) continue;
      this.followed = { kind: 'leaf', id };
      if (this.draft?.id === parentId) this.draft = undefined;
    }
  }

  /** A withdrawn message does not count as another thread. */
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
    // The previous thread is shown until another one was read.
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

  /** Whether one thread extends another. */
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
