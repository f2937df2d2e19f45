/**
 * One chat, live: its messages, the shown thread, and all writes. A write is shown immediately, and removed when the
 * server refuses it. No method rejects: each returns an outcome, and errors are in the state.
 */
import type { ThreadState } from './store/thread-state.js';
import { ThreadDrafts, type Asked } from './writes/thread-drafts.js';
import type { Writing } from './writes/thread-writer.js';
import type { Parley } from './connection/create-parley.js';
import type { DraftWriter } from './writes/draft-writer.js';
import {
  CreateCheckpoint,
  DeleteBranch,
  DeleteCheckpoint,
  RenameBranch,
  RestoreCheckpoint,
  Rewind,
  SwitchBranch,
  SwitchToSibling,
} from './generated/operations.js';
import type { ThreadOptions } from './thread-options.js';
import { ThreadModel } from './store/thread-model.js';
import { ChatChanges } from './writes/chat-changes.js';
import { MessageWrites, notFound } from './writes/message-writes.js';
import { now, type Content, type Message, type SiblingInfo } from './message.js';
import { outcomeOf, type Outcome } from './outcome.js';

export class ThreadStore {
  readonly #model: ThreadModel;
  readonly #messages: MessageWrites;
  readonly #changes: ChatChanges;
  readonly #drafts: ThreadDrafts;
  readonly #switching: 'shared' | 'local';

  /** Sends no request before `subscribe` or `open`. */
  constructor(
    parley: Parley,
    readonly chatId: string,
    {
      pageSize = 50,
      branch,
      switching = 'shared',
      create = false,
      farBehind = 1000,
      writer,
      outbox,
      onConflict,
      initialState,
    }: ThreadOptions = {},
  ) {
    this.#switching = switching;
    const options = { pageSize, branch: branch ?? null, create, farBehind, outbox, onConflict };
    this.#model = new ThreadModel(parley, chatId, options, initialState?.snapshot);
    this.#messages = new MessageWrites(parley, this.#model, options);
    this.#changes = new ChatChanges(this.#messages);
    this.#drafts = new ThreadDrafts(this.#messages, writer);
  }

  /** The same object until a change, as useSyncExternalStore requires. */
  getState = (): ThreadState => this.#model.state;

  /** The state before the first read: for server-side rendering and hydration. */
  getInitialState = (): ThreadState => this.#model.initialState;

  /**
   * Calls `listener` after every change. The store follows the chat while it has listeners.
   * @returns a function that unsubscribes
   */
  subscribe = (listener: () => void): (() => void) => {
    const unsubscribe = this.#model.subscribe(listener);
    void this.resend();
    return unsubscribe;
  };

  /** Follows the chat until `close`, also without listeners. Settles after the first page was read or cannot be read. */
  async open(): Promise<ThreadState> {
    this.#model.isPinned = true;
    return this.when(({ status, chat, isLoading }) => (chat !== null || !/opening|away/.test(status)) && !isLoading);
  }

  /** Settles with the first state for which `isSo` is true, or when the store is closed. Follows the chat until then. */
  when(isSo: (state: ThreadState) => boolean): Promise<ThreadState> {
    void this.resend();
    return this.#model.when(isSo);
  }

  /** Ends the store: running operations return a ClosedError. */
  close(): void {
    this.#messages.close();
    this.#model.close();
  }

  /**
   * The versions of a message, and the ids that its arrows lead to. A draft is the newest version. Null for a message
   * that was not read; the same object until a change.
   */
  getMessageSiblingInfo = (messageId: string): SiblingInfo | null => this.#model.versions.infoOf(messageId);

  /** Reads a page above the first message of the thread. */
  loadOlder(): Promise<Outcome> {
    const { pages, state } = this.#model;
    return outcomeOf(async () => {
      const parentId = state.thread[0]?.parentId;
      if (parentId) await pages.path(parentId);
    });
  }

  /** Reads a page below the last message, after a jump. */
  loadNewer(): Promise<Outcome> {
    const { pages, state, view } = this.#model;
    return outcomeOf(async () => {
      const { part } = view;
      if (!part || !state.leafId) return;
      const next = await pages.newer(state.leafId, part.cursor);
      if (view.part === part) this.#model.showEnd(next);
    });
  }

  /** Reads all messages of the chat, on every branch: to draw or search the tree. */
  loadAll(): Promise<Outcome> {
    return outcomeOf(() => this.#model.pages.all(this.chatId));
  }

  /** Jumps to a message on any branch and shows the messages around it, in this store alone. */
  showMessage(messageId: string): Promise<Outcome> {
    const { chatId } = this;
    const { pages, state, view, record } = this.#model;
    return outcomeOf(async () => {
      if (state.thread.some(({ id }) => id === messageId)) return;
      const branch = record.branchAt(messageId) ?? view.branch;
      const on = branch?.headId ? { ...branch, chatId, headId: branch.headId } : null;
      const part = await pages.around(messageId, on);
      if (!part) throw notFound(messageId);
      if (part.leafId !== view.leafId) view.follow(this.#model.leaf(part.leafId));
      view.look();
      this.#model.showEnd(part);
    });
  }

  /** Returns to the end of the active branch. */
  showActive(): void {
    this.#model.view.follow({ kind: 'active' });
    this.showEnd();
  }

  /** Returns to the end of the shown thread, after a jump. */
  showEnd(): void {
    this.#model.showEnd(null);
  }

  /**
   * Shows another version of a message, and the newest thread through it; a draft is shown while it grows.
   * @param switching overrides the option of the store
   */
  async switchToSibling(messageId: string, switching = this.#switching): Promise<Outcome> {
    const { view, drafts, record, tree, pages } = this.#model;
    const draft = drafts.find(messageId);
    if (draft) {
      const branch = record.branch(draft.branchId);
      // From its first content on, a draft has a branch that other pages can follow.
      if (switching === 'shared' && branch?.headId === draft.parentId) return this.switchBranch(branch.name);
      view.watchDraft(messageId, draft.parentId);
      this.#model.changed();
      return { ok: true, value: undefined };
    }
    const knownLeafId = tree.latestLeafOf(messageId);
    // Before the first content, only this page has left the active branch; later content must not move the page back
    // to the draft.
    const left = view.isLoose && drafts.find(view.draft?.id ?? '') ? record.active : undefined;
    const back = left?.headId === knownLeafId ? left : undefined;
    if (switching === 'shared' && !back) return this.#changes.move(SwitchToSibling, { messageId }, knownLeafId);
    return outcomeOf(async () => {
      const leafId = knownLeafId ?? (await pages.latest(messageId));
      if (!leafId) throw notFound(messageId);
      view.follow(back ? { kind: 'branch', id: back.id } : this.#model.leaf(leafId));
      this.#model.changed();
    });
  }

  /**
   * Sends a message at the end of the thread. The outcome follows after the server has saved it; the store retries
   * while the server is unavailable. After a conflict, the outcome follows the user's choice in `conflicts`: ok after
   * `append` and `fork`, HEAD_CONFLICT after `discard` or `close`. Empty text is refused with INVALID_INPUT and not
   * shown.
   * @param given `name` is `user` by default; `id` is the id of the new message
   */
  send(content: Content, given: { name?: string; id?: string } = {}): Promise<Outcome<readonly Message[]>> {
    return this.#messages.send(content, given);
  }

  /**
   * Sends a message as `send` does and starts its answer, in one request; with the option `create`, the same request creates
   * the chat. When only the draft is refused, the message stays saved and the outcome has the error of the draft.
   */
  ask(content: Content, answer: Omit<Writing, 'parentId'> = {}): Promise<Outcome<Asked>> {
    return this.#drafts.with((writer) => writer.ask(content, answer));
  }

  /**
   * Sends messages of the `outbox` that an earlier page has left, each after its predecessor. Opening the chat calls
   * this, too. Settles once they are shown.
   */
  resend(): Promise<void> {
    return this.#messages.restore();
  }

  /** Saves a new version of a message beside the old one. */
  edit(messageId: string, content: Content, given: { id?: string } = {}): Promise<Outcome<readonly Message[]>> {
    return this.#messages.version(messageId, content, given, true);
  }

  /** Saves another answer to the same question: a sibling with the same parent and name. */
  regenerate(messageId: string, content: Content, given: { id?: string } = {}): Promise<Outcome<readonly Message[]>> {
    return this.#messages.version(messageId, content, given, false);
  }

  /**
   * Starts an answer at the end of the thread, or a sibling of the answers to `parentId`. It is shown immediately,
   * with each appended chunk, and becomes a message when the writer finishes it. Without chunks and content, its text
   * is empty.
   */
  write(writing: Writing = {}): Promise<Outcome<DraftWriter>> {
    return this.#drafts.with((writer) => writer.write(writing));
  }

  /**
   * Shows a message that a request outside the store saves, such as a request to an application's route.
   * @param place the id of the future message, and its parent: null for a root; `name` is `user` by default
   * @returns call `confirm` after the server has saved it, or `withdraw` to remove it
   */
  expect(
    content: Content,
    { parentId, ...given }: { id: string; parentId: string | null; name?: string },
  ): { confirm(): void; withdraw(): void } {
    return this.#messages.expect(content, parentId, given);
  }

  /**
   * Stops the shown draft and those of other versions of shown messages, or the one with an id, in any page or process. An
   * abandoned draft is ended as by `finishDraft`.
   * @returns the ids of the stopped drafts; empty when they had ended
   */
  stop(draftId?: string): Promise<Outcome<readonly string[]>> {
    return this.#drafts.stop(draftId);
  }

  /**
   * Ends an abandoned draft.
   * @param content by default the text of its chunks, with `status: "incomplete"` in the metadata
   * @returns the message; null after a draft without content was discarded. The code of the error is NOT_ABANDONED
   * while the draft is being written, and NOT_FOUND after it has ended
   */
  finishDraft(draftId: string, content?: Content): Promise<Outcome<Message | null>> {
    return this.#drafts.finish(draftId, content);
  }

  /** Continues an abandoned draft after its last chunk; fails as `finishDraft` does. */
  takeUp(draftId: string): Promise<Outcome<DraftWriter>> {
    return this.#drafts.with((writer) => writer.takeUp(draftId));
  }

  /** Goes back to a message on a new branch; null starts a new thread. */
  rewind(messageId: string | null): Promise<Outcome> {
    const at = messageId === null ? { start: true } : { message: messageId };
    return this.#changes.move(Rewind, { at }, messageId);
  }

  /** Activates a branch and shows it. */
  switchBranch(name: string): Promise<Outcome> {
    const branch = this.#model.record.branches.find((one) => one.name === name);
    return this.#changes.move(SwitchBranch, { name }, branch?.headId);
  }

  renameBranch(name: string, newName: string): Promise<Outcome> {
    return this.#changes.run(RenameBranch, { name, newName });
  }

  /** Deletes an inactive branch; its messages are kept. */
  deleteBranch(name: string): Promise<Outcome> {
    return this.#changes.run(DeleteBranch, { name });
  }

  /** Sets a checkpoint, by default on the last message. A checkpoint with the same name is moved. */
  createCheckpoint(name: string, messageId: string | null = this.#model.state.leafId): Promise<Outcome> {
    const guess = messageId === null ? {} : { checkpoint: { name, messageId, createdAt: now() } };
    return this.#changes.run(CreateCheckpoint, { name, messageId }, guess);
  }

  /** Goes back to a checkpoint on a new branch. */
  restoreCheckpoint(name: string): Promise<Outcome> {
    const checkpoint = this.#model.record.checkpoints.find((one) => one.name === name);
    return this.#changes.move(RestoreCheckpoint, { name }, checkpoint?.messageId);
  }

  deleteCheckpoint(name: string): Promise<Outcome> {
    return this.#changes.run(DeleteCheckpoint, { name }, { noCheckpoint: name });
  }
}
