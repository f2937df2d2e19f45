/**
 * The reader of a chat's log in this process, shared by all subscribers of the chat. It keeps the newest events, so that
 * each event is read once.
 */
import type { LogReads, LogState } from '../conversation/log-reads.js';
import type { ChatEvent, Deletion } from '../conversation/model.js';
import { RecentItems } from './recent-items.js';
import { Subscribable } from './subscribable.js';

const PAGE = 500;

/** Its position is the seq of the newest event that was read, or that was stored before the first subscriber. */
export class ChatFeed extends Subscribable {
  /** The time of the last deletion under this id before; a later time means that this chat was deleted. */
  deletedAt: number | null = null;
  /** The last event, after the end of the log. */
  end: ChatEvent | null = null;
  /** The progress of each subscriber. */
  readonly readers = new Set<{ readonly position: number }>();
  readonly recent = new RecentItems<ChatEvent>(({ seq }) => seq, 0);
  #notified = 0;
  #isOpen = false;
  #isReading = false;

  constructor(
    readonly chatId: string,
    private readonly log: Pick<LogReads, 'eventsAfter' | 'logStates'>,
    /** Handles a failed read. The next sweep retries. */
    private readonly onError: (error: unknown) => void,
  ) {
    super();
  }

  /** The number of notified but unread events. */
  get unread(): number {
    return this.#isOpen && this.end === null ? Math.max(0, this.#notified - this.position) : 0;
  }

  /** The number of undelivered events of the slowest subscriber. */
  get behind(): number {
    let behind = 0;
    for (const { position } of this.readers) behind = Math.max(behind, this.position - position);
    return behind;
  }

  /** Notes a notified version. */
  wake(version: number): void {
    this.#notified = Math.max(this.#notified, version);
    if (this.#isOpen && this.end === null && this.#notified > this.position) void this.#read();
  }

  /** Notes a state that was just read. The first state sets the position: earlier events are not read. */
  noteState({ chat, deletion }: LogState): void {
    if (this.end !== null) return;
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.deletedAt = chat === null ? null : (deletion?.createdAt ?? null);
      this.position = chat?.version ?? (deletion === null ? 0 : deletion.seq - 1);
      this.recent.drop(this.position);
    }
    // Another chat may have the id: the followed log has ended in any case.
    if (deletion !== null && deletion.createdAt > (this.deletedAt ?? -1)) this.#endWith(deletion);
    else if (chat !== null) this.wake(chat.version);
  }

  /** Reads the events after a seq; none when the log was deleted, which ends the feed. */
  async eventsAfter(seq: number): Promise<ChatEvent[]> {
    const { events, deletedAt } = await this.log.eventsAfter(this.chatId, seq, PAGE);
    const isAnotherLog = deletedAt !== null && deletedAt !== this.deletedAt;
    if (events.length > 0 && !isAnotherLog) return events;
    await this.refresh();
    return [];
  }

  /** Reads the state of the chat, which may be deleted. */
  async refresh(): Promise<void> {
    for (const state of await this.log.logStates([this.chatId])) this.noteState(state);
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#notified > this.position && this.end === null && this.followers > 0) {
        const notified = this.#notified;
        const events = await this.eventsAfter(this.position);
        // A notified version may be wrong; versions notified since the read may be right.
        if (events.length === 0 && this.#notified === notified) this.#notified = this.position;
        if (events.length > 0) this.#append(events);
      }
    } catch (error) {
      // Without followers, the database may have been closed.
      if (this.followers > 0) this.onError(error);
    } finally {
      // In the same turn as the last check, so that a later wake starts another read.
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

/** The feed of a deleted chat, even if another chat has its id. */
export function endedFeed({ chatId, deletion }: LogState): ChatFeed {
  const feed = new ChatFeed(chatId, NO_LOG, () => {});
  feed.noteState({ chatId, chat: null, deletion });
  return feed;
}

/** The only event of a log that was deleted with its chat. */
const NO_LOG: Pick<LogReads, 'eventsAfter' | 'logStates'> = {
  eventsAfter: () => Promise.resolve({ events: [], deletedAt: null }),
  logStates: () => Promise.resolve([]),
};
