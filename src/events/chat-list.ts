/**
 * The list of all chats, for those who follow it in this process. A wake, from a change made here or from a bus, has one
 * small statement say how its chat stands, whoever many follow; with nobody following, nothing is asked. Buses lose things,
 * so a sweep looks for chats that are new since the one before.
 */
import type { ListedRow, ListPlace, ListReads } from '../conversation/list-reads.js';
import type { Wake } from './bus.js';
import { isLater, newsOf, type ChatNews } from './chat-news.js';
import type { Following } from './following.js';
import { ListChanges } from './list-changes.js';
import { ListStream } from './list-stream.js';
import { RecentChats } from './recent-chats.js';
import { Sweeps, type SweepOptions } from './sweeps.js';

export interface ChatListOptions extends SweepOptions {
  reads: ListReads;
  /** How many chats are kept of which followers are yet to be told, for each list that is followed. @default 20000 */
  capacity?: number;
}

/** How long before a sweep a change may carry its time: until it is committed, and as far as servers' clocks differ. */
const SLACK_MS = 60_000;

/** How long changes of a list are kept when its last follower has left: one that moves to another stream is between the two. */
const LINGER_MS = 5_000;

/** Chats that are read at once. */
const PAGE = 500;

/** Chats that may wait to be read. The oldest give way: a sweep finds them. */
const MAX_WOKEN = 10_000;

/** How many events back it is looked whether a chat that nobody here has heard of was given away. */
const LOOKBACK = 100;

/** A list that is followed, and for a while one that was. */
interface FollowedList {
  readonly changes: ListChanges;
  ending?: NodeJS.Timeout;
}

export class ChatList {
  readonly #capacity: number;
  readonly #recent: RecentChats;
  /** By user; everyone's by null. */
  readonly #lists = new Map<string | null, FollowedList>();
  /** How many streams there are of all lists. */
  #streams = 0;
  /** The number of the newest change. */
  #position = 0;
  /** The versions that were heard of and not read, the lowest of each chat. */
  readonly #woken = new Map<string, number>();
  /** Settles when those are known who are there at the beginning; null while nobody follows. */
  #beginning: Promise<void> | null = null;
  /** Where the next sweep begins, in milliseconds since 1970. */
  #since = 0;
  #reading: Promise<void> = Promise.resolve();
  #isReading = false;
  readonly #sweeps: Sweeps;

  constructor(private readonly options: ChatListOptions) {
    this.#capacity = options.capacity ?? 20_000;
    this.#recent = new RecentChats(this.#capacity);
    this.#sweeps = new Sweeps(() => this.#sweep(), options);
  }

  /**
   * Follows a list from now on, or from where somebody has followed it before.
   * @param userId whose chats; null for everyone's
   * @throws DatabaseUnavailableError
   */
  async follow(userId: string | null, following: Following): Promise<ListStream> {
    // Before the look, so that what happens after it is heard of.
    const list = this.#lists.get(userId) ?? this.#newList(userId);
    clearTimeout(list.ending);
    following.position = following.startAt ?? list.changes.position;
    const stream = new ListStream(list.changes, following, () => this.#leave(list));
    list.changes.followers++;
    this.#streams++;
    try {
      await (this.#beginning ??= this.#begin());
    } catch (error) {
      await stream.return();
      throw error;
    }
    this.#read();
    return stream;
  }

  wake({ chatId, version }: Wake): void {
    if (this.#beginning !== null && !this.#isKnown(chatId, version)) this.#hear(chatId, version);
  }

  /** Looks for what nobody has told of. Settles when it has been told. */
  sweep(): Promise<void> {
    if (this.#beginning === null || this.#streams === 0) return Promise.resolve();
    return this.#sweeps.run();
  }

  /** Has all who follow it fail: nobody knows whether it is still the same list. */
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
    this.#beginning = null;
    this.#woken.clear();
    this.#recent.forgetAll();
  }

  async #begin(): Promise<void> {
    this.#since = Date.now() - SLACK_MS;
    this.#sweeps.start();
    try {
      await this.#look(Date.now());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #newList(userId: string | null): FollowedList {
    const list = { changes: new ListChanges(userId, this.#position, this.#capacity) };
    this.#lists.set(userId, list);
    return list;
  }

  #leave(list: FollowedList): void {
    this.#streams--;
    const { userId } = list.changes;
    if (--list.changes.followers > 0 || this.#lists.get(userId) !== list) return;
    list.ending = setTimeout(() => {
      this.#lists.delete(userId);
      if (this.#lists.size === 0) this.close();
    }, LINGER_MS);
  }

  async #sweep(): Promise<void> {
    try {
      await this.#beginning;
      await this.#look();
    } finally {
      this.#read();
      await this.#reading;
    }
  }

  /** @param begunAt what was there by then is only noted: nobody followed before */
  async #look(begunAt = -Infinity): Promise<void> {
    const lookedAt = Date.now();
    const { reads } = this.options;
    for (const list of [reads.changedSince, reads.deletedSince]) {
      let place: ListPlace | null = { at: this.#since - 1, id: '' };
      while (place !== null) {
        const found: ListedRow[] = await list(place, PAGE);
        // Chats that an import has dated later would be found by every sweep.
        const rows = found.filter(({ at }) => at <= lookedAt + SLACK_MS);
        for (const row of rows) this.#see(row, begunAt);
        const last = rows.at(-1);
        place = rows.length < PAGE || last === undefined ? null : { at: last.at, id: last.chatId };
      }
    }
    this.#since = lookedAt - SLACK_MS;
  }

  #see(row: ListedRow, begunAt: number): void {
    const { chatId, userId, version, at, deletedAt } = row;
    const known = this.#recent.get(chatId);
    if (known !== undefined && !isLater(deletedAt, known.deletedAt)) {
      // Known to be gone; or as it is here.
      if (userId === null || (known.userId !== null && version <= known.version)) return;
    }
    if (known === undefined && at <= begunAt && !this.#woken.has(chatId)) this.#recent.know(row);
    else this.#hear(chatId, version);
  }

  /** Whether a version was told, or is how a chat ended. */
  #isKnown(chatId: string, version: number): boolean {
    const known = this.#recent.get(chatId);
    if (known === undefined) return false;
    return known.userId === null ? version === known.version : version <= known.version;
  }

  #hear(chatId: string, version: number): void {
    this.#woken.set(chatId, Math.min(version, this.#woken.get(chatId) ?? version));
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
        for (const standing of await this.options.reads.standings(keys)) {
          if (this.#beginning === null) break;
          const news = newsOf(standing, this.#recent.get(standing.chatId), this.#since);
          if (news !== null) this.#tell(news);
          // The bus has said it again meanwhile.
          const again = this.#woken.get(standing.chatId);
          if (again !== undefined && this.#isKnown(standing.chatId, again)) this.#woken.delete(standing.chatId);
        }
      }
    } catch (error) {
      // The next sweep has them read.
      if (this.#beginning !== null) for (const [chatId, version] of batch) this.#woken.set(chatId, version);
      this.options.onError(error);
    } finally {
      // In the same moment as the last look at what was heard: whoever is heard of later is read again.
      this.#isReading = false;
    }
  }

  #tell(news: ChatNews): void {
    this.#recent.know(news);
    const number = ++this.#position;
    for (const userId of new Set([null, news.userId, ...news.losers])) {
      this.#lists.get(userId)?.changes.add(news, number);
    }
  }
}
