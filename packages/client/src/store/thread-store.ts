/**
 * One chat, live: its tree as far as it was seen, the thread that is shown, and what can be done to it. Everything that
 * is done is shown at once, and taken back when the server refuses it. Nothing here rejects: what is asked for answers an
 * outcome, and what happens is in the state.
 */
import type { Parley } from '../connection/create-parley.js';
import { asParleyError, ClosedError, ParleyError } from '@parley/transport/errors';
import type { DraftWriter } from '../drafts/draft-writer.js';
import { ThreadDrafts, type Asked, type Writing } from '../drafts/thread-drafts.js';
import type { PlacedFragment } from '../generated/operations.js';
import { ChatRecord, type Branch, type Snapshot } from './chat-record.js';
import type { InitialState } from './initial-state.js';
import { LiveChat, type LiveChatEvents, type Status } from './live-chat.js';
import type { Content, Message, SiblingInfo } from './message.js';
import { MessageTree } from './message-tree.js';
import { Optimism, type Guess } from './optimism.js';
import type { Outbox } from './outbox.js';
import type { Outcome } from './outcome.js';
import { PageReader, type Part } from './page-reader.js';
import { isSame } from './same.js';
import type { Conflict, ThreadState } from './thread-state.js';
import { ThreadView, type Followed } from './thread-view.js';
import { ThreadWrites } from './thread-writes.js';
import { Versions } from './versions.js';

export interface ThreadOptions {
  /** How many messages are read at a time: 50 by default, 1,000 at most. */
  pageSize?: number;
  /** The name of the branch to show; whichever is active by default. */
  branch?: string;
  /**
   * Whether an arrow makes another branch active, for everybody who has the chat open (`shared`, the default), or
   * changes what is shown here alone (`local`).
   */
  switching?: 'shared' | 'local';
  /**
   * Whether what is said first makes the chat where there is none of that id: it is `live` until then, and empty. `gone` by
   * default.
   */
  create?: boolean;
  /** How many events behind the chat is read anew, rather than told event by event: 1,000 by default. */
  farBehind?: number;
  /**
   * DraftWriter of `@parley/client/writer`, for a page that writes answers. Without it, `write`, `ask` and `takeUp` are refused
   * with INVALID_INPUT.
   */
  writer?: typeof DraftWriter;
  /** Keeps messages until the server has confirmed or refused them: one of `@parley/client/outbox`. */
  outbox?: Outbox;
  /** The state of `readThreadState`: shown before the server is reached, and brought up to date from its version. */
  initialState?: InitialState | null;
}

/** How many events of a log that is caught up with go by before it is shown. */
const SHOWN_EVERY = 100;

export class ThreadStore {
  readonly #listeners = new Set<() => void>();
  readonly #record = new ChatRecord();
  readonly #tree = new MessageTree();
  readonly #guesses = new Optimism();
  readonly #view = new ThreadView(this.#record, this.#tree, this.#guesses, (id) =>
    this.#guesses.isParent(id) ? this.#drafts.all.find(id)?.message : undefined,
  );
  /** The guesses of expected messages, by the id of the message. */
  readonly #expected = new Map<string, Guess>();
  readonly #pages: PageReader;
  readonly #live: LiveChat;
  readonly #writes: ThreadWrites;
  readonly #drafts: ThreadDrafts;
  readonly #versions = new Versions(this.#tree, () => [...this.#guesses.messages, ...this.#drafts.messages]);
  readonly #closing = new AbortController();
  readonly #options: Required<Omit<ThreadOptions, 'branch' | 'writer' | 'outbox' | 'initialState'>> & {
    branch: string | null;
  };
  #conflicts: readonly Conflict[] = [];
  #status: Status = 'opening';
  #error: ParleyError | null = null;
  #isPinned = false;
  #untold = 0;
  /** Nothing is requested while the store is constructed. */
  #isChanging = true;
  /** The messages whose paths were asked for since the chat was read. */
  readonly #asked = new Set<string>();
  #state: ThreadState;
  readonly #initialState: ThreadState;

  /** It asks nothing of the server before somebody subscribes, or `open` is called. */
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
      initialState,
    }: ThreadOptions = {},
  ) {
    this.#options = { pageSize, branch: branch ?? null, switching, create, farBehind };
    this.#pages = new PageReader(
      parley,
      pageSize,
      () => this.#closing.signal,
      (messages) => this.#take(messages),
      () => this.#changed(),
    );
    const live: LiveChatEvents = {
      snapshot: (snapshot) => {
        this.#restart(snapshot);
        this.#arrive(snapshot.version);
        this.#changed();
      },
      event: (event) => {
        if (event.__typename === 'BranchHeadMoved') this.#take(event.messages);
        const fits = this.#record.apply(event);
        this.#arrive(event.seq);
        if (this.#status === 'catching-up' && ++this.#untold % SHOWN_EVERY !== 0) return fits;
        this.#changed();
        return fits;
      },
      status: (status, error) => {
        this.#status = status;
        this.#error = error;
        if (status === 'gone') this.#guesses.clear();
        if (status === 'gone' || status === 'failed') this.#drafts.all.stop();
        if (status === 'live' && this.#record.chat !== null) this.#drafts.all.start();
        this.#changed();
      },
    };
    this.#live = new LiveChat(parley, chatId, this.#options, live, initialState?.snapshot.version ?? null);
    this.#writes = new ThreadWrites(parley, chatId, {
      create,
      outbox,
      branch: branch ?? null,
      opened: () => this.when(({ status, chat }) => chat !== null || !/opening|away|refused/.test(status)),
      record: this.#record,
      tree: this.#tree,
      guesses: this.#guesses,
      view: this.#view,
      take: (messages) => this.#take(messages),
      setConflicts: (change) => (this.#conflicts = change(this.#conflicts)),
      changed: () => this.#changed(),
    });
    this.#drafts = new ThreadDrafts(parley, chatId, {
      writer,
      tree: this.#tree,
      view: this.#view,
      writes: this.#writes,
      changed: () => this.#changed(),
    });
    if (initialState != null) {
      this.#restart(initialState.snapshot);
      this.#status = 'live';
    }
    this.#state = this.#initialState = this.#look();
    this.#isChanging = false;
  }

  /** The same object until something changes: for useSyncExternalStore and its like. */
  getState = (): ThreadState => this.#state;

  /** The state before anything was read: what a server renders, and a page that hydrates it. */
  getInitialState = (): ThreadState => this.#initialState;

  /** Tells of every change; the chat is followed as long as anybody listens. @returns what ends it */
  subscribe = (listener: () => void): (() => void) => {
    const own = () => listener();
    this.#listeners.add(own);
    if (!this.#closing.signal.aborted) this.#live.start();
    void this.resend();
    return () => {
      this.#listeners.delete(own);
      // Whoever comes back at once, as components do under StrictMode, finds it running.
      queueMicrotask(() => {
        if (this.#listeners.size > 0 || this.#isPinned) return;
        this.#live.stop();
        this.#drafts.all.stop();
      });
    };
  };

  /** Follows the chat until `close`, whether anybody listens or not. Settles when there is something to show, or nothing to come. */
  async open(): Promise<ThreadState> {
    this.#isPinned = true;
    return this.when(
      ({ status, chat, isLoading }) => (chat !== null || !(status === 'opening' || status === 'away')) && !isLoading,
    );
  }

  /**
   * Settles with the first state of which this is so; at once when it is so already, or the store is closed. The chat is
   * followed until then, as it is while somebody listens.
   */
  when(isSo: (state: ThreadState) => boolean): Promise<ThreadState> {
    return new Promise((resolve) => {
      let unsubscribe = () => {};
      const look = () => {
        if (!isSo(this.#state) && this.#status !== 'closed') return;
        unsubscribe();
        resolve(this.#state);
      };
      unsubscribe = this.subscribe(look);
      look();
    });
  }

  /** Ends it: what is under way answers with a ClosedError. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new ClosedError());
    this.#isPinned = false;
    this.#live.stop();
    this.#drafts.all.stop();
    this.#writes.close();
    this.#status = 'closed';
    this.#changed();
  }

  /**
   * The versions of a message, and where its arrows lead: a draft is the newest version. Null for a message that was not
   * seen; the same object until it changes.
   */
  getMessageSiblingInfo = (messageId: string): SiblingInfo | null => this.#versions.infoOf(messageId);

  // ── What is shown ──

  /** Reads a page above the first message of the thread. */
  async loadOlder(): Promise<Outcome> {
    return this.#attempt(async () => {
      const parentId = this.#state.thread[0]?.parentId;
      if (parentId != null) await this.#pages.path(parentId);
    });
  }

  /** Reads a page below the last message, after a jump. */
  async loadNewer(): Promise<Outcome> {
    return this.#attempt(async () => {
      const { part } = this.#view;
      const { leafId } = this.#state;
      if (part === null || leafId === null) return;
      const next = await this.#pages.newer(leafId, part.cursor);
      if (this.#view.part === part) this.#setPart(next);
    });
  }

  /** Reads all messages of the chat, on every branch: for a drawing of the tree, or a search in it. */
  async loadAll(): Promise<Outcome> {
    return this.#attempt(async () => void (await this.#pages.all(this.chatId)));
  }

  /** Jumps to a message on any branch: shows what stands around it, here alone. */
  async showMessage(messageId: string): Promise<Outcome> {
    return this.#attempt(async () => {
      if (this.#state.thread.some(({ id }) => id === messageId)) return;
      const { branch } = this.#view;
      const { chatId } = this;
      const on = branch?.headId == null ? null : { chatId, name: branch.name, headId: branch.headId };
      const part = await this.#pages.around(messageId, on);
      if (part === null) throw new ParleyError(`Message "${messageId}" not found`, 'NOT_FOUND');
      if (part.leafId !== this.#view.leafId) this.#view.follow(this.#leaf(part.leafId));
      this.#view.look();
      this.#setPart(part);
    });
  }

  /** Goes back to the end of the branch that is active. */
  showActive(): void {
    this.#view.follow({ kind: 'active' });
    this.#view.part = null;
    this.#changed();
  }

  /** Goes to the end of the thread that is shown, after a jump. */
  showEnd(): void {
    this.#view.part = null;
    this.#changed();
  }

  /**
   * Shows another version of a message, and the newest thread through it; a draft is shown as it grows.
   * @param switching as the option of the store, for this time
   */
  async switchToSibling(messageId: string, switching = this.#options.switching): Promise<Outcome> {
    const view = this.#view;
    const draft = this.#drafts.all.find(messageId);
    if (draft !== undefined) {
      const branch = this.#record.branch(draft.branchId);
      // From its first content, the draft has a branch that others can be led to.
      if (switching === 'shared' && branch?.headId === draft.parentId) return this.switchBranch(branch.name);
      view.watchDraft(messageId, draft.parentId);
      this.#changed();
      return DONE;
    }
    // Until then only this page has left the active branch, and the first content must not lead it back to the draft.
    const isAhead = view.isLoose && this.#drafts.all.find(view.draft?.id ?? '') !== undefined;
    const left = isAhead ? this.#record.active : undefined;
    const isBack = left !== undefined && left.headId === this.#tree.latestLeafOf(messageId);
    if (switching === 'shared' && !isBack) return this.#writes.switchToSibling(messageId);
    return this.#attempt(async () => {
      const leafId = this.#tree.latestLeafOf(messageId) ?? (await this.#pages.latest(messageId));
      if (leafId === null) throw new ParleyError(`Message "${messageId}" not found`, 'NOT_FOUND');
      view.follow(isBack ? { kind: 'branch', id: left.id } : this.#leaf(leafId));
      this.#changed();
    });
  }

  // ── What is done ──

  /**
   * Sends a message at the end of the thread. The outcome comes after the server has saved it; while the server cannot be
   * reached, it is sent again. After a conflict the outcome waits for the user's choice in `conflicts`: it is ok after
   * `append` and `fork`, and has the code HEAD_CONFLICT after `discard` or `close`. Empty text is refused with
   * INVALID_INPUT and not shown.
   * @param given `name` is `user` by default; `id` is that of the message to be
   */
  send(content: Content, given: { name?: string; id?: string } = {}): Promise<Outcome<readonly Message[]>> {
    return this.#writes.send(content, given);
  }

  /**
   * Sends a message as `send` does and starts its answer, in one request; with the option `create`, the same request creates
   * the chat. When only the draft is refused, the message stays saved and the outcome has the error of the draft.
   */
  ask(content: Content, answer: Omit<Writing, 'parentId'> = {}): Promise<Outcome<Asked>> {
    return this.#drafts.ask(content, answer);
  }

  /**
   * Sends the messages that an earlier page has left in the `outbox`, after the one that each of them followed. Opening the
   * chat does so, too. Settles once they are shown.
   */
  resend(): Promise<void> {
    return this.#writes.restore();
  }

  /** Says it in another way: a new version beside the old one. */
  edit(messageId: string, content: Content, given: { id?: string } = {}): Promise<Outcome<readonly Message[]>> {
    return this.#writes.edit(messageId, content, given);
  }

  /** Another answer to the same question: a new sibling under the same parent, by the same name. */
  regenerate(messageId: string, content: Content, given: { id?: string } = {}): Promise<Outcome<readonly Message[]>> {
    return this.#writes.regenerate(messageId, content, given);
  }

  /**
   * Starts an answer at the end of the thread, or to `parentId`, beside its other answers. It is shown at once, with its
   * chunks as soon as they are appended, and becomes a message when the writer finishes it. Without chunks and content that
   * message has an empty text.
   */
  write(writing: Writing = {}): Promise<Outcome<DraftWriter>> {
    return this.#drafts.write(writing);
  }

  /**
   * Shows a message that a request outside the store saves, such as a request to a route of the application.
   * @param place the id of the message to be, and its parent: null for a root; `name` is `user` by default
   * @returns `confirm` after the server has saved it, `withdraw` to remove it again
   */
  expect(
    content: Content,
    { parentId, ...given }: { id: string; parentId: string | null; name?: string },
  ): { confirm(): void; withdraw(): void } {
    const { id } = given;
    const guess = this.#writes.expect(content, parentId, given);
    this.#expected.set(id, guess);
    const remove = () => {
      this.#expected.delete(id);
      this.#guesses.remove(guess);
      this.#changed();
    };
    return {
      confirm: () => void this.#whenCaughtUp().then(remove),
      withdraw: () => {
        this.#view.takeBack(id, parentId);
        remove();
      },
    };
  }

  /**
   * Stops the draft that is shown, or the one with an id, in whichever page or process it is written. An abandoned draft is
   * ended as `finishDraft` does.
   * @returns the ids of the drafts that it has stopped: none when they had ended
   */
  stop(draftId?: string): Promise<Outcome<readonly string[]>> {
    return this.#drafts.stop(draftId, this.#state.thread);
  }

  /**
   * Ends an abandoned draft.
   * @param content by default the text of its chunks, with `status: "incomplete"` in the metadata
   * @returns the message; null after a draft without content was discarded. The error has the code NOT_ABANDONED for a draft
   * that is being written, and NOT_FOUND for one that has ended
   */
  finishDraft(draftId: string, content?: Content): Promise<Outcome<Message | null>> {
    return this.#drafts.finish(draftId, content);
  }

  /**
   * Continues an abandoned draft after its last chunk.
   * @returns the writer, or the errors of `finishDraft`
   */
  takeUp(draftId: string): Promise<Outcome<DraftWriter>> {
    return this.#drafts.takeUp(draftId);
  }

  /** Goes back to a message on a new branch; null for one without messages. */
  rewind(messageId: string | null): Promise<Outcome> {
    return this.#writes.rewind(messageId);
  }

  /** Makes a branch active, and shows it. */
  switchBranch(name: string): Promise<Outcome> {
    return this.#writes.switchBranch(name);
  }

  renameBranch(name: string, newName: string): Promise<Outcome> {
    return this.#writes.renameBranch(name, newName);
  }

  /** Removes the name of a branch that is not active; its messages stay. */
  deleteBranch(name: string): Promise<Outcome> {
    return this.#writes.deleteBranch(name);
  }

  /** Sets a bookmark: on the last message by default. One of that name is moved. */
  createCheckpoint(name: string, messageId?: string): Promise<Outcome> {
    return this.#writes.createCheckpoint(name, messageId ?? this.#state.leafId);
  }

  /** Goes back to a bookmark on a new branch. */
  restoreCheckpoint(name: string): Promise<Outcome> {
    return this.#writes.restoreCheckpoint(name);
  }

  deleteCheckpoint(name: string): Promise<Outcome> {
    return this.#writes.deleteCheckpoint(name);
  }

  /** Begins anew from what the server has. */
  #restart(snapshot: Snapshot): void {
    this.#record.restart(snapshot);
    this.#tree.forget();
    this.#asked.clear();
    this.#tree.add(snapshot.activeBranch.messages.edges.map(({ node }) => node));
    const named = this.#record.branches.find(({ name }) => name === this.#options.branch);
    if (named !== undefined) this.#view.followed = { kind: 'branch', id: named.id };
    // It is followed by its id from now on, whatever it is called.
    this.#options.branch = null;
    for (const draft of snapshot.drafts) this.#drafts.all.follow(draft);
  }

  async #attempt(run: () => Promise<void>): Promise<Outcome> {
    try {
      await run();
      return DONE;
    } catch (reason) {
      return { ok: false, error: asParleyError(reason) };
    }
  }

  /** Takes in that all events up to this one are known. */
  #arrive(seq: number): void {
    this.#guesses.arrive(seq);
    this.#drafts.all.arrive(seq, (id) => this.#tree.byId.has(id));
    this.#view.joinActive();
    for (const [id, guess] of this.#expected) {
      if (!this.#leads(this.#view.branch ?? this.#record.active, id)) continue;
      if (this.#view.isLoose && guess.isLeft !== true) this.#view.followed = { kind: 'active' };
      this.#expected.delete(id);
      this.#guesses.remove(guess);
    }
  }

  #leads(branch: Branch | undefined, id: string): boolean {
    return branch?.headId != null && this.#tree.isAbove(id, branch.headId);
  }

  /** Settles when the store has read everything that the server has now. */
  async #whenCaughtUp(): Promise<void> {
    const target = (await this.#live.version(this.#closing.signal)) ?? 0;
    await this.when(({ version, status }) => version >= target || status === 'gone' || status === 'failed');
  }

  /** A leaf that is the end of the active branch is shown by following that. */
  #leaf(id: string): Followed {
    const isActive = this.#guesses.isEmpty && this.#record.active?.headId === id;
    return isActive ? { kind: 'active' } : { kind: 'leaf', id };
  }

  #setPart(part: Part | null): void {
    this.#view.part = part?.cursor == null ? null : { endId: part.endId, cursor: part.cursor };
    this.#changed();
  }

  #take(messages: readonly PlacedFragment[]): void {
    this.#tree.add(messages);
    this.#view.extend(messages);
  }

  /** Shows what has changed, and asks for what is to be shown and was not seen. */
  #changed(): void {
    // What is asked for now is told of as it begins.
    if (this.#isChanging) return;
    this.#isChanging = true;
    const { missing, thread } = this.#view.look();
    const above = thread.length < this.#options.pageSize ? thread[0]?.parentId : null;
    const wanted = missing ?? above;
    if (wanted != null && this.#record.chat !== null && !this.#asked.has(wanted) && !this.#closing.signal.aborted) {
      this.#asked.add(wanted);
      this.#pages.path(wanted).catch(() => {});
    }
    this.#isChanging = false;
    const state = this.#look();
    if (isSame(this.#state, state)) return;
    this.#state = state;
    for (const tell of [...this.#listeners]) tell();
  }

  #look(): ThreadState {
    const { thread, leafId, branch, hasOlder, hasNewer, epoch, missing } = this.#view.look();
    const tree = this.#tree;
    return {
      chatId: this.chatId,
      status: this.#status,
      error: this.#error,
      version: this.#record.seq,
      chat: this.#record.chat,
      thread: hasNewer || missing !== undefined ? thread : this.#drafts.showAfter(thread, leafId),
      hasOlder,
      hasNewer,
      isLoading: this.#pages.isReading,
      leafId,
      branch,
      branches: this.#record.branches,
      checkpoints: this.#guesses.checkpoints(this.#record.checkpoints),
      allMessages: tree.allMessages,
      childrenMap: tree.childrenMap,
      threadEpoch: epoch,
      drafts: this.#drafts.all.list,
      conflicts: this.#conflicts,
    };
  }
}

const DONE: Outcome = { ok: true, value: undefined };
