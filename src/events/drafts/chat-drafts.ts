/** The drafts of a chat as this process knows them: who follows one goes along its feed, who follows all along the notices. */
import { draftState, type Draft, type DraftPiece, type DraftState } from '../../conversation/drafts/draft.js';
import type { DraftReads } from '../../conversation/drafts/draft-reads.js';
import { DraftFeed } from './draft-feed.js';

/** That a draft has begun or ended. */
export interface DraftNotice {
  readonly chatId: string;
  readonly number: number;
  readonly draftId: string;
  readonly state: 'STARTED' | 'FINISHED' | 'DISCARDED' | 'ABANDONED';
  /** While it is there. */
  readonly draft: Draft | null;
  /** The message that it became. */
  readonly messageId: string | null;
}

/** Notices that are kept for those who have yet to be told. */
const KEPT = 512;

export interface ChatDraftsOptions {
  chatId: string;
  /** How its drafts stand; null: the chat is gone. */
  standing: () => Promise<readonly Draft[] | null>;
  pieces: DraftReads['draftPieces'];
  /** Takes what keeps it from reading. */
  onError: (error: unknown) => void;
  /** Milliseconds since 1970. */
  now: () => number;
}

export class ChatDrafts {
  /** How many follow the chat's drafts, or one of them. */
  followers = 0;
  loss: Error | null = null;
  /** Whether the chat is gone. */
  isOver = false;
  /** The number of the newest notice. */
  position = 0;
  #notices: DraftNotice[] = [];
  readonly #feeds = new Map<string, DraftFeed>();
  /** How each draft was when it was last seen; null for one that has ended. */
  readonly #known = new Map<string, DraftState | null>();
  #drafts: readonly Draft[] = [];
  #isOpen = false;
  #look: Promise<void> | null = null;
  #isLookWanted = false;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly options: ChatDraftsOptions) {}

  get chatId(): string {
    return this.options.chatId;
  }

  /** Those that have not ended. */
  get drafts(): readonly Draft[] {
    return this.#drafts.filter(({ endedAt }) => endedAt === null);
  }

  /** A draft as it was last seen, maybe one that has ended. */
  draft(id: string): Draft | undefined {
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

  /** The notice behind a number, if it is kept. */
  noticeBehind(position: number): DraftNotice | undefined {
    return this.#notices[position - (this.position - this.#notices.length)];
  }

  /** A draft has grown to a length; null says that something else has happened to it. */
  wake(draftId: string, length: number | null, piece?: DraftPiece): void {
    const isKnown = this.#known.get(draftId) === 'WRITING' || this.#known.get(draftId) === 'STOPPING';
    if (length !== null && isKnown) this.#feeds.get(draftId)?.wake(length, piece);
    else this.#lookSoon();
  }

  /**
   * Looks at the chat's drafts. Whoever asks during a look gets one that begins behind it: none is taken for newer than it is.
   * @throws DatabaseUnavailableError
   */
  look(): Promise<void> {
    this.#isLookWanted = true;
    this.#look ??= this.#lookAgain().finally(() => (this.#look = null));
    return this.#look;
  }

  #lookSoon(): void {
    this.look().catch(this.options.onError);
  }

  #seeAll(drafts: readonly Draft[] | null): void {
    if (this.isOver) return;
    const now = this.options.now();
    for (const draft of drafts ?? []) this.#see(draft, now);
    const ids = new Set(drafts?.map(({ id }) => id));
    for (const [id, state] of this.#known) {
      if (ids.has(id)) continue;
      this.#known.delete(id);
      this.#feeds.get(id)?.end({ kind: 'discarded' });
      this.#feeds.delete(id);
      if (state !== null) this.#tell(id, 'DISCARDED', null);
    }
    this.#drafts = drafts ?? [];
    this.#isOpen = true;
    this.isOver = drafts === null;
    if (this.isOver) this.#wakeAll();
  }

  lose(error: Error): void {
    this.loss = error;
    for (const feed of this.#feeds.values()) feed.lose(error);
    this.#wakeAll();
  }

  /** Calls back once when there is news, unless it is told not to. */
  onNews(callback: () => void): () => void {
    this.#waiting.add(callback);
    return () => this.#waiting.delete(callback);
  }

  async #lookAgain(): Promise<void> {
    while (this.#isLookWanted) {
      this.#isLookWanted = false;
      this.#seeAll(await this.options.standing());
    }
  }

  #see(draft: Draft, now: number): void {
    const { id } = draft;
    const state = draft.endedAt === null ? draftState(draft, now) : null;
    const before = this.#known.get(id);
    this.#known.set(id, state);
    if (draft.endedAt === null && before === null) {
      // Discarded, and begun again under the same id.
      this.#feeds.get(id)?.end({ kind: 'discarded' });
      this.#feeds.delete(id);
    }
    this.#feeds.get(id)?.see({ draft, state: state ?? 'WRITING' });
    if (!this.#isOpen) return;
    if (state === null) {
      if (before !== null) this.#tell(id, draft.messageId === null ? 'DISCARDED' : 'FINISHED', draft);
    } else if (state === 'ABANDONED') {
      if (before !== 'ABANDONED') this.#tell(id, 'ABANDONED', draft);
    } else if (before == null || before === 'ABANDONED') {
      this.#tell(id, 'STARTED', draft);
    }
  }

  #tell(draftId: string, state: DraftNotice['state'], draft: Draft | null): void {
    const isThere = draft !== null && draft.endedAt === null;
    this.#notices.push({
      chatId: this.chatId,
      number: ++this.position,
      draftId,
      state,
      draft: isThere ? draft : null,
      messageId: draft?.messageId ?? null,
    });
    if (this.#notices.length > 2 * KEPT) this.#notices = this.#notices.slice(-KEPT);
    this.#wakeAll();
  }

  #wakeAll(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of waiting) callback();
  }
}
