/**
 * The state of a ThreadStore: the messages that were read, pending writes, and the shown thread. Each change
 * publishes a new ThreadState.
 */
import { MessageTree } from './message-tree.js';
import { ThreadView, type Followed } from './thread-view.js';
import { ClosedError, type ParleyError } from '@parley/transport/errors';
import { Versions } from './versions.js';
import type { PlacedFragment } from '../generated/operations.js';
import type { Parley } from '../connection/create-parley.js';
import { ChatDrafts } from '../drafts/chat-drafts.js';
import { PageReader, type Part } from './page-reader.js';
import { ChatRecord, type Snapshot } from './chat-record.js';
import type { Message } from '../message.js';
import type { Conflict, ThreadState } from './thread-state.js';
import { isSame } from './same.js';
import { Optimism, type Guess } from './optimism.js';
import { LiveChat, type Status } from './live-chat.js';

interface ModelOptions {
  pageSize: number;
  /** The name of the branch to show; null for the active one. */
  branch: string | null;
  create: boolean;
  farBehind: number;
}

/** The number of events per published state while the store catches up. */
const EVENTS_PER_STATE = 100;

export class ThreadModel {
  readonly record = new ChatRecord();
  readonly tree = new MessageTree();
  readonly guesses = new Optimism();
  readonly drafts: ChatDrafts;
  readonly view = new ThreadView(this.record, this.tree, this.guesses, (id) =>
    this.guesses.isParent(id) ? this.drafts.find(id)?.message : undefined,
  );
  readonly pages: PageReader;
  readonly versions = new Versions(this.tree, () => [...this.guesses.messages, ...this.#unsavedDrafts]);
  readonly closing = new AbortController();
  /** The optimistic writes of requests outside the store, by message id. */
  readonly expected = new Map<string, Guess>();
  /** Whether the store follows the chat without subscribers, too. */
  isPinned = false;
  conflicts: readonly Conflict[] = [];
  state: ThreadState;
  readonly initialState: ThreadState;
  readonly #listeners = new Set<() => void>();
  readonly #live: LiveChat;
  #status: Status = 'opening';
  #error: ParleyError | null = null;
  #unpublished = 0;
  /** Sends no request. */
  #isChanging = true;
  /** The messages whose paths were requested since the chat was read. */
  readonly #requested = new Set<string>();
  #ended: { thread: readonly Message[]; draft: Message; both: readonly Message[] } | undefined;

  constructor(
    parley: Parley,
    readonly chatId: string,
    private readonly options: ModelOptions,
    snapshot: Snapshot | undefined,
  ) {
    const changed = () => this.changed();
    this.drafts = new ChatDrafts(parley, chatId, changed, (id) => this.view.leaveDraft(id));
    this.pages = new PageReader(
      parley,
      options.pageSize,
      this.closing.signal,
      (messages) => this.take(messages),
      changed,
    );
    this.#live = new LiveChat(
      parley,
      chatId,
      options,
      {
        snapshot: (read) => {
          this.#restart(read);
          this.#arrive(read.version);
          changed();
        },
        event: (event) => {
          if (event.__typename === 'BranchHeadMoved') this.take(event.messages);
          const fits = this.record.apply(event);
          this.#arrive(event.seq);
          if (this.#status !== 'catching-up' || ++this.#unpublished % EVENTS_PER_STATE === 0) changed();
          return fits;
        },
        status: (status, error) => {
          this.#status = status;
          this.#error = error;
          if (status === 'gone') this.guesses.clear();
          if (/gone|failed/.test(status)) this.drafts.stop();
          if (status === 'live' && this.record.chat !== null) this.drafts.start();
          changed();
        },
      },
      snapshot?.version ?? null,
    );
    if (snapshot) {
      this.#restart(snapshot);
      this.#status = 'live';
    }
    this.state = this.initialState = this.#read();
    this.#isChanging = false;
  }

  subscribe(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    if (!this.closing.signal.aborted) this.#live.start();
    return () => {
      this.#listeners.delete(own);
      // Components under StrictMode subscribe again at once.
      queueMicrotask(() => {
        if (this.#listeners.size === 0 && !this.isPinned) this.#stop();
      });
    };
  }

  when(isSo: (state: ThreadState) => boolean): Promise<ThreadState> {
    return new Promise((resolve) => {
      let unsubscribe = () => {};
      const check = () => {
        if (!isSo(this.state) && this.#status !== 'closed') return;
        unsubscribe();
        resolve(this.state);
      };
      unsubscribe = this.subscribe(check);
      check();
    });
  }

  /** Settles after the store has read everything that the server has now. */
  async whenCaughtUp(): Promise<void> {
    const target = (await this.#live.version(this.closing.signal)) ?? 0;
    await this.when(({ version, status }) => version >= target || /gone|failed/.test(status));
  }

  close(): void {
    if (this.closing.signal.aborted) return;
    this.closing.abort(new ClosedError());
    this.isPinned = false;
    this.#stop();
    this.#status = 'closed';
    this.changed();
  }

  #stop(): void {
    this.#live.stop();
    this.drafts.stop();
  }

  /** A leaf that is the head of a branch is shown by following that branch. */
  leaf(id: string): Followed {
    const branch = this.guesses.isEmpty ? this.record.branchAt(id) : undefined;
    if (branch?.isActive === true) return { kind: 'active' };
    return branch ? { kind: 'branch', id: branch.id } : { kind: 'leaf', id };
  }

  showEnd(part: Part | null): void {
    this.view.part = part?.cursor == null ? null : { endId: part.endId, cursor: part.cursor };
    this.changed();
  }

  take(messages: readonly PlacedFragment[]): void {
    this.tree.add(messages);
    this.view.extend(messages);
  }

  /** Publishes a changed state, and requests messages that are shown and were not read. */
  changed(): void {
    // Called when a read starts.
    if (this.#isChanging) return;
    this.#isChanging = true;
    const { missing, thread } = this.view.look();
    const above = thread.length < this.options.pageSize ? thread[0]?.parentId : null;
    const path = missing ?? above;
    if (path != null && this.record.chat !== null && !this.#requested.has(path) && !this.closing.signal.aborted) {
      this.#requested.add(path);
      this.pages.path(path).catch(() => {});
    }
    this.#isChanging = false;
    const state = this.#read();
    if (isSame(this.state, state)) return;
    this.state = state;
    for (const notify of [...this.#listeners]) notify();
  }

  /** Replaces the state with a new snapshot of the server. */
  #restart(snapshot: Snapshot): void {
    this.record.restart(snapshot);
    this.tree.forget();
    this.#requested.clear();
    this.tree.add(snapshot.activeBranch.messages.edges.map(({ node }) => node));
    // The snapshot can be older than a confirmed write.
    this.tree.add(this.guesses.saved);
    const named = this.record.branches.find(({ name }) => name === this.options.branch);
    if (named) this.view.followed = { kind: 'branch', id: named.id };
    // From now on the store follows the branch by its id, because a branch can be renamed.
    this.options.branch = null;
    for (const { node } of snapshot.drafts.edges) this.drafts.follow(node);
  }

  /** All events up to this one are known. */
  #arrive(seq: number): void {
    const { view, record, tree, guesses, drafts } = this;
    guesses.arrive(seq);
    drafts.arrive(seq, (id) => tree.byId.has(id));
    view.joinActive();
    for (const [id, guess] of this.expected) {
      const headId = (view.branch ?? record.active)?.headId;
      if (headId == null || !tree.isAbove(id, headId)) continue;
      if (view.isLoose && guess.isLeft !== true) view.followed = { kind: 'active' };
      this.expected.delete(id);
      guesses.remove(guess);
    }
  }

  get #unsavedDrafts(): readonly Message[] {
    return this.drafts.list.map(({ message }) => message).filter(({ id }) => !this.tree.byId.has(id));
  }

  /** The thread with the draft after its end: the one that this page watches, or the newest. */
  #withDraft(thread: readonly Message[], leafId: string | null): readonly Message[] {
    const below = this.#unsavedDrafts.filter(({ parentId }) => parentId === leafId);
    const draft = below.find(({ id }) => id === this.view.draft?.id) ?? below.at(-1);
    if (!draft) return thread;
    if (this.#ended?.thread !== thread || this.#ended.draft !== draft) {
      this.#ended = { thread, draft, both: [...thread, draft] };
    }
    return this.#ended.both;
  }

  #read(): ThreadState {
    const { chatId, record, tree, guesses, pages, drafts, conflicts } = this;
    const { thread, leafId, branch, hasOlder, hasNewer, epoch, missing } = this.view.look();
    return {
      chatId,
      status: this.#status,
      error: this.#error,
      version: record.seq,
      chat: record.chat,
      thread: hasNewer || missing !== undefined ? thread : this.#withDraft(thread, leafId),
      hasOlder,
      hasNewer,
      isLoading: pages.isReading,
      leafId,
      branch,
      branches: record.branches,
      checkpoints: guesses.checkpoints(record.checkpoints),
      allMessages: tree.allMessages,
      childrenMap: tree.childrenMap,
      threadEpoch: epoch,
      drafts: drafts.list,
      conflicts,
    };
  }
}
