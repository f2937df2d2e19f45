/**
 * The one reader of a chat's log in this process. All who follow the chat go along it: it knows how far the log goes and
 * keeps its newest events, so that an event is read once, however many are waiting for it.
 */
import type { LogReads, LogState } from '../conversation/log-reads.js';
import type { ChatEvent, Deletion } from '../conversation/model.js';
import { RecentItems } from './recent-items.js';
import { Subscribable } from './subscribable.js';

/** Events that are read at once. */
const PAGE = 500;

/** Its position is the seq of the newest event that it has read, or that was stored before the first subscriber. */
export class ChatFeed extends Subscribable {
  /** When a chat of this id had last been deleted before; a later time says that this one was. */
  deletedAt: number | null = null;
  /** How the log ended, once it has. */
  end: ChatEvent | null = null;
  /** How far each of those is who go along it. */
  readonly readers = new Set<{ readonly position: number }>();
  /** The newest events. */
  readonly recent = new RecentItems<ChatEvent>(({ seq }) => seq, 0);
  /** The highest version that anybody has heard of. */
  #heard = 0;
  #isOpen = false;
  #isReading = false;

  constructor(
    readonly chatId: string,
    private readonly log: Pick<LogReads, 'eventsAfter' | 'logStates'>,
    /** Takes what keeps it from reading: the next sweep has it try again. */
    private readonly onError: (error: unknown) => void,
  ) {
    super();
  }

  /** How many events it has heard of and not read. */
  get unread(): number {
    return this.#isOpen && this.end === null ? Math.max(0, this.#heard - this.position) : 0;
  }

  /** How many events the last of its readers has yet to be told. */
  get behind(): number {
    let behind = 0;
    for (const { position } of this.readers) behind = Math.max(behind, this.position - position);
    return behind;
  }

  /** Somebody has heard of a version. */
  wake(version: number): void {
    this.#heard = Math.max(this.#heard, version);
    if (this.#isOpen && this.end === null && this.#heard > this.position) void this.#read();
  }

  /** Takes what somebody has just seen of the chat. The first to see it opens the feed: what is there is not read. */
  see({ chat, deletion }: LogState): void {
    if (this.end !== null) return;
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.deletedAt = chat === null ? null : (deletion?.createdAt ?? null);
      this.position = chat?.version ?? (deletion === null ? 0 : deletion.seq - 1);
      this.recent.drop(this.position);
    }
    // There may be another chat of the same id by now: the log that was followed is over all the same.
    if (deletion !== null && deletion.createdAt > (this.deletedAt ?? -1)) this.#endWith(deletion);
    else if (chat !== null) this.wake(chat.version);
  }

  /** The events behind a seq, from the log; none when the log is gone, and the feed has ended. */
  async eventsAfter(seq: number): Promise<ChatEvent[]> {
    const { events, deletedAt } = await this.log.eventsAfter(this.chatId, seq, PAGE);
    const isAnotherLog = deletedAt !== null && deletedAt !== this.deletedAt;
    if (events.length > 0 && !isAnotherLog) return events;
    await this.look();
    return [];
  }

  /** Looks at the chat, which may be gone. */
  async look(): Promise<void> {
    for (const state of await this.log.logStates([this.chatId])) this.see(state);
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#heard > this.position && this.end === null && this.followers > 0) {
        const heard = this.#heard;
        const events = await this.eventsAfter(this.position);
        // A bus may tell what is not so. What was heard meanwhile may be.
        if (events.length === 0 && this.#heard === heard) this.#heard = this.position;
        if (events.length > 0) this.#append(events);
      }
    } catch (error) {
      this.onError(error);
    } finally {
      // In the same moment as the last look at what was heard: whoever wakes it later has it read again.
      this.#isReading = false;
    }
  }

  #append(events: readonly ChatEvent[]): void {
    const [first] = events;
    if (first?.seq !== this.position + 1) {
      throw new Error(`the log of chat "${this.chatId}" goes from event ${this.position} to ${first?.seq}`);
    }
    this.recent.push(...events);
    this.position += events.length;
    this.notify();
  }

  #endWith({ chatId, seq, actorId, createdAt }: Deletion): void {
    this.end = { chatId, seq, type: 'ChatDeleted', actorId, createdAt, payload: {} };
    this.notify();
  }
}

/** The feed of a chat that was deleted, whatever has its id now. */
export function endedFeed({ chatId, deletion }: LogState): ChatFeed {
  const feed = new ChatFeed(chatId, NO_LOG, () => {});
  feed.see({ chatId, chat: null, deletion });
  return feed;
}

/** Of a log that went with its chat. */
const NO_LOG: Pick<LogReads, 'eventsAfter' | 'logStates'> = {
  eventsAfter: () => Promise.resolve({ events: [], deletedAt: null }),
  logStates: () => Promise.resolve([]),
};
