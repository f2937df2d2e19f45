/**
 * A draft as this process knows it: how far it goes, and what has happened to it besides. All who follow the draft go along
 * it, so that a chunk is read once, however many are waiting for it.
 */
import type { DraftIdentity, DraftPiece, DraftStanding, DraftState } from '../../conversation/drafts/draft.js';
import type { DraftReads } from '../../conversation/drafts/draft-reads.js';
import type { Place } from '../following.js';
import { Subscribable } from '../subscribable.js';
import { DraftPages, PAGE_BYTES, type DraftPage } from './draft-pages.js';

/** Pieces that are read at once, unless they are larger than a page. */
const MAX_PIECES = 200;

/** What happens to a draft besides its growing. */
export type DraftMark =
  | { readonly kind: 'stopping'; readonly requestedBy: string }
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'finished'; readonly messageId: string; readonly branchId: string | null }
  | { readonly kind: 'discarded' };

/** How a draft was seen to stand. */
export interface DraftSight {
  draft: DraftStanding;
  state: DraftState;
}

/** Where and when a mark was noted. */
export type NotedMark = DraftMark & {
  /** Behind so many chunks. */
  readonly at: number;
  readonly number: number;
};

/** The number of the newest mark of any feed: whoever has gone along another feed of a draft lacks nothing of this one. */
let newestMark = 0;

export interface DraftFeedOptions {
  chatId: string;
  id: string;
  /** As it was seen first. */
  first: DraftSight | DraftMark;
  pieces: DraftReads['draftPieces'];
  /** To be told when there is less than was heard of: the draft may be gone. */
  onMissing: () => void;
  /** Takes what keeps it from reading. */
  onError: (error: unknown) => void;
}

/** Its position is the number of chunks that it has read, or that were stored before the first subscriber. */
export class DraftFeed extends Subscribable {
  /** In the order in which they were seen, each behind so many chunks. */
  readonly #marks: NotedMark[] = [];
  /** Null for one of which nothing is kept. */
  readonly #identity: DraftIdentity | null;
  #heard: number;
  #seen: DraftSight | DraftMark | null;
  readonly #pages: DraftPages;
  #isReading = false;

  constructor(private readonly options: DraftFeedOptions) {
    const { first } = options;
    const draft = 'draft' in first ? first.draft : null;
    super(draft?.length);
    this.#identity = draft;
    this.#heard = this.position;
    this.#seen = first;
    this.#pages = new DraftPages((after) => this.#piecesAfter(after));
    this.#note();
  }

  /** Of what draft. */
  get of(): { chatId: string; id: string } {
    return { chatId: this.options.chatId, id: this.options.id };
  }

  override get place(): Place {
    return { position: this.position, mark: this.#marks.at(-1)?.number ?? 0 };
  }

  /** The first mark after the mark of a number. */
  markAfter(mark: number): NotedMark | undefined {
    return this.#marks.find(({ number }) => number > mark);
  }

  /** When its draft began: another one of the same id has another time. Undefined for one of which nothing is kept. */
  get startedAt(): number | undefined {
    return this.#identity?.startedAt;
  }

  /** Whether it has ended, and that is known to all who follow it. */
  get hasEnded(): boolean {
    const last = this.#marks.at(-1)?.kind;
    return last === 'finished' || last === 'discarded';
  }

  /** Somebody has heard of a length. @param piece the last of it, where that is at hand */
  wake(length: number, piece?: DraftPiece): void {
    if (piece?.startOffset === this.position && !this.#isReading && this.followers > 0) {
      this.#pages.append(piece);
      this.#grow(piece.endOffset);
    }
    this.#heard = Math.max(this.#heard, length);
    void this.#read();
  }

  /** Somebody has looked. */
  see(sight: DraftSight): void {
    this.#heard = Math.max(this.#heard, sight.draft.length);
    this.#seen = sight;
    void this.#read();
  }

  /** It is not there any more. */
  end(mark: DraftMark): void {
    this.#heard = this.position;
    this.#seen = mark;
    void this.#read();
  }

  /**
   * The page with the chunk at an offset; null when that chunk is not stored any more.
   * @throws DatabaseUnavailableError
   */
  pageAt(offset: number): Promise<DraftPage | null> {
    return this.#pages.at(offset);
  }

  /** Drops the pages that are kept for followers. */
  clear(): void {
    this.#pages.clear();
  }

  #piecesAfter(length: number): Promise<readonly DraftPiece[]> {
    if (this.#identity === null) return Promise.resolve([]);
    return this.options.pieces(this.#identity, length, MAX_PIECES, PAGE_BYTES);
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (!this.hasEnded && (this.#heard > this.position || this.#seen !== null)) {
        if (this.#heard <= this.position) this.#note();
        else if (this.followers === 0) this.#skip();
        else await this.#readOn();
      }
    } catch (error) {
      this.options.onError(error);
    } finally {
      this.#isReading = false;
    }
  }

  async #readOn(): Promise<void> {
    const heard = this.#heard;
    const page = await this.pageAt(this.position);
    if (page !== null) {
      this.#grow(page.length);
    } else if (this.#heard === heard) {
      // A bus may tell what is not so.
      this.#heard = this.position;
      this.options.onMissing();
    }
  }

  #grow(length: number): void {
    this.position = length;
    this.notify();
  }

  /** Nobody here wants to know what it has grown by. */
  #skip(): void {
    this.position = this.#heard;
    this.clear();
  }

  /** Notes what was seen, when all chunks that came before it have been read. */
  #note(): void {
    const seen = this.#seen;
    this.#seen = null;
    if (seen === null) return;
    const marks = 'draft' in seen ? this.#marksOf(seen) : [seen];
    for (const mark of marks) this.#marks.push({ ...mark, at: this.position, number: ++newestMark });
    if (marks.length > 0) this.notify();
  }

  /** What is new. */
  #marksOf({ draft, state }: DraftSight): DraftMark[] {
    const { stoppedBy, endedAt, messageId, branchId } = draft;
    const marks: DraftMark[] = [];
    const isStopping = this.#marks.some(({ kind }) => kind === 'stopping');
    if (stoppedBy !== null && !isStopping) marks.push({ kind: 'stopping', requestedBy: stoppedBy });
    // One that was taken up again, and left again, has grown.
    const isAbandoned = this.#marks.some(({ kind, at }) => kind === 'abandoned' && at === this.position);
    if (endedAt === null && state === 'ABANDONED' && !isAbandoned) marks.push({ kind: 'abandoned' });
    if (endedAt !== null) {
      marks.push(messageId === null ? { kind: 'discarded' } : { kind: 'finished', messageId, branchId });
    }
    return marks;
  }
}

/** The feed of a draft that ended before, of which nothing is kept. */
export function endedFeed(of: { chatId: string; id: string }, first: DraftMark): DraftFeed {
  return new DraftFeed({ ...of, first, pieces: () => Promise.resolve([]), onMissing: () => {}, onError: () => {} });
}
