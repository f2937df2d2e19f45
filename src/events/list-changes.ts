/**
 * The changes of one followed list of chats. Each list keeps its own, so that many changes of one user do not affect the
 * subscribers of other lists. Changes of a chat are merged into the newest one.
 */
import { TooSlowError } from '../conversation/errors.js';
import type { ChatNews } from './chat-news.js';
import { RecentItems } from './recent-items.js';
import { Subscribable } from './subscribable.js';

/** A change as the subscribers of a list receive it. */
export interface ListChange {
  readonly chatId: string;
  readonly version: number;
  readonly number: number;
  readonly kind: 'CREATED' | 'CHANGED' | 'REMOVED';
}

export class ListChanges extends Subscribable {
  readonly #changes: RecentItems<ListChange>;
  /** The newest change of each chat, by its id; the newest of all is last. */
  readonly #newest = new Map<string, ListChange>();

  /**
   * @param userId the owner; null for the list of all chats
   * @param position the number of the newest change: later changes are added
   * @param capacity how many chats are kept; those that changed longest ago are dropped
   */
  constructor(
    readonly userId: string | null,
    position: number,
    private readonly capacity: number,
  ) {
    super(position);
    const isCurrent = (change: ListChange) => change.kind !== 'CHANGED' || this.#newest.get(change.chatId) === change;
    this.#changes = new RecentItems(({ number }) => number, position, capacity, isCurrent);
  }

  /** Adds a change of a chat if it concerns this list. */
  add(news: ChatNews, number: number): void {
    const kind = kindOf(news, this.userId);
    if (kind === null) return;
    const { chatId, version } = news;
    const change = { chatId, version, number, kind };
    this.position = number;
    this.#newest.delete(chatId);
    this.#newest.set(chatId, change);
    const [oldest] = this.#newest.values();
    if (this.#newest.size > this.capacity && oldest !== undefined) {
      this.#newest.delete(oldest.chatId);
      this.#changes.drop(oldest.number);
    }
    this.#changes.push(change);
    this.notify();
  }

  /**
   * The next change after a number; null when there is none yet.
   * @throws TooSlowError when it may have been dropped
   */
  next(number: number): ListChange | null {
    if (!this.#changes.reachesTo(number)) {
      throw new TooSlowError('More chats changed than the list keeps for slow subscribers: subscribe again');
    }
    return this.#changes.next(number) ?? null;
  }
}

/** @returns null when the news does not concern the list */
function kindOf({ userId, isNew, previousOwners }: ChatNews, ofUser: string | null): ListChange['kind'] | null {
  if (ofUser === null) return userId === null ? 'REMOVED' : isNew ? 'CREATED' : 'CHANGED';
  if (userId === ofUser) return isNew || previousOwners.length > 0 ? 'CREATED' : 'CHANGED';
  return previousOwners.includes(ofUser) ? 'REMOVED' : null;
}
