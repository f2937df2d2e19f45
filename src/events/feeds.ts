/**
 * Which chats are followed in this process. A wake, from a change made here or from a bus, has the feed of its chat read
 * on. Buses lose things, so a sweep looks at the versions of all chats that are followed, with one statement: with no
 * bus at all everything still comes, late by one sweep.
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
  /** Of many who come at once, as after a restart, one statement asks for all. Nothing is kept. */
  readonly #states: DataLoader<string, LogState>;
  readonly #sweeps: Sweeps;

  constructor(private readonly options: FeedsOptions) {
    this.#states = new DataLoader((chatIds) => options.log.logStates(chatIds), { cache: false });
    this.#sweeps = new Sweeps(() => this.#look(), options);
  }

  /** How many chats are followed. */
  get size(): number {
    return this.#byChat.size;
  }

  /** How many events nobody has read yet, in the feed that has most of them; and how far the last of its readers is behind. */
  get lag(): { unread: number; behind: number } {
    let [unread, behind] = [0, 0];
    for (const feed of this.#byChat.values()) {
      unread = Math.max(unread, feed.unread);
      behind = Math.max(behind, feed.behind);
    }
    return { unread, behind };
  }

  /**
   * Joins the feed of a chat, and looks at the chat. Whoever joins calls leave() once, whatever the state says.
   * @throws DatabaseUnavailableError, having left
   */
  async join(chatId: string): Promise<{ feed: ChatFeed; state: LogState; leave: () => void }> {
    let feed = this.#byChat.get(chatId);
    // One that has ended is for those who are still reading it: the id may have a chat again.
    if (feed === undefined || feed.end !== null) {
      feed = new ChatFeed(chatId, this.options.log, this.options.onError);
      // Before the look, so that what happens after it is heard of.
      this.#byChat.set(chatId, feed);
    }
    const joined = feed;
    joined.followers++;
    this.#sweeps.start();
    const leave = () => {
      if (--joined.followers === 0 && this.#byChat.get(chatId) === joined) this.#byChat.delete(chatId);
      if (this.#byChat.size === 0) this.close();
    };
    try {
      const state = await this.#states.load(chatId);
      joined.see(state);
      if (joined.end === null || state.chat === null) return { feed: joined, state, leave };
    } catch (error) {
      leave();
      throw error;
    }
    // The chat that others follow was deleted, and there is another one under its id.
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

  /** Has all who follow something fail: nobody knows whether their places in the logs are there any more. */
  lose(error: Error): void {
    const lost = [...this.#byChat.values()];
    this.#byChat.clear();
    this.close();
    for (const feed of lost) feed.lose(error);
  }

  /** Stops sweeping. Feeds stay as they are, for whoever still holds one. */
  close(): void {
    this.#sweeps.stop();
  }

  async #look(): Promise<void> {
    const watched = [...this.#byChat.values()].filter((feed) => feed.end === null);
    if (watched.length === 0) return;
    const states = await this.options.log.logStates(watched.map((feed) => feed.chatId));
    for (const [n, feed] of watched.entries()) {
      const state = states[n];
      if (state !== undefined) feed.see(state);
    }
  }
}
