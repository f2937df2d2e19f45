/**
 * The known length and state changes of a draft, shared by all its subscribers in this process, so that each chunk is read
 * once.
 */
import type { DraftIdentity, DraftPiece, DraftStanding, DraftState } from '../draft.js';
import type { DraftReads } from '../draft-reads.js';
import type { StreamPosition } from '../../../events/following.js';
import { Subscribable } from '../../../events/subscribable.js';
import { DraftPages, PAGE_BYTES, type DraftPage } from './draft-pages.js';

/** Pieces per read, unless they exceed a page. */
const MAX_PIECES = 200;

/** A state change of a draft. */
export type DraftMark =
  | { readonly kind: 'stopping'; readonly requestedBy: string }
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'finished'; readonly messageId: string; readonly branchId: string | null }
  | { readonly kind: 'discarded' };

/** A state of a draft that was read. */
export interface DraftSnapshot {
  draft: DraftStanding;
  state: DraftState;
}

/** The position and number of a mark. */
export type NotedMark = DraftMark & {
  /** The number of chunks before it. */
  readonly at: number;
  readonly number: number;
};

/** The number of the newest mark of any feed, so that numbers of a later feed of the draft increase. */
let newestMark = 0;

export interface DraftFeedOptions {
  chatId: string;
  id: string;
  /** Its first known state. */
  first: DraftSnapshot | DraftMark;
  pieces: DraftReads['draftPieces'];
  /** Called when fewer chunks are stored than notified: the draft may be deleted. */
  onMissing: () => void;
  /** Handles a failed read. */
  onError: (error: unknown) => void;
}

/** Its position is the number of chunks that were read, or stored before the first subscriber. */
export class DraftFeed extends Subscribable {
  /** In the order of their detection. */
  readonly #marks: NotedMark[] = [];
  /** Null for an ended draft without stored chunks. */
  readonly #identity: DraftIdentity | null;
  #notified: number;
  #seen: DraftSnapshot | DraftMark | null;
  readonly #pages: DraftPages;
  #isReading = false;

  constructor(private readonly options: DraftFeedOptions) {
    const { first } = options;
    const draft = 'draft' in first ? first.draft : null;
    super(draft?.length);
    this.#identity = draft;
    this.#notified = this.position;
    this.#seen = first;
    this.#pages = new DraftPages((after) => this.#piecesAfter(after));
    this.#note();
  }

  /** The id of the draft. */
  get of(): { chatId: string; id: string } {
    return { chatId: this.options.chatId, id: this.options.id };
  }

  override get place(): StreamPosition {
    return { position: this.position, mark: this.#marks.at(-1)?.number ?? 0 };
  }

  /** The first mark after a number. */
  markAfter(mark: number): NotedMark | undefined {
    return this.#marks.find(({ number }) => number > mark);
  }

  /** The start of the draft, which identifies it: ids can be reused. Undefined for an ended draft without stored chunks. */
  get startedAt(): number | undefined {
    return this.#identity?.startedAt;
  }

  /** Whether it has ended and all subscribers have been notified. */
  get hasEnded(): boolean {
    const last = this.#marks.at(-1)?.kind;
    return last === 'finished' || last === 'discarded';
  }

  /** Notes a notified length. @param piece the newest piece, if known */
  wake(length: number, piece?: DraftPiece): void {
    if (piece?.startOffset === this.position && !this.#isReading && this.followers > 0) {
      this.#pages.append(piece);
      this.#grow(piece.endOffset);
    }
    this.#notified = Math.max(this.#notified, length);
    void this.#read();
  }

  /** Notes a state that was read. */
  update(snapshot: DraftSnapshot): void {
    this.#notified = Math.max(this.#notified, snapshot.draft.length);
    this.#seen = snapshot;
    void this.#read();
  }

  /** Notes that the draft is deleted. */
  end(mark: DraftMark): void {
    this.#notified = this.position;
    this.#seen = mark;
    void this.#read();
  }

  /**
   * The page with the chunk at an offset; null when that chunk is deleted.
   * @throws DatabaseUnavailableError
   */
  pageAt(offset: number): Promise<DraftPage | null> {
    return this.#pages.at(offset);
  }

  /** Drops the pages kept for subscribers. */
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
      while (!this.hasEnded && (this.#notified > this.position || this.#seen !== null)) {
        if (this.#notified <= this.position) this.#note();
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
    const notified = this.#notified;
    const page = await this.pageAt(this.position);
    if (page !== null) {
      this.#grow(page.length);
    } else if (this.#notified === notified) {
      // A notified length may be wrong.
      this.#notified = this.position;
      this.options.onMissing();
    }
  }

  #grow(length: number): void {
    this.position = length;
    this.notify();
  }

  /** Skips new chunks, without subscribers. */
  #skip(): void {
    this.position = this.#notified;
    this.clear();
  }

  /** Notes a state after all chunks before it are read. */
  #note(): void {
    const seen = this.#seen;
    this.#seen = null;
    if (seen === null) return;
    const marks = 'draft' in seen ? this.#marksOf(seen) : [seen];
    for (const mark of marks) this.#marks.push({ ...mark, at: this.position, number: ++newestMark });
    if (marks.length > 0) this.notify();
  }

  #marksOf({ draft, state }: DraftSnapshot): DraftMark[] {
    const { stoppedBy, endedAt, messageId, branchId } = draft;
    const marks: DraftMark[] = [];
    const isStopping = this.#marks.some(({ kind }) => kind === 'stopping');
    if (stoppedBy !== null && !isStopping) marks.push({ kind: 'stopping', requestedBy: stoppedBy });
    // A draft that was continued and abandoned again has grown.
    const isAbandoned = this.#marks.some(({ kind, at }) => kind === 'abandoned' && at === this.position);
    if (endedAt === null && state === 'ABANDONED' && !isAbandoned) marks.push({ kind: 'abandoned' });
    if (endedAt !== null) {
      marks.push(messageId === null ? { kind: 'discarded' } : { kind: 'finished', messageId, branchId });
    }
    return marks;
  }
}

/** The feed of an ended draft without stored chunks. */
export function endedFeed(of: { chatId: string; id: string }, first: DraftMark): DraftFeed {
  return new DraftFeed({ ...of, first, pieces: () => Promise.resolve([]), onMissing: () => {}, onError: () => {} });
}
