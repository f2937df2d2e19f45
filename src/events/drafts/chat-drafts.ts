/** The drafts of a chat as this process knows them: who follows one goes along its feed, who follows all along the notices. */
import { draftState, type DraftStanding, type DraftPiece, type DraftState } from '../../conversation/drafts/draft.js';
import type { DraftReads } from '../../conversation/drafts/draft-reads.js';
import { RecentItems } from '../recent-items.js';
import { Subscribable } from '../subscribable.js';
import { DraftFeed } from './draft-feed.js';

/** That a draft has begun or ended. */
export interface DraftNotice {
  readonly chatId: string;
  readonly number: number;
  readonly draftId: string;
  readonly state: 'STARTED' | 'FINISHED' | 'DISCARDED' | 'ABANDONED';
  /** Whether it has not ended. */
  readonly isThere: boolean;
  /** The message that it became. */
  readonly messageId: string | null;
}

/** The number of the newest notice of any chat: those of a chat that is followed anew are behind all that it had before. */
let newestNotice = 0;

/** A piece that was written in this process, and its draft. */
export interface Growth {
  draft: DraftStanding;
  piece: DraftPiece;
}

export interface ChatDraftsOptions {
  chatId: string;
  /** How its drafts stand; null: the chat is gone. */
  standing: () => Promise<readonly DraftStanding[] | null>;
  pieces: DraftReads['draftPieces'];
  /** Takes what keeps it from reading. */
  onError: (error: unknown) => void;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** Its subscribers are those of all its drafts, and its position is the number of the newest notice. */
export class ChatDrafts extends Subscribable {
  /** Whether the chat is gone. */
  isOver = false;
  readonly #notices: RecentItems<DraftNotice>;
  readonly #feeds = new Map<string, DraftFeed>();
  /** How each draft was when it was last seen; null for one that has ended. */
  readonly #known = new Map<string, { startedAt: number; state: DraftState | null; branchId: string }>();
  #drafts: readonly DraftStanding[] = [];
  #isOpen = false;
  #look: Promise<void> | null = null;
  #isLookWanted = false;

  constructor(private readonly options: ChatDraftsOptions) {
    super(++newestNotice);
    this.#notices = new RecentItems(({ number }) => number, this.position);
  }

  get chatId(): string {
    return this.options.chatId;
  }

  /** Those that have not ended. */
  get drafts(): readonly DraftStanding[] {
    return this.#drafts.filter(({ endedAt }) => endedAt === null);
  }

  /** A draft as it was last seen, maybe one that has ended. */
  draft(id: string): DraftStanding | undefined {
    return this.#drafts.find((each) => each.id === id);
  }

  /** The feed of a draft, which is made of what was last seen; null when there is none. */
  feed(id: string): DraftFeed | null {
    const there = this.#feeds.get(id);
    if (there !== undefined) return there;
    const draft = this.draft(id);
    if (draft === undefined) return null;
    const { chatId, now, pieces, onError } = this.options;
    const first = { draft, state: draftState(draft, now()) };
    const feed = new DraftFeed({ chatId, id, first, pieces, onMissing: () => this.#lookSoon(), onError });
    this.#feeds.set(id, feed);
    return feed;
  }

  /** The first notice after a number, if it is kept. */
  noticeAfter(number: number): DraftNotice | undefined {
    return this.#notices.next(number);
  }

  /**
   * A draft has grown to a length; null says that something else has happened to it.
   * @param grown which draft it is, and what it has grown by, where that is at hand
   */
  wake(draftId: string, length: number | null, grown?: Growth): void {
    const state = this.#known.get(draftId)?.state;
    const isKnown = state === 'WRITING' || state === 'STOPPING';
    const feed = this.#feeds.get(draftId);
    const isAnother = grown !== undefined && feed !== undefined && feed.startedAt !== grown.draft.startedAt;
    if (length !== null && isKnown && !isAnother) feed?.wake(length, grown?.piece);
    else this.#lookSoon();
  }

  /**
   * Looks at the chat's drafts. Whoever asks during a look gets one that begins behind it: none is taken for newer than it is.
   * @throws DatabaseUnavailableError
   */
  look(): Promise<void> {
    this.#isLookWanted = true;
    this.#look ??= this.#lookAgain();
    return this.#look;
  }

  #lookSoon(): void {
    this.look().catch(this.options.onError);
  }

  #seeAll(drafts: readonly DraftStanding[] | null): void {
    if (this.isOver) return;
    const now = this.options.now();
    for (const draft of drafts ?? []) this.#see(draft, now);
    const ids = new Set(drafts?.map(({ id }) => id));
    for (const [id, { state }] of this.#known) {
      if (ids.has(id)) continue;
      this.#known.delete(id);
      this.#feeds.get(id)?.end({ kind: 'discarded' });
      this.#feeds.delete(id);
      if (state !== null) this.#tell(id, 'DISCARDED', null);
    }
    this.#drafts = drafts ?? [];
    this.#isOpen = true;
    this.isOver = drafts === null;
    if (this.isOver) this.notify();
  }

  /** Drops what is kept for followers: the last of them has left. */
  clear(): void {
    for (const feed of this.#feeds.values()) feed.clear();
  }

  override lose(error: Error): void {
    for (const feed of this.#feeds.values()) feed.lose(error);
    super.lose(error);
  }

  async #lookAgain(): Promise<void> {
    try {
      while (this.#isLookWanted) {
        this.#isLookWanted = false;
        this.#seeAll(await this.options.standing());
      }
    } finally {
      // In the same moment as the last look at what is wanted: whoever asks later begins another one.
      this.#look = null;
    }
  }

  #see(draft: DraftStanding, now: number): void {
    const { id, startedAt, branchId } = draft;
    const state = draft.endedAt === null ? draftState(draft, now) : null;
    const known = this.#known.get(id);
    const isAnother = known !== undefined && known.startedAt !== startedAt;
    this.#known.set(id, { startedAt, state, branchId });
    if (isAnother) {
      // The one before was discarded.
      this.#feeds.get(id)?.end({ kind: 'discarded' });
      this.#feeds.delete(id);
      if (known.state !== null) this.#tell(id, 'DISCARDED', null);
    }
    const before = isAnother ? undefined : known?.state;
    this.#feeds.get(id)?.see({ draft, state: state ?? 'WRITING' });
    if (!this.#isOpen) return;
    if (state === null) {
      if (before !== null) this.#tell(id, draft.messageId === null ? 'DISCARDED' : 'FINISHED', draft);
    } else if (state === 'ABANDONED') {
      if (before !== 'ABANDONED') this.#tell(id, 'ABANDONED', draft);
    } else if (before == null || before === 'ABANDONED' || known?.branchId !== branchId) {
      this.#tell(id, 'STARTED', draft);
    }
  }

  #tell(draftId: string, state: DraftNotice['state'], draft: DraftStanding | null): void {
    this.#notices.push({
      chatId: this.chatId,
      number: (this.position = ++newestNotice),
      draftId,
      state,
      isThere: draft !== null && draft.endedAt === null,
      messageId: draft?.messageId ?? null,
    });
    this.notify();
  }
}
