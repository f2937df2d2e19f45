/**
 * The list of all chats, for those who follow it in this process. A wake, from a change made here or from a bus, has one
 * small statement say how its chat stands, whoever many follow; with nobody following, nothing is asked. Buses lose things,
 * so a sweep looks for chats that are new since the one before.
 */
import type { ListedRow, ListPlace, ListReads } from '../conversation/list-reads.js';
import type { Wake } from './bus.js';
import { isLater, newsOf } from './chat-news.js';
import { ListStream } from './list-stream.js';
import type { Following } from './log-stream.js';
import { RecentChats } from './recent-chats.js';

export interface ChatListOptions {
  reads: ListReads;
  /** Milliseconds between two sweeps. */
  sweepIntervalMs: number;
  /** Takes what keeps it from reading. The next sweep tries again. */
  onError: (error: unknown) => void;
  /** How many chats are kept of which somebody is yet to be told. */
  capacity?: number;
}

/** How long before a sweep a change may carry its time: until it is committed, and as far as servers' clocks differ. */
const SLACK_MS = 60_000;

/** How long it hears of chats when the last has left, in milliseconds: whoever is moved to another stream is between the two. */
const LINGER_MS = 5_000;

/** Chats that are read at once. */
const PAGE = 500;

/** Chats that may wait to be read. The oldest give way: a sweep finds them. */
const MAX_WOKEN = 10_000;

/** How many events back it is looked whether a chat that nobody here has heard of was given away. */
const LOOKBACK = 100;

export class ChatList {
  readonly #recent: RecentChats;
  readonly #streams = new Map<string | null, Set<ListStream>>();
  /** The versions that were heard of and not read, the lowest of each chat. */
  readonly #woken = new Map<string, number>();
  /** Settles when those are known who are there at the beginning; null while nobody follows. */
  #beginning: Promise<void> | null = null;
  /** Where the next sweep begins, in milliseconds since 1970. */
  #since = 0;
  #sweeping: Promise<void> | null = null;
  #reading: Promise<void> = Promise.resolve();
  #isReading = false;
  #timer: NodeJS.Timeout | undefined;
  #ending: NodeJS.Timeout | undefined;

  constructor(private readonly options: ChatListOptions) {
    this.#recent = new RecentChats(options.capacity);
  }

  /**
   * Follows a list from now on, or from where somebody has followed it before.
   * @param userId whose chats; null for everyone's
   * @throws DatabaseUnavailableError
   */
  async follow(userId: string | null, following: Following): Promise<ListStream> {
    following.position = following.startAt ?? this.#recent.position;
    clearTimeout(this.#ending);
    const stream = new ListStream(this.#recent, following, userId, (left) => this.#leave(left));
    // Before the look, so that what happens after it is heard of.
    this.#streams.set(userId, (this.#streams.get(userId) ?? new Set()).add(stream));
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
    if (this.#beginning === null || this.#streams.size === 0) return Promise.resolve();
    const before = this.#sweeping ?? this.#beginning;
    const sweep = before
      .then(() => this.#look())
      .catch(this.options.onError)
      .then(() => {
        this.#read();
        return this.#reading;
      })
      .finally(() => {
        if (this.#sweeping === sweep) this.#sweeping = null;
      });
    this.#sweeping = sweep;
    return sweep;
  }

  /** Has all who follow it fail: nobody knows whether it is still the same list. */
  lose(error: Error): void {
    const lost = [...this.#streams.values()].flatMap((streams) => [...streams]);
    this.close();
    for (const stream of lost) stream.lose(error);
  }

  /** Stops reading. */
  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#ending);
    this.#beginning = null;
    this.#woken.clear();
    this.#recent.forgetAll();
  }

  async #begin(): Promise<void> {
    const { sweepIntervalMs } = this.options;
    this.#since = Date.now() - SLACK_MS;
    this.#timer = setInterval(() => {
      if (this.#sweeping === null) void this.sweep();
    }, sweepIntervalMs);
    try {
      await this.#look(Date.now());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #leave(stream: ListStream): void {
    const streams = this.#streams.get(stream.userId);
    streams?.delete(stream);
    if (streams?.size === 0) this.#streams.delete(stream.userId);
    if (this.#streams.size > 0 || this.#beginning === null) return;
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => this.close(), LINGER_MS);
  }

  /** @param begunAt what was there by then is only noted: nobody followed before */
  async #look(begunAt = -Infinity): Promise<void> {
    const lookedAt = Date.now();
    const { reads } = this.options;
    for (const list of [reads.changedSince, reads.deletedSince]) {
      let place: ListPlace | null = { at: this.#since - 1, id: '' };
      while (place !== null) {
        const rows: ListedRow[] = await list(place, PAGE);
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
    if (this.#isReading || this.#streams.size === 0) return;
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
          if (news !== null) this.#tell(news.userId, news.losers, this.#recent.add(news));
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

  #tell(userId: string | null, losers: readonly string[], number: number): void {
    for (const scope of new Set([null, userId, ...losers])) {
      for (const stream of this.#streams.get(scope) ?? []) stream.tell(number);
    }
  }
}
