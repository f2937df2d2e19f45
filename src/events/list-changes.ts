/**
 * The changes of one list of chats that is followed here. Each list keeps its own: a user whose chats change fast moves the
 * followers of other lists nowhere. Several changes of one chat become one, the newest.
 */
import { TooSlowError } from '../conversation/errors.js';
import type { ChatNews } from './chat-news.js';

/** A change as followers of a list are told it. */
export interface ListChange {
  readonly chatId: string;
  readonly version: number;
  readonly number: number;
  readonly kind: 'CREATED' | 'CHANGED' | 'REMOVED';
}

export class ListChanges {
  /** In the order of their numbers. */
  #changes: ListChange[] = [];
  /** The newest change of each chat, by its id, the newest of all at the end. */
  readonly #newest = new Map<string, ListChange>();
  /** Up to here changes may have been dropped. */
  #dropped: number;

  /**
   * @param userId whose chats; null for everyone's
   * @param position the number of the newest change: those after it are added
   * @param capacity how many chats are kept; those that changed longest ago are dropped
   */
  constructor(
    readonly userId: string | null,
    public position: number,
    private readonly capacity: number,
  ) {
    this.#dropped = position;
  }

  /** Adds what has happened to a chat, as it concerns this list. */
  add(news: ChatNews, number: number): void {
    const kind = kindOf(news, this.userId);
    if (kind === null) return;
    const { chatId, version } = news;
    const change = { chatId, version, number, kind };
    this.position = number;
    this.#changes.push(change);
    this.#newest.delete(chatId);
    this.#newest.set(chatId, change);
    const [oldest] = this.#newest.values();
    if (this.#newest.size > this.capacity && oldest !== undefined) {
      this.#newest.delete(oldest.chatId);
      this.#dropped = Math.max(this.#dropped, oldest.number);
    }
    if (this.#changes.length > 2 * this.capacity) this.#makeRoom();
  }

  /**
   * The next change after a number; null when there is none yet.
   * @throws TooSlowError when it may have been dropped
   */
  next(position: number): ListChange | null {
    if (position < this.#dropped) {
      throw new TooSlowError('More chats have changed than are kept for those who are behind: follow them anew');
    }
    for (let n = this.#indexAfter(position); n < this.#changes.length; n++) {
      const change = this.#changes[n];
      // A newer change of the same chat replaces this one.
      if (change !== undefined && this.#isToBeTold(change)) return change;
    }
    return null;
  }

  #makeRoom(): void {
    const kept = this.#changes.filter((change) => this.#isToBeTold(change));
    const surplus = Math.max(0, kept.length - this.capacity);
    this.#dropped = Math.max(this.#dropped, kept[surplus - 1]?.number ?? 0);
    this.#changes = kept.slice(surplus);
  }

  #isToBeTold(change: ListChange): boolean {
    return change.kind !== 'CHANGED' || this.#newest.get(change.chatId) === change;
  }

  #indexAfter(position: number): number {
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.number ?? Infinity) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** @returns null when the news does not concern the list */
function kindOf({ userId, isNew, losers }: ChatNews, ofUser: string | null): ListChange['kind'] | null {
  if (ofUser === null) return userId === null ? 'REMOVED' : isNew ? 'CREATED' : 'CHANGED';
  if (userId === ofUser) return isNew || losers.length > 0 ? 'CREATED' : 'CHANGED';
  return losers.includes(ofUser) ? 'REMOVED' : null;
}
