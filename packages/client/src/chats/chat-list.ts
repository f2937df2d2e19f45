/** The list of chats, live: newest change first. */
import type { Parley } from '../connection/create-parley.js';
import { asParleyError, isUnreachable, UnauthorizedError, type ParleyError } from '@parley/transport/errors';
import { pause } from '@parley/transport/pause';
import { retry } from '@parley/transport/retry';
import { ChatChanges, ListChats, type ChatFilter, type ListedFragment } from '../generated/operations.js';

export type ChatItem = ListedFragment;

export interface ChatListState {
  readonly status: 'opening' | 'live' | 'away' | 'refused' | 'failed';
  /** Why it is away, refused or failed. */
  readonly error: ParleyError | null;
  /** What has not changed is the same object as before. */
  readonly chats: readonly ChatItem[];
  /** Whether there are more: `loadMore`. */
  readonly hasMore: boolean;
}

/** In milliseconds: what came that late after the first page was read is told. */
const LATER_MS = 2_000;

export class ChatList {
  readonly #listeners = new Set<() => void>();
  #state: ChatListState = { status: 'opening', error: null, chats: [], hasMore: false };
  /** As the server has it. */
  #listed: readonly ChatItem[] = [];
  #run: AbortController | undefined;
  #cursor: string | null = null;
  /** What was told of while a page was read, which may not know of it; null of chats that are gone. */
  readonly #told = new Map<string, ChatItem | null>();

  /**
   * It asks nothing of the server before somebody subscribes.
   * @param filter which chats are read; one that changes is listed whatever it says
   */
  constructor(
    protected readonly parley: Parley,
    private readonly pageSize = 20,
    private readonly filter: ChatFilter | null = null,
  ) {}

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
  async loadMore(): Promise<void> {
    if (this.#state.hasMore && this.#run !== undefined) await this.#read(this.#run, this.#cursor);
  }

  close(): void {
    this.#run?.abort();
    this.#run = undefined;
  }

  #start(): void {
    if (this.#run !== undefined) return;
    const run = new AbortController();
    this.#run = run;
    // What happens is followed before the first page is read, so that nothing falls in between.
    const stop = this.parley.follow(
      ChatChanges,
      {},
      {
        connected: () => void this.#readTwice(run),
        next: ({ chatChanges: { chatId, chat } }) => {
          this.#told.set(chatId, chat);
          this.take(chatId, chat);
        },
        away: (error) => this.#fail(error),
        ended: (error) => void (error !== null && this.#fail(asParleyError(error))),
      },
    );
    run.signal.addEventListener('abort', stop);
  }

  /** The server may have answered before it began to follow, which it says nothing about: what fell in between is read later. */
  async #readTwice(run: AbortController): Promise<void> {
    await this.#read(run, null);
    await pause(LATER_MS, run.signal);
    if (!run.signal.aborted && this.#state.status === 'live') await this.#read(run, null, true);
  }

  /** @param isAgain whether what is known stays, and the place to go on from */
  async #read({ signal }: AbortController, after: string | null, isAgain = false): Promise<void> {
    const read = async () => {
      const variables = { first: this.pageSize, after, filter: this.filter };
      this.#told.clear();
      const { chats } = await this.parley.run(ListChats, variables, signal);
      if (!isAgain) this.#cursor = chats.pageInfo.endCursor;
      const known = new Map(this.#listed.map((chat) => [chat.id, chat]));
      const page = chats.edges
        .map(({ node }) => newer(known.get(node.id), node))
        .filter(({ id }) => this.#told.get(id) !== null);
      const ids = new Set(page.map(({ id }) => id));
      const rest = this.#listed.filter(({ id }) => !ids.has(id) && (isAgain || after !== null || this.#told.has(id)));
      const hasMore = isAgain ? this.#state.hasMore : chats.pageInfo.hasNextPage;
      this.#listed = sorted([...rest, ...page]);
      this.show({ status: 'live', error: null, hasMore });
    };
    const isTransient = (reason: unknown) => {
      this.#fail(asParleyError(reason));
      return isUnreachable(reason);
    };
    // Failures are in the state.
    await retry(read, this.parley.retryDelay, signal, isTransient).catch(() => {});
  }

  #fail(error: ParleyError): void {
    this.show({
      status: isUnreachable(error) ? 'away' : error instanceof UnauthorizedError ? 'refused' : 'failed',
      error,
    });
  }

  /** Puts a chat into the list, unless a newer version of it is there; null removes it. */
  protected take(chatId: string, chat: ChatItem | null): void {
    const known = this.#listed.find(({ id }) => id === chatId);
    const others = this.#listed.filter(({ id }) => id !== chatId);
    this.#listed = chat === null ? others : sorted([newer(known, chat), ...others]);
    this.show();
  }

  /** The chats that are shown, of those that the server has listed. */
  protected view(listed: readonly ChatItem[]): readonly ChatItem[] {
    return listed;
  }

  protected show(change?: Partial<ChatListState>): void {
    this.#state = { ...this.#state, ...change, chats: this.view(this.#listed) };
    for (const tell of [...this.#listeners]) tell();
  }
}

/** An answer that was overtaken by what was told is left. */
const newer = (known: ChatItem | undefined, read: ChatItem) =>
  known !== undefined && known.version >= read.version ? known : read;

const sorted = (chats: ChatItem[]) =>
  chats.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0));
