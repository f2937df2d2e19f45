import type { ChatEvent } from '../conversation/model.js';
import type { ChatFeed } from './chat-feed.js';

/** A place in a stream. Both numbers only grow. */
export interface Place {
  /** The seq of an event, the number of a change, or the number of chunks of a draft. */
  readonly position: number;
  /** The number of the last state change of a draft; 0 in other streams. */
  readonly mark: number;
}

export function placeOf({ position, mark = 0 }: Following): Place {
  return { position, mark };
}

export function isAfter(a: Place, b: Place): boolean {
  return a.position > b.position || (a.position === b.position && a.mark > b.mark);
}

/** How far somebody has followed a log, and how far they want to: shared with whoever runs the stream. */
export interface Following {
  /** Where to begin, for somebody who was here before; null to begin as the subscription itself says. */
  readonly startAt: number | null;
  /** Asked before each event: the stream ends when it has got there; at null, when it has caught up. Absent: never. */
  readonly until?: () => Place | null;
  /** The seq of the event that was handed out last; behind the ones that were skipped. */
  position: number;
  /** The number of the last state change of the draft that was handed out. Absent: none, or another stream. */
  mark?: number;
  /** Whether the chat was deleted, and all that there was has been handed out. */
  isOver: boolean;
  /** Which chat of the id it is: when one had last been deleted before it. Undefined until that is known. */
  deletedAt?: number | null;
  /** Which branch is followed, of somebody who has named one: it may be called otherwise by now. Undefined until that is known. */
  branchId?: string;
  /** When the draft that is followed began: another may have its id by now. Undefined until that is known. */
  draftStartedAt?: number;
}

/**
 * The events of a chat behind a seq, one after the other, and then as they happen. What is kept by the feed comes from
 * there, and what is older from the log: who is slow, or has been away, costs no memory, and misses nothing. Ends after
 * ChatDeleted; a seq is missing before that one alone, because the log goes with its chat.
 *
 * Not a generator: return() of one that waits would wait, too.
 */
export class LogStream implements AsyncIterableIterator<ChatEvent> {
  #page: ChatEvent[] = [];
  #isDone = false;
  #stopWaiting: (() => void) | null = null;

  constructor(
    private readonly feed: ChatFeed,
    private readonly following: Following,
    /** Called once, when nothing more will be asked of the feed. */
    private readonly release: () => void,
  ) {
    feed.readers.add(following);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The seq that it has come to. */
  get position(): number {
    return this.following.position;
  }

  /** The seq of the newest event that is known. */
  get newest(): number {
    return this.feed.position;
  }

  /** Which branch is followed along it; undefined until that is known. */
  get branchId(): string | undefined {
    return this.following.branchId;
  }

  followBranch(branchId: string): void {
    this.following.branchId = branchId;
  }

  /** Whether the chat is gone. */
  get isEnding(): boolean {
    return this.feed.end !== null;
  }

  /** The events behind that seq that have been read already. */
  get ahead(): readonly ChatEvent[] {
    const next = this.position + 1;
    return this.#page[0]?.seq === next ? this.#page : this.feed.recentFrom(next);
  }

  /** Looks whether the chat is gone. */
  look(): Promise<void> {
    return this.feed.look();
  }

  /** Leaves out what is not behind a seq, because somebody has seen all that. */
  skipTo(seq: number): void {
    this.following.position = Math.max(this.following.position, seq);
  }

  async next(): Promise<IteratorResult<ChatEvent, undefined>> {
    const { feed, following } = this;
    while (!this.#isDone && !this.#isFarEnough()) {
      if (feed.loss !== null) {
        await this.return();
        throw feed.loss;
      }
      const seq = following.position + 1;
      if (seq <= feed.position) {
        const event = feed.recent(seq) ?? (await this.#older(seq));
        if (event !== undefined) return this.#handOut(event);
        // Gone while it was looked for: the feed has ended.
      }
      if (feed.end !== null) {
        if (following.isOver) break;
        following.isOver = true;
        return this.#handOut(feed.end);
      }
      await this.#news();
    }
    return this.return();
  }

  return(): Promise<IteratorResult<ChatEvent, undefined>> {
    if (!this.#isDone) {
      this.#isDone = true;
      this.#stopWaiting?.();
      this.feed.readers.delete(this.following);
      this.release();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  #isFarEnough(): boolean {
    const { until, position } = this.following;
    return until !== undefined && position >= (until()?.position ?? this.feed.position);
  }

  async #older(seq: number): Promise<ChatEvent | undefined> {
    if (this.#page[0]?.seq !== seq) this.#page = await this.feed.eventsAfter(seq - 1);
    return this.#page.shift();
  }

  #handOut(event: ChatEvent): IteratorResult<ChatEvent, undefined> {
    // Who has left while it was being read gets nothing more.
    if (this.#isDone) return { done: true, value: undefined };
    this.following.position = event.seq;
    return { done: false, value: event };
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      const forget = this.feed.onNews(resolve);
      this.#stopWaiting = () => {
        forget();
        resolve();
      };
    });
  }
}
