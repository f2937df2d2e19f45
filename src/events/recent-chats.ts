/**
 * What is known here of the chats that changed lately, and with which changes they came to that. Changes are numbered as they
 * are learned of. Of a chat that only changed, and changed again, the newest is told: whoever is behind gets that one alone.
 */
import { TooSlowError } from '../conversation/errors.js';
import type { ListedRow } from '../conversation/list-reads.js';

/** How a chat stands. */
export interface RecentChat {
  readonly chatId: string;
  readonly version: number;
  /** Null once it is gone. */
  readonly userId: string | null;
  /** When a chat of its id was last deleted: a later time says that this one was. */
  readonly deletedAt: number | null;
  /** The number of its newest change; 0 when it stood like this before anybody followed. */
  readonly number: number;
}

/** What has happened to a chat. */
export interface ChatNews extends Omit<RecentChat, 'number'> {
  readonly isNew: boolean;
  /** Those whose it is no more. */
  readonly losers: readonly string[];
}

/** A change as somebody is told it. */
export interface ListChange extends Pick<RecentChat, 'chatId' | 'version' | 'number'> {
  kind: 'CREATED' | 'CHANGED' | 'REMOVED';
}

type NumberedNews = ChatNews & Pick<RecentChat, 'number'>;

export class RecentChats {
  /** The number of the newest change. */
  position = 0;
  /** By id, the one that changed last at the end. */
  readonly #chats = new Map<string, RecentChat>();
  /** In the order of their numbers. */
  #changes: NumberedNews[] = [];
  /** Up to here something may have been forgotten. */
  #forgotten = 0;

  /** @param capacity how many chats are kept; those that changed longest ago give way */
  constructor(private readonly capacity = 20_000) {}

  get(chatId: string): RecentChat | undefined {
    return this.#chats.get(chatId);
  }

  /** Notes how a chat stands, which nobody is to be told. */
  know({ chatId, userId, version, deletedAt }: ListedRow): void {
    this.#put({ chatId, version, userId, deletedAt, number: 0 });
  }

  /** @returns its number */
  add(news: ChatNews): number {
    const change = { ...news, number: ++this.position };
    this.#put(change);
    this.#changes.push(change);
    if (this.#changes.length > 2 * this.capacity) this.#makeRoom();
    return change.number;
  }

  /**
   * The next change behind a number that somebody is to be told.
   * @param userId whose chats they follow; null for everyone's
   * @returns null when there is none yet
   * @throws TooSlowError when it may have been forgotten
   */
  next(position: number, userId: string | null): ListChange | null {
    if (position < this.#forgotten) {
      throw new TooSlowError('More chats have changed than are kept for those who are behind: follow them anew');
    }
    for (const change of this.#changes.slice(this.#indexBehind(position))) {
      const kind = kindOf(change, userId);
      // What only changed, and has changed again, is told with that.
      if (kind === null || (kind === 'CHANGED' && !this.#isNewest(change))) continue;
      return { chatId: change.chatId, version: change.version, number: change.number, kind };
    }
    return null;
  }

  forgetAll(): void {
    this.#chats.clear();
    this.#changes = [];
    this.#forgotten = this.position;
  }

  #put(chat: RecentChat): void {
    this.#chats.delete(chat.chatId);
    this.#chats.set(chat.chatId, chat);
    if (this.#chats.size <= this.capacity) return;
    for (const [chatId, { number }] of this.#chats) {
      this.#chats.delete(chatId);
      this.#forgotten = Math.max(this.#forgotten, number);
      return;
    }
  }

  #makeRoom(): void {
    const kept = this.#changes.filter((change) => this.#isNewest(change) || !isMereChange(change));
    const surplus = Math.max(0, kept.length - this.capacity);
    this.#forgotten = Math.max(this.#forgotten, kept[surplus - 1]?.number ?? 0);
    this.#changes = kept.slice(surplus);
  }

  #isNewest(change: NumberedNews): boolean {
    return this.#chats.get(change.chatId) === change;
  }

  #indexBehind(position: number): number {
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.number ?? Infinity) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Whether it is a change to everybody whom it concerns. */
function isMereChange({ userId, isNew, losers }: ChatNews): boolean {
  return userId !== null && !isNew && losers.length === 0;
}

/** @returns null when it does not concern whoever follows the chats of a user, or everyone's */
function kindOf(change: ChatNews, userId: string | null): ListChange['kind'] | null {
  if (userId === null) return change.userId === null ? 'REMOVED' : change.isNew ? 'CREATED' : 'CHANGED';
  if (change.userId === userId) return isMereChange(change) ? 'CHANGED' : 'CREATED';
  return change.losers.includes(userId) ? 'REMOVED' : null;
}
