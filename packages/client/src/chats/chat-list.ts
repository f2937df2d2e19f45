/** The chat list, live: the newest change first. */
import type { Parley } from '../connection/create-parley.js';
import { asParleyError, isUnreachable, UnauthorizedError, type ParleyError } from '@parley/transport/errors';
import { lookTwice } from '@parley/transport/pause';
import { retry } from '@parley/transport/retry';
import { ChatChanges, ListChats, type ChatFilter, type ListedFragment } from '../generated/operations.js';

export type ChatItem = ListedFragment;

export interface ChatListState {
  readonly status: 'opening' | 'live' | 'away' | 'refused' | 'failed';
  /** The reason of the status `away`, `refused` or `failed`. */
  readonly error: ParleyError | null;
  /** Unchanged chats are the same objects as before. */
  readonly chats: readonly ChatItem[];
  /** Whether `loadMore` can read more chats, or chats that newer ones have displaced. */
  readonly hasMore: boolean;
}

/** The server's limit of a page. */
const MAX_PAGE = 1_000;

/** Changes of this time are shown together: an import changes many chats per second. */
const BATCH_MS = 100;

export class ChatList {
  readonly #listeners = new Set<() => void>();
  #state: ChatListState = { status: 'opening', error: null, chats: [], hasMore: false };
  /** The chats as confirmed by the server. */
  #listed: readonly ChatItem[] = [];
  /** Ends the subscription. */
  #stop: (() => void) | undefined;
  /** The reads since the subscription was connected. */
  #reading = new AbortController();
  #lastRead = Promise.resolve();
  /** The end of the last page; null after chats were displaced. */
  #cursor: string | null = null;
  /** The number of chats that were requested: the list keeps no more. */
  #limit: number;
  /** Changes that are not shown yet; null for deleted chats. */
  readonly #arrived = new Map<string, ChatItem | null>();
  #batch: ReturnType<typeof setTimeout> | undefined;
  /** Changes that arrived while a page was read, which may not contain them; null for deleted chats. */
  readonly #recent = new Map<string, ChatItem | null>();
  /** The arguments of the subscription. */
  readonly #followed: Pick<ChatFilter, 'userId' | 'includeShared'>;
  /** Whether membership of a changed chat requires a read. */
  readonly #isFiltered: boolean;
  #isRefreshQueued = false;

  /**
   * Sends no request before the first subscription.
   * @param filter with conditions such as a title, the list is read again after changes, one read at a time
   */
  constructor(
    protected readonly parley: Parley,
    private readonly pageSize = 20,
    private readonly filter: ChatFilter | null = null,
  ) {
    const { userId = null, includeShared = true, ...conditions } = filter ?? {};
    this.#limit = pageSize;
    this.#followed = { userId, includeShared };
    this.#isFiltered = Object.keys(conditions).length > 0;
  }

  getState = (): ChatListState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    const own = () => listener();
    this.#listeners.add(own);
    this.#start();
    return () => {
      this.#listeners.delete(own);
      queueMicrotask(() => {
        if (this.#listeners.size === 0) this.close();
      });
    };
  };

  /** Reads the next page. */
  loadMore(): Promise<void> {
    return this.#queue(async (signal) => {
      if (!this.#state.hasMore) return;
      this.#limit = this.#listed.length + this.pageSize;
      await this.#read(signal, this.#cursor, false, this.#cursor === null ? this.#limit : this.pageSize);
    });
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#reading.abort();
    clearTimeout(this.#batch);
    this.#batch = undefined;
    this.#arrived.clear();
  }

  #start(): void {
    // Subscribe before the first read, so that no change is missed.
    this.#stop ??= this.parley.follow(ChatChanges, this.#followed, {
      connected: () => {
        // A read of the previous connection may wait before its next try.
        this.#reading.abort();
        this.#reading = new AbortController();
        this.#lastRead = Promise.resolve();
        this.#isRefreshQueued = false;
        void lookTwice(this.#reading.signal, async (isAgain) => {
          if (!isAgain || this.#state.status === 'live') {
            await this.#queue((signal) => this.#read(signal, null, isAgain, this.#limit));
          }
        });
      },
      next: ({ chatChanges: { chatId, chat } }) => {
        if (chat !== null && this.#isFiltered) return this.#refresh();
        this.#recent.set(chatId, chat);
        this.#arrived.set(chatId, chat);
        this.#batch ??= setTimeout(() => this.#applyArrived(), BATCH_MS);
      },
      away: (error) => this.#fail(error),
      ended: (error) => void (error !== null && this.#fail(asParleyError(error))),
    });
  }

  /** Reads the shown pages again. */
  #refresh(): void {
    if (this.#isRefreshQueued) return;
    this.#isRefreshQueued = true;
    void this.#queue(async (signal) => {
      this.#isRefreshQueued = false;
      await this.#read(signal, null, false, this.#limit);
    });
  }

  /** Runs one read at a time: each depends on the cursor and the changes of the last one. */
  #queue(read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#reading;
    return (this.#lastRead = this.#lastRead.then(() => (signal.aborted ? undefined : read(signal))));
  }

  /** @param isAgain whether known chats and the cursor are kept */
  async #read(signal: AbortSignal, after: string | null, isAgain = false, first = this.pageSize): Promise<void> {
    const read = async () => {
      this.#recent.clear();
      const nodes: ChatItem[] = [];
      let end: { endCursor: string | null; hasNextPage: boolean } = { endCursor: after, hasNextPage: true };
      while (nodes.length < first && end.hasNextPage) {
        const part = { first: Math.min(first - nodes.length, MAX_PAGE), after: end.endCursor };
        const { chats } = await this.parley.run(ListChats, { ...part, filter: this.filter }, signal);
        nodes.push(...chats.edges.map(({ node }) => node));
        end = chats.pageInfo;
      }
      if (!isAgain) this.#cursor = end.endCursor;
      const known = new Map(this.#listed.map((chat) => [chat.id, chat]));
      const page = nodes
        .map((node) => newer(known.get(node.id), node))
        .filter(({ id }) => this.#recent.get(id) !== null);
      const ids = new Set(page.map(({ id }) => id));
      const rest = this.#listed.filter(({ id }) => !ids.has(id) && (isAgain || after !== null || this.#recent.has(id)));
      const hasMore = isAgain ? this.#state.hasMore : end.hasNextPage;
      this.#state = { ...this.#state, status: 'live', error: null, hasMore };
      this.#list([...rest, ...page]);
    };
    const isTransient = (reason: unknown) => {
      this.#fail(asParleyError(reason));
      return isUnreachable(reason);
    };
    // The state contains failures.
    await retry(read, this.parley.retryDelay, signal, isTransient).catch(() => {});
  }

  #fail(error: ParleyError): void {
    this.show({
      status: isUnreachable(error) ? 'away' : error instanceof UnauthorizedError ? 'refused' : 'failed',
      error,
    });
  }

  /** Adds a chat to the list, unless a newer version is present; null removes it. */
  protected take(chatId: string, chat: ChatItem | null): void {
    // A newer event may wait for its batch.
    this.#applyArrived();
    this.#arrived.set(chatId, chat);
    this.#applyArrived();
  }

  #applyArrived(): void {
    clearTimeout(this.#batch);
    this.#batch = undefined;
    const listed = new Map(this.#listed.map((chat) => [chat.id, chat]));
    for (const [id, chat] of this.#arrived) {
      if (chat === null) listed.delete(id);
      else listed.set(id, newer(listed.get(id), chat));
    }
    this.#arrived.clear();
    this.#list([...listed.values()]);
  }

  #list(chats: ChatItem[]): void {
    this.#listed = sorted(chats).slice(0, this.#limit);
    if (chats.length === this.#listed.length) return this.show();
    this.#cursor = null;
    this.show({ hasMore: true });
  }

  /** Returns the shown chats from the confirmed ones. */
  protected view(listed: readonly ChatItem[]): readonly ChatItem[] {
    return listed;
  }

  protected show(change?: Partial<ChatListState>): void {
    this.#state = { ...this.#state, ...change, chats: this.view(this.#listed) };
    for (const listener of [...this.#listeners]) listener();
  }
}

/** A read that is older than an event is ignored. */
const newer = (known: ChatItem | undefined, read: ChatItem) =>
  known !== undefined && known.version >= read.version ? known : read;

const sorted = (chats: ChatItem[]) =>
  chats.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0));
