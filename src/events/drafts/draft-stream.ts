import { isAfter, placeOf, type Following, type Place } from '../log-stream.js';
import type { DraftFeed, DraftMark } from './draft-feed.js';

/** What somebody who follows a draft is told. */
export type DraftUpdate = { readonly chatId: string; readonly id: string; readonly length: number } & (
  DraftGrowth | DraftMark
);

/** The chunks between two lengths. An update that waits keeps none of them: they are taken when its answer is made. */
export interface DraftGrowth {
  readonly kind: 'chunks';
  readonly offset: number;
  /**
   * @param take called with the bytes of each part before it is taken
   * @returns null when the chunks are not stored any more
   * @throws DatabaseUnavailableError, and what `take` throws
   */
  readonly chunks: (take?: (bytes: number) => void) => Promise<unknown[] | null>;
}

/**
 * The chunks of a draft behind a place and what has happened to it besides, one after the other, and then as they come. Ends
 * behind what became of the draft.
 *
 * Not a generator: return() of one that waits would wait, too.
 */
export class DraftStream implements AsyncIterableIterator<DraftUpdate> {
  #isDone = false;
  #stopWaiting: (() => void) | null = null;

  constructor(
    private readonly feed: DraftFeed,
    /** Where it is: its position is a number of chunks. */
    private readonly following: Following,
    /** Called once, when nothing more will be asked of the feed. */
    private readonly release: () => void,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<DraftUpdate, undefined>> {
    const { feed, following } = this;
    while (!this.#isDone && !following.isOver && !this.#isFarEnough()) {
      if (feed.loss !== null) {
        await this.return();
        throw feed.loss;
      }
      const { position: length, mark: passed } = placeOf(following);
      const mark = feed.markAfter(passed);
      // Exactly to where the others are: what comes next is told to all of them at once.
      const others = following.until?.();
      const end = Math.min(mark?.at ?? feed.length, feed.length, others?.position ?? Infinity);
      if (length < end) {
        const update = await this.#growth(length, end);
        if (update !== null) return this.#handOut(update, { position: update.length, mark: passed });
        // Gone while they were looked for: the feed will hear of it.
        if (mark === undefined) await this.#news();
        else following.position = end;
      } else if (mark !== undefined && mark.at <= length) {
        const { at: _at, number, ...told } = mark;
        following.isOver = mark.kind === 'finished' || mark.kind === 'discarded';
        return this.#handOut({ ...feed.of, ...told, length }, { position: length, mark: number });
      } else {
        await this.#news();
      }
    }
    return this.return();
  }

  return(): Promise<IteratorResult<DraftUpdate, undefined>> {
    if (!this.#isDone) {
      this.#isDone = true;
      this.#stopWaiting?.();
      this.release();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  #isFarEnough(): boolean {
    const { until } = this.following;
    return until !== undefined && !isAfter(until() ?? this.feed.place, placeOf(this.following));
  }

  /** The growth from one length to the end of its page, at most to another length; null when it is not stored any more. */
  async #growth(from: number, to: number): Promise<Extract<DraftUpdate, DraftGrowth> | null> {
    const { feed } = this;
    const page = await feed.pageAt(from);
    if (page === null) return null;
    const length = Math.min(page.length, to);
    return { ...feed.of, kind: 'chunks', offset: from, length, chunks: (take) => chunksOf(feed, from, length, take) };
  }

  #handOut(update: DraftUpdate, place: Place): IteratorResult<DraftUpdate, undefined> {
    // Who has left while it was being read gets nothing more.
    if (this.#isDone) return { done: true, value: undefined };
    Object.assign(this.following, place);
    return { done: false, value: update };
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

/** The chunks from one length to another. The pages may begin and end elsewhere by now. */
async function chunksOf(feed: DraftFeed, from: number, to: number, take?: (bytes: number) => void) {
  const chunks: unknown[] = [];
  for (let length = from; length < to;) {
    const page = await feed.pageAt(length);
    if (page === null) return null;
    take?.(page.bytes);
    for (const chunk of page.chunks.slice(length - page.offset, to - page.offset)) chunks.push(chunk);
    length = page.length;
  }
  return chunks;
}
