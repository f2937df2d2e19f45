/**
 * Changes of chat lists for the subscribers of this process. One statement per wake reads the state of the chat, for any
 * number of subscribers. A sweep finds changes whose notification was lost.
 */
import type { ListedRow, ListPlace, ListReads } from '../conversation/log-reads.js';
import type { Wake } from './bus.js';
import { diffChat, isLater, type ChatNews, type RecentChat } from './chat-news.js';
import type { Following } from './following.js';
import { ListChanges, ListStream } from './list-changes.js';
import { Memberships } from './memberships.js';
import { setNewest } from './recent-items.js';
import { Sweeps, type SweepOptions } from './sweeps.js';

export interface ChatListOptions extends SweepOptions {
  reads: ListReads;
  /** Maximum number of undelivered chats kept for each followed list. @default 20000 */
  capacity?: number;
}

/** Maximum age of a change at its commit, including the difference of the servers' clocks. */
const SLACK_MS = 60_000;

/** Milliseconds that a list without subscribers is kept, for a subscriber that moves to another stream. */
const LINGER_MS = 5_000;

const PAGE = 500;

/** Maximum number of chats that wait to be read. The oldest are dropped: a sweep finds them. */
const MAX_WOKEN = 10_000;

/** Number of last events that are searched for transfers of an unknown chat. */
const LOOKBACK = 100;

/** Chats of others whose memberships are read when a user begins to follow; each change adds its chat. */
const MAX_SHARED_CHATS = 1_000;

/** A followed list, or one that was followed recently. */
interface FollowedList {
  readonly changes: ListChanges;
  /** Settles when the memberships of its user are known. */
  members?: Promise<void>;
  ending?: NodeJS.Timeout;
}

export interface FollowedChats {
  /** Whether the list also has the chats of which its user is a member. */
  includeShared?: boolean;
  /** The only chat to follow; null for all. */
  chatId?: string | null;
}

/** The id of a user is not empty. */
function listKey(userId: string | null, includesShared = false): string {
  return userId === null ? '' : `${includesShared ? 'all' : 'own'} ${userId}`;
}

export class ChatList {
  readonly #capacity: number;
  /** The latest known states of chats that changed recently, the last changed one last; any other is read. */
  readonly #recent = new Map<string, RecentChat>();
  /** By `listKey`. */
  readonly #lists = new Map<string, FollowedList>();
  readonly #memberships: Memberships;
  /** The number of streams of all lists. */
  #streams = 0;
  /** The number of the newest change. */
  #position = 0;
  /** The notified but unread versions, the highest of each chat. */
  readonly #woken = new Map<string, number>();
  /** Settles when the initial chats are known; null without subscribers. */
  #beginning: Promise<void> | null = null;
  /** The start of the next sweep, in milliseconds since 1970. */
  #since = 0;
  #reading: Promise<void> = Promise.resolve();
  #isReading = false;
  readonly #sweeps: Sweeps;

  constructor(private readonly options: ChatListOptions) {
    this.#capacity = options.capacity ?? 20_000;
    this.#memberships = new Memberships(this.#capacity);
    this.#sweeps = new Sweeps(() => this.#sweep(), options);
  }

  /**
   * Follows a list from now on, or from an earlier position.
   * @param userId the user of the list; null for the chats of all users
   * @throws DatabaseUnavailableError
   */
  async follow(
    userId: string | null,
    following: Following,
    { includeShared = false, chatId = null }: FollowedChats = {},
  ): Promise<ListStream> {
    // Before the read, so that later changes are notified.
    const list = this.#lists.get(listKey(userId, includeShared)) ?? this.#newList(userId, includeShared);
    clearTimeout(list.ending);
    following.position = following.startAt ?? list.changes.position;
    const stream = new ListStream(list.changes, following, () => this.#leave(list), chatId);
    list.changes.followers++;
    this.#streams++;
    try {
      await (this.#beginning ??= this.#begin());
      await (list.members ??= this.#readMemberships(list));
    } catch (error) {
      await stream.return();
      throw error;
    }
    this.#read();
    return stream;
  }

  wake({ chatId, version }: Wake): void {
    if (this.#beginning !== null && !this.#isKnown(chatId, version)) this.#receive(chatId, version);
  }

  /** Reads changes whose notification was lost. Settles when they are delivered. */
  sweep(): Promise<void> {
    if (this.#beginning === null || this.#streams === 0) return Promise.resolve();
    return this.#sweeps.run();
  }

  /** Fails all subscribers: the list may be another one afterwards. */
  lose(error: Error): void {
    const lost = [...this.#lists.values()];
    this.close();
    for (const { changes } of lost) changes.lose(error);
  }

  /** Stops reading. */
  close(): void {
    this.#sweeps.stop();
    for (const { ending } of this.#lists.values()) clearTimeout(ending);
    this.#lists.clear();
    this.#memberships.clear();
    this.#beginning = null;
    this.#woken.clear();
    this.#recent.clear();
  }

  async #begin(): Promise<void> {
    this.#since = Date.now() - SLACK_MS;
    this.#sweeps.start();
    // A notified chat must not become known before it is read.
    this.#isReading = true;
    try {
      await this.#readChanges(Date.now());
    } catch (error) {
      this.close();
      throw error;
    } finally {
      this.#isReading = false;
    }
  }

  #newList(userId: string | null, includesShared: boolean): FollowedList {
    const list = { changes: new ListChanges(userId, includesShared, this.#position, this.#capacity) };
    this.#lists.set(listKey(userId, includesShared), list);
    return list;
  }

  async #readMemberships(list: FollowedList): Promise<void> {
    const { userId, includesShared } = list.changes;
    if (userId === null || !includesShared) return;
    this.#memberships.follow(userId);
    try {
      const chatIds = await this.options.reads.sharedChatIds(userId, MAX_SHARED_CHATS);
      // A membership that has ended since then is removed from the list once more.
      for (const chatId of chatIds) this.#memberships.add(chatId, userId);
    } catch (error) {
      delete list.members;
      throw error;
    }
  }

  #leave(list: FollowedList): void {
    this.#streams--;
    const { userId, includesShared } = list.changes;
    const key = listKey(userId, includesShared);
    if (--list.changes.followers > 0 || this.#lists.get(key) !== list) return;
    list.ending = setTimeout(() => {
      this.#lists.delete(key);
      if (userId !== null && includesShared) this.#memberships.unfollow(userId);
      if (this.#lists.size === 0) this.close();
    }, LINGER_MS);
  }

  async #sweep(): Promise<void> {
    try {
      await this.#beginning;
      await this.#readChanges();
    } finally {
      this.#read();
      await this.#reading;
    }
  }

  /** @param begunAt chats of an earlier time are noted without a notification */
  async #readChanges(begunAt = -Infinity): Promise<void> {
    const readAt = Date.now();
    const { reads } = this.options;
    for (const list of [reads.changedSince, reads.deletedSince]) {
      let place: ListPlace | null = { at: this.#since - 1, id: '' };
      while (place !== null) {
        const found: ListedRow[] = await list(place, PAGE);
        // Every sweep would find chats with a later time from an import.
        const rows = found.filter(({ at }) => at <= readAt + SLACK_MS);
        for (const row of rows) this.#noteRow(row, begunAt);
        const last = rows.at(-1);
        place = rows.length < PAGE || last === undefined ? null : { at: last.at, id: last.chatId };
      }
    }
    this.#since = readAt - SLACK_MS;
  }

  #noteRow(row: ListedRow, begunAt: number): void {
    const { chatId, userId, version, at, deletedAt } = row;
    const known = this.#recent.get(chatId);
    if (known !== undefined && !isLater(deletedAt, known.deletedAt)) {
      // Known as deleted, or in this state.
      if (userId === null || (known.userId !== null && version <= known.version)) return;
    }
    if (known === undefined && at <= begunAt && !this.#woken.has(chatId)) this.#know(row);
    else this.#receive(chatId, version);
  }

  #know({ chatId, userId, version, deletedAt }: RecentChat): void {
    setNewest(this.#recent, chatId, { chatId, version, userId, deletedAt }, this.#capacity);
  }

  /** Whether a version was delivered. The version of a deletion is also that of a restoration. */
  #isKnown(chatId: string, version: number): boolean {
    const known = this.#recent.get(chatId);
    return known !== undefined && known.userId !== null && version <= known.version;
  }

  #receive(chatId: string, version: number): void {
    this.#woken.set(chatId, Math.max(version, this.#woken.get(chatId) ?? 0));
    const [oldest] = this.#woken.keys();
    if (this.#woken.size > MAX_WOKEN && oldest !== undefined) this.#woken.delete(oldest);
    this.#read();
  }

  #read(): void {
    if (this.#isReading || this.#streams === 0) return;
    this.#isReading = true;
    this.#reading = this.#readAll();
  }

  async #readAll(): Promise<void> {
    let batch: [string, number][] = [];
    try {
      while (this.#woken.size > 0) {
        batch = [...this.#woken].slice(0, PAGE);
        for (const [chatId] of batch) this.#woken.delete(chatId);
        const after = ([chatId, version]: [string, number]) => this.#recent.get(chatId)?.version ?? version - LOOKBACK;
        const keys = batch.map((woken) => ({ chatId: woken[0], after: after(woken) }));
        for (const status of await this.options.reads.chatStatuses(keys)) {
          if (this.#beginning === null) break;
          const news = diffChat(status, this.#recent.get(status.chatId), this.#since);
          if (news !== null) this.#publish(news);
          // Notified again during the read.
          const again = this.#woken.get(status.chatId);
          if (again !== undefined && this.#isKnown(status.chatId, again)) this.#woken.delete(status.chatId);
        }
      }
    } catch (error) {
      // The next sweep reads them.
      if (this.#beginning !== null) for (const [chatId, version] of batch) this.#woken.set(chatId, version);
      this.options.onError(error);
    } finally {
      // In the same turn as the last check, so that a later wake starts another read.
      this.#isReading = false;
    }
  }

  #publish(news: ChatNews): void {
    this.#know(news);
    const number = ++this.#position;
    const { chatId, userId, members, previousOwners } = news;
    const previousMembers = this.#memberships.replace(chatId, members);
    const of = new Set([userId, ...previousOwners, ...members, ...previousMembers]);
    const keys = [...of].flatMap((each) => [listKey(each, false), listKey(each, true)]);
    for (const key of new Set([listKey(null), ...keys])) {
      this.#lists.get(key)?.changes.add({ ...news, previousMembers }, number);
    }
  }
}
