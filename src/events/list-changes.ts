/**
 * The changes of one followed list of chats. Each list keeps its own, so that many changes of one user do not affect the
 * subscribers of other lists. Changes of a chat are merged into the newest one.
 */
import { TooSlowError } from '../conversation/errors.js';
import type { ChatNews } from './chat-news.js';
import { RecentItems, setNewest } from './recent-items.js';
import { Subscribable, Stream, type StreamItem } from './subscribable.js';
import type { Following } from './following.js';

/** A change as the subscribers of a list receive it. */
export interface ListChange {
  readonly chatId: string;
  readonly version: number;
  readonly number: number;
  readonly kind: 'CREATED' | 'CHANGED' | 'REMOVED';
}

/** A change of a chat for all lists that may have it. */
export interface SharedChatNews extends ChatNews {
  /** Followed users that were members before this change. */
  readonly previousMembers: readonly string[];
}

export class ListChanges extends Subscribable {
  readonly #changes: RecentItems<ListChange>;
  /** The newest change of each chat, by its id; the newest of all is last. */
  readonly #newest = new Map<string, ListChange>();

  /**
   * @param userId the user of the list; null for the list of all chats
   * @param includesShared whether the list has the chats of which the user is a member
   * @param position the number of the newest change: later changes are added
   * @param capacity how many chats are kept; those that changed longest ago are dropped
   */
  constructor(
    readonly userId: string | null,
    readonly includesShared: boolean,
    position: number,
    private readonly capacity: number,
  ) {
    super(position);
    const isCurrent = (change: ListChange) => change.kind !== 'CHANGED' || this.#newest.get(change.chatId) === change;
    this.#changes = new RecentItems(({ number }) => number, position, capacity, isCurrent);
  }

  /** Adds a change of a chat if it concerns this list. */
  add(news: SharedChatNews, number: number): void {
    const kind = this.#kindOf(news);
    if (kind === null) return;
    const { chatId, version } = news;
    const change = { chatId, version, number, kind };
    this.position = number;
    const oldest = setNewest(this.#newest, chatId, change, this.capacity);
    if (oldest !== undefined) this.#changes.drop(oldest.number);
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

  /** @returns null when the news does not concern the list */
  #kindOf({ userId, isNew, members, previousOwners, previousMembers }: SharedChatNews): ListChange['kind'] | null {
    const own = this.userId;
    if (own === null) return userId === null ? 'REMOVED' : isNew ? 'CREATED' : 'CHANGED';
    const isShared = this.includesShared && members.includes(own);
    const wasShared = this.includesShared && previousMembers.includes(own);
    const wasListed = wasShared || (userId === own ? previousOwners.length === 0 : previousOwners.includes(own));
    if (userId === own || isShared) return isNew || !wasListed ? 'CREATED' : 'CHANGED';
    return wasListed ? 'REMOVED' : null;
  }
}

/** The changes of a list of chats after a number, then new ones as they come. Delivers the newest change of each chat. */
export class ListStream extends Stream<ListChange, ListChanges> {
  /** @param chatId the only chat whose changes are delivered; null for all of the list */
  constructor(
    source: ListChanges,
    following: Following,
    release: () => void,
    private readonly chatId: string | null,
  ) {
    super(source, following, release);
  }

  protected take(): StreamItem<ListChange> | undefined {
    const { source: changes, following } = this;
    let change = changes.next(following.position);
    while (change !== null && this.chatId !== null && change.chatId !== this.chatId)
      change = changes.next(change.number);
    if (change !== null) return { value: change, place: { position: change.number } };
    following.position = changes.position;
    return undefined;
  }
}
