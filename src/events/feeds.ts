/**
 * The followed chats of this process. A wake makes the feed of its chat read on. A sweep reads the versions of all followed
 * chats with one statement, so that without a bus events arrive one sweep later.
 */
import DataLoader from 'dataloader';
import type { LogReads, LogState } from '../conversation/log-reads.js';
import type { Wake } from './bus.js';
import { ChatFeed } from './chat-feed.js';
import { Sweeps, type SweepOptions } from './sweeps.js';

export interface FeedsOptions extends SweepOptions {
  log: LogReads;
}

export class Feeds {
  readonly #byChat = new Map<string, ChatFeed>();
  /** Batches concurrent reads, as after a restart, into one statement, without a cache. */
  readonly #states: DataLoader<string, LogState>;
  readonly #sweeps: Sweeps;

  constructor(private readonly options: FeedsOptions) {
    this.#states = new DataLoader(options.log.logStates, { cache: false });
    this.#sweeps = new Sweeps(() => this.#readVersions(), options);
  }

  get size(): number {
    return this.#byChat.size;
  }

  /** The largest number of unread events of a feed, and of undelivered events of a subscriber. */
  get lag(): { unread: number; behind: number } {
    let [unread, behind] = [0, 0];
    for (const feed of this.#byChat.values()) {
      unread = Math.max(unread, feed.unread);
      behind = Math.max(behind, feed.behind);
    }
    return { unread, behind };
  }

  /**
   * Joins the feed of a chat and reads its state. The caller must call leave() once, for any state.
   * @throws DatabaseUnavailableError, having left
   */
  async join(chatId: string): Promise<{ feed: ChatFeed; state: LogState; leave: () => void }> {
    let feed = this.#byChat.get(chatId);
    // An ended feed serves its present subscribers only: the id may have a new chat.
    if (feed === undefined || feed.end !== null) {
      feed = new ChatFeed(chatId, this.options.log, this.options.onError);
      // Before the read, so that later changes are notified.
      this.#byChat.set(chatId, feed);
    }
    const joined = feed;
    joined.followers++;
    this.#sweeps.start();
    const leave = () => {
      if (--joined.followers === 0 && this.#byChat.get(chatId) === joined) this.#byChat.delete(chatId);
      if (this.#byChat.size === 0) this.#sweeps.stop();
    };
    try {
      const state = await this.#states.load(chatId);
      joined.noteState(state);
      if (joined.end === null || state.chat === null) return { feed: joined, state, leave };
    } catch (error) {
      leave();
      throw error;
    }
    // The followed chat was deleted, and another chat has its id.
    leave();
    return this.join(chatId);
  }

  wake({ chatId, version }: Wake): void {
    this.#byChat.get(chatId)?.wake(version);
  }

  /** Reads the states of all followed chats, after the sweep that is running. */
  sweep(): Promise<void> {
    return this.#sweeps.run();
  }

  /** Fails all subscribers: their positions in the logs may be missing afterwards. */
  lose(error: Error): void {
    const lost = [...this.#byChat.values()];
    this.#byChat.clear();
    this.close();
    for (const feed of lost) feed.lose(error);
  }

  /** Stops sweeping. Existing feeds stay readable. */
  close(): void {
    this.#sweeps.stop();
  }

  async #readVersions(): Promise<void> {
    const watched = [...this.#byChat.values()].filter((feed) => feed.end === null);
    if (watched.length === 0) return;
    const states = await this.options.log.logStates(watched.map((feed) => feed.chatId));
    for (const [n, feed] of watched.entries()) {
      const state = states[n];
      if (state !== undefined) feed.noteState(state);
    }
  }
}
