/** The known drafts of a chat. Subscribers of one draft read its feed, subscribers of all drafts the notices. */
import { draftState, type DraftStanding, type DraftState, type Growth } from '../draft.js';
import type { DraftReads } from '../draft-reads.js';
import { RecentItems } from '../../../events/recent-items.js';
import { Subscribable, Stream, type StreamItem } from '../../../events/subscribable.js';
import { DraftFeed } from './draft-feed.js';
import { TooSlowError } from '../../../conversation/errors.js';
import type { Following } from '../../../events/following.js';

/** A draft has begun or ended. */
export interface DraftNotice {
  readonly chatId: string;
  readonly number: number;
  readonly draftId: string;
  readonly state: 'STARTED' | 'FINISHED' | 'DISCARDED' | 'ABANDONED';
  /** Whether it has not ended. */
  readonly isThere: boolean;
  /** The id of its message. */
  readonly messageId: string | null;
}

/** The number of the newest notice of any chat, so that numbers of a chat that is followed again increase. */
let newestNotice = 0;

export interface ChatDraftsOptions {
  chatId: string;
  /** Reads the states of the drafts; null for a deleted chat. */
  standing: () => Promise<readonly DraftStanding[] | null>;
  pieces: DraftReads['draftPieces'];
  /** Handles a failed read. */
  onError: (error: unknown) => void;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** Its subscribers are those of all its drafts, and its position is the number of the newest notice. */
export class ChatDrafts extends Subscribable {
  /** Whether the chat is deleted. */
  isOver = false;
  readonly #notices: RecentItems<DraftNotice>;
  readonly #feeds = new Map<string, DraftFeed>();
  /** The last known state of each draft; null after its end. */
  readonly #known = new Map<string, { startedAt: number; state: DraftState | null; branchId: string }>();
  #drafts: readonly DraftStanding[] = [];
  #isOpen = false;
  #refresh: Promise<void> | null = null;
  #isRefreshWanted = false;

  constructor(private readonly options: ChatDraftsOptions) {
    super(++newestNotice);
    this.#notices = new RecentItems(({ number }) => number, this.position);
  }

  get chatId(): string {
    return this.options.chatId;
  }

  /** The open drafts. */
  get drafts(): readonly DraftStanding[] {
    return this.#drafts.filter(({ endedAt }) => endedAt === null);
  }

  /** The last known state of a draft, open or ended. */
  draft(id: string): DraftStanding | undefined {
    return this.#drafts.find((each) => each.id === id);
  }

  /** The feed of a draft, created from its last known state; null for an unknown draft. */
  feed(id: string): DraftFeed | null {
    const there = this.#feeds.get(id);
    if (there !== undefined) return there;
    const draft = this.draft(id);
    if (draft === undefined) return null;
    const { chatId, now, pieces, onError } = this.options;
    const first = { draft, state: draftState(draft, now()) };
    const feed = new DraftFeed({ chatId, id, first, pieces, onMissing: () => this.#refreshSoon(), onError });
    this.#feeds.set(id, feed);
    return feed;
  }

  /** The first notice after a number, if it is kept. */
  noticeAfter(number: number): DraftNotice | undefined {
    return this.#notices.next(number);
  }

  /**
   * Notes a new length of a draft; null for another change.
   * @param grown the draft and its new chunks, if known
   */
  wake(draftId: string, length: number | null, grown?: Growth): void {
    const state = this.#known.get(draftId)?.state;
    const isKnown = state === 'WRITING' || state === 'STOPPING';
    const feed = this.#feeds.get(draftId);
    const isAnother = grown !== undefined && feed !== undefined && feed.startedAt !== grown.draft.startedAt;
    if (length !== null && isKnown && !isAnother) feed?.wake(length, grown?.piece);
    else this.#refreshSoon();
  }

  /**
   * Reads the chat's drafts. A call during a read waits for another read, so that its result is not older than the call.
   * @throws DatabaseUnavailableError
   */
  refresh(): Promise<void> {
    this.#isRefreshWanted = true;
    this.#refresh ??= this.#readUntilCurrent();
    return this.#refresh;
  }

  #refreshSoon(): void {
    this.refresh().catch(this.options.onError);
  }

  #noteAll(drafts: readonly DraftStanding[] | null): void {
    if (this.isOver) return;
    const now = this.options.now();
    for (const draft of drafts ?? []) this.#noteDraft(draft, now);
    const ids = new Set(drafts?.map(({ id }) => id));
    for (const [id, { state }] of this.#known) {
      if (ids.has(id)) continue;
      this.#known.delete(id);
      this.#feeds.get(id)?.end({ kind: 'discarded' });
      this.#feeds.delete(id);
      if (state !== null) this.#publish(id, 'DISCARDED', null);
    }
    this.#drafts = drafts ?? [];
    this.#isOpen = true;
    this.isOver = drafts === null;
    if (this.isOver) this.notify();
  }

  /** Drops the pages kept for subscribers, after the last one has left. */
  clear(): void {
    for (const feed of this.#feeds.values()) feed.clear();
  }

  override lose(error: Error): void {
    for (const feed of this.#feeds.values()) feed.lose(error);
    super.lose(error);
  }

  async #readUntilCurrent(): Promise<void> {
    try {
      while (this.#isRefreshWanted) {
        this.#isRefreshWanted = false;
        this.#noteAll(await this.options.standing());
      }
    } finally {
      // In the same turn as the last check, so that a later call starts another read.
      this.#refresh = null;
    }
  }

  #noteDraft(draft: DraftStanding, now: number): void {
    const { id, startedAt, branchId } = draft;
    const state = draft.endedAt === null ? draftState(draft, now) : null;
    const known = this.#known.get(id);
    const isAnother = known !== undefined && known.startedAt !== startedAt;
    this.#known.set(id, { startedAt, state, branchId });
    if (isAnother) {
      // The previous draft was discarded.
      this.#feeds.get(id)?.end({ kind: 'discarded' });
      this.#feeds.delete(id);
      if (known.state !== null) this.#publish(id, 'DISCARDED', null);
    }
    const before = isAnother ? undefined : known?.state;
    this.#feeds.get(id)?.update({ draft, state: state ?? 'WRITING' });
    if (!this.#isOpen) return;
    if (state === null) {
      if (before !== null) this.#publish(id, draft.messageId === null ? 'DISCARDED' : 'FINISHED', draft);
    } else if (state === 'ABANDONED') {
      if (before !== 'ABANDONED') this.#publish(id, 'ABANDONED', draft);
    } else if (before == null || before === 'ABANDONED' || known?.branchId !== branchId) {
      this.#publish(id, 'STARTED', draft);
    }
  }

  #publish(draftId: string, state: DraftNotice['state'], draft: DraftStanding | null): void {
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

/** The open drafts of a chat, then the starts and ends of drafts. Ends when the chat is deleted. */
export class DraftNotices extends Stream<DraftNotice, ChatDrafts> {
  readonly #first: DraftNotice[];

  /**
   * @param following its position is the number of a notice
   * @param now milliseconds since 1970
   */
  constructor(drafts: ChatDrafts, following: Following, now: number, release: () => void) {
    super(drafts, following, release);
    const { startAt } = following;
    following.position = startAt ?? drafts.position;
    this.#first = (startAt === null ? drafts.drafts : []).map((draft) => ({
      chatId: draft.chatId,
      number: drafts.position,
      draftId: draft.id,
      state: draftState(draft, now) === 'ABANDONED' ? 'ABANDONED' : 'STARTED',
      isThere: true,
      messageId: null,
    }));
  }

  override next(): Promise<IteratorResult<DraftNotice, undefined>> {
    const first = this.#first.shift();
    return first === undefined ? super.next() : Promise.resolve({ done: false, value: first });
  }

  override return(): Promise<IteratorResult<DraftNotice, undefined>> {
    this.#first.length = 0;
    return super.return();
  }

  protected take(): StreamItem<DraftNotice> | undefined | null {
    const { source: drafts, following } = this;
    if (following.position < drafts.position) {
      const notice = drafts.noticeAfter(following.position);
      if (notice === undefined) {
        throw new TooSlowError('Too many drafts have begun and ended since the last delivered one: subscribe again');
      }
      return { value: notice, place: { position: notice.number } };
    }
    following.isOver = drafts.isOver;
    return drafts.isOver ? null : undefined;
  }
}
