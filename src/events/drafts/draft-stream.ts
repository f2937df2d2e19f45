import { chunksOf } from '../../conversation/drafts/chunks.js';
import type { DraftPiece } from '../../conversation/drafts/draft.js';
import type { Following } from '../log-stream.js';
import { lengthAt, markAt, placeOf, type DraftFeed, type DraftMark } from './draft-feed.js';

/** What somebody who follows a draft is told. */
export type DraftUpdate = { readonly chatId: string; readonly id: string; readonly length: number } & (
  { readonly kind: 'chunks'; readonly offset: number; readonly chunks: readonly unknown[] } | DraftMark
);

/** How much goes into one update of a client that has to catch up, in characters of JSON, about. */
const LONG = 64 * 1024;

/**
 * The chunks of a draft behind a place and what has happened to it besides, one after the other, and then as they come. Ends
 * behind what became of the draft.
 *
 * Not a generator: return() of one that waits would wait, too.
 */
export class DraftStream implements AsyncIterableIterator<DraftUpdate> {
  #page: readonly DraftPiece[] = [];
  #isDone = false;
  #stopWaiting: (() => void) | null = null;

  constructor(
    private readonly feed: DraftFeed,
    /** Where it is: a place, see draft-feed.ts. */
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
      const length = lengthAt(following.position);
      const passed = markAt(following.position);
      const mark = feed.markBehind(following.position);
      // Exactly to where the others are: what comes next is told to all of them at once.
      const others = following.until?.() ?? null;
      const end = Math.min(mark?.at ?? feed.length, feed.length, others === null ? Infinity : lengthAt(others));
      if (length < end) {
        const update = await this.#chunks(length, end);
        if (update !== null) return this.#handOut(update, placeOf(update.length, passed));
        // Gone while they were looked for: the feed will hear of it.
        if (mark === undefined) await this.#news();
        else following.position = placeOf(end, passed);
      } else if (mark !== undefined && mark.at <= length) {
        const { at: _at, number, ...told } = mark;
        following.isOver = mark.kind === 'finished' || mark.kind === 'discarded';
        return this.#handOut({ ...feed.of, ...told, length }, placeOf(length, number));
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
    const { until, position } = this.following;
    return until !== undefined && position >= (until() ?? this.feed.place);
  }

  /** Some of the chunks from one length up to another; null when they are not there. */
  async #chunks(from: number, to: number) {
    let pieces: readonly DraftPiece[] = this.feed.recentFrom(from);
    if (pieces.length === 0) {
      if (this.#page[0]?.startOffset !== from) this.#page = await this.feed.piecesAfter(from);
      pieces = this.#page;
    }
    // What is kept of one that has ended goes from its beginning on.
    if ((pieces[0]?.startOffset ?? from) > from) return null;
    const taken: DraftPiece[] = [];
    for (let size = 0, n = 0; n < pieces.length && size < LONG; n++) {
      const piece = pieces[n];
      if (piece === undefined || piece.startOffset >= to) break;
      taken.push(piece);
      size += piece.chunks.length;
    }
    if (pieces === this.#page) this.#page = this.#page.slice(taken.length);
    const length = Math.min(taken.at(-1)?.endOffset ?? from, to);
    if (length === from) return null;
    const chunks = chunksOf(taken, from).slice(0, length - from);
    return { ...this.feed.of, kind: 'chunks' as const, offset: from, chunks, length };
  }

  #handOut(update: DraftUpdate, place: number): IteratorResult<DraftUpdate, undefined> {
    // Who has left while it was being read gets nothing more.
    if (this.#isDone) return { done: true, value: undefined };
    this.following.position = place;
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
