import type { ChatEvent } from '../conversation/model.js';
import type { ChatFeed } from './chat-feed.js';
import type { Following } from './following.js';
import { Stream, type StreamItem } from './subscribable.js';

/**
 * The events of a chat after a seq, then new ones as they come. A slow subscriber reads the log again and costs no memory.
 * Ends after ChatDeleted; only that event can follow a gap, because the log is deleted with its chat.
 */
export class LogStream extends Stream<ChatEvent, ChatFeed> {
  #page: ChatEvent[] = [];

  /** @param leave called once, when the stream ends */
  constructor(feed: ChatFeed, following: Following, leave: () => void) {
    super(feed, following, () => {
      feed.readers.delete(following);
      leave();
    });
    feed.readers.add(following);
  }

  /** The seq of the newest known event. */
  get newest(): number {
    return this.source.position;
  }

  /** Whether the chat is deleted. */
  get isEnding(): boolean {
    return this.source.end !== null;
  }

  /** The next events that are already read. */
  get ahead(): readonly ChatEvent[] {
    const { position } = this.following;
    return this.#page[0]?.seq === position + 1 ? this.#page : this.source.recent.after(position);
  }

  /** Reads whether the chat is deleted. */
  refresh(): Promise<void> {
    return this.source.refresh();
  }

  protected async take(): Promise<StreamItem<ChatEvent> | undefined> {
    const { source: feed, following } = this;
    const { position } = following;
    if (position < feed.position) {
      const event = feed.recent.next(position) ?? (await this.#older(position));
      if (event !== undefined) return { value: event, place: { position: event.seq } };
      // The log was deleted during the read: the feed has ended.
    }
    if (feed.end === null) return undefined;
    following.isOver = true;
    return { value: feed.end, place: { position: feed.end.seq } };
  }

  async #older(position: number): Promise<ChatEvent | undefined> {
    if (this.#page[0]?.seq !== position + 1) this.#page = await this.source.eventsAfter(position);
    return this.#page.shift();
  }
}
