/**
 * The chats whose drafts are followed in this process. A wake makes the feed of its draft read on. A sweep, with one
 * statement for all, finds lost notifications and drafts without a writer.
 */
import DataLoader from 'dataloader';
import type { PartChange } from '../../../conversation/change.js';
import type { DraftStanding, Growth } from '../draft.js';
import type { DraftReads } from '../draft-reads.js';
import { Sweeps, type SweepOptions } from '../../../events/sweeps.js';
import { ChatDrafts } from './chat-drafts.js';

export interface DraftFeedsOptions extends SweepOptions {
  reads: DraftReads;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** Milliseconds that a chat without subscribers is kept, for a subscriber that moves to another stream. */
const LINGER_MS = 5_000;

export class DraftFeeds {
  readonly #byChat = new Map<string, ChatDrafts>();
  readonly #leaving = new Map<ChatDrafts, NodeJS.Timeout>();
  readonly #sweeps: Sweeps;
  /** Batches concurrent reads into one statement, without a cache. */
  readonly #standings: DataLoader<string, DraftStanding[] | null>;

  constructor(private readonly options: DraftFeedsOptions) {
    this.#standings = new DataLoader((chatIds) => options.reads.draftStandings(chatIds), { cache: false });
    const refreshAll = () => Promise.all([...this.#byChat.values()].map((drafts) => drafts.refresh()));
    this.#sweeps = new Sweeps(refreshAll, options);
  }

  /** The number of followed chats. */
  get size(): number {
    return this.#byChat.size;
  }

  /**
   * Subscribes to the drafts of a chat and reads them. The caller must call leave() once.
   * @throws DatabaseUnavailableError, having left
   */
  async join(chatId: string): Promise<{ drafts: ChatDrafts; leave: () => void }> {
    const { reads, onError, now } = this.options;
    const standing = () => this.#standings.load(chatId);
    let drafts = this.#byChat.get(chatId);
    if (drafts === undefined || drafts.isOver) {
      drafts = new ChatDrafts({ chatId, standing, pieces: reads.draftPieces, onError, now });
      // Before the read, so that later changes are notified.
      this.#byChat.set(chatId, drafts);
    }
    const joined = drafts;
    joined.followers++;
    clearTimeout(this.#leaving.get(joined));
    this.#leaving.delete(joined);
    this.#sweeps.start();
    const leave = () => {
      if (--joined.followers > 0) return;
      this.#leaving.set(
        joined,
        setTimeout(() => this.#forget(joined), LINGER_MS),
      );
    };
    try {
      await joined.refresh();
    } catch (error) {
      leave();
      throw error;
    }
    return { drafts: joined, leave };
  }

  /** @param grown the new chunks, if known */
  wake({ chatId, partId, length }: PartChange, grown?: Growth): void {
    this.#byChat.get(chatId)?.wake(partId, length, grown);
  }

  /** Reads the drafts of all followed chats, after the sweep that is running. */
  sweep(): Promise<void> {
    return this.#sweeps.run();
  }

  /** Fails all subscribers: the database may be another one afterwards. */
  lose(error: Error): void {
    const lost = [...this.#byChat.values()];
    this.close();
    for (const drafts of lost) drafts.lose(error);
  }

  /** Stops sweeping. */
  close(): void {
    for (const timer of this.#leaving.values()) clearTimeout(timer);
    this.#leaving.clear();
    this.#byChat.clear();
    this.#sweeps.stop();
  }

  #forget(drafts: ChatDrafts): void {
    this.#leaving.delete(drafts);
    drafts.clear();
    if (this.#byChat.get(drafts.chatId) === drafts) this.#byChat.delete(drafts.chatId);
    if (this.#byChat.size === 0) this.close();
  }
}
