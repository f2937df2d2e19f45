/**
 * Ends drafts that nobody has written for long, and forgets those that ended a while ago. All servers of a database look; the
 * change itself is made once, under the draft's lock.
 */
import type { Draft } from '../../conversation/drafts/draft.js';
import type { DraftReads } from '../../conversation/drafts/draft-reads.js';
import { closeDraft } from '../../conversation/drafts/finish-draft.js';
import type { ConversationStore } from '../../conversation/store.js';

export interface DraftKeeperOptions {
  store: ConversationStore;
  reads: DraftReads;
  /** Removes what is kept of a draft that has ended. */
  remove: (draft: Draft) => Promise<void>;
  /** Milliseconds without an append after which a draft is finished as far as it came. */
  expireMs: number;
  /** Milliseconds between two looks. */
  intervalMs: number;
  /** Takes what has gone wrong. The next look tries again. */
  onError: (error: unknown) => void;
}

/** How long it is kept what a draft was, in milliseconds: those who follow it on other servers have yet to be told. */
const KEPT_FOR_MS = 10 * 60_000;

export class DraftKeeper {
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | null = null;

  constructor(private readonly options: DraftKeeperOptions) {
    this.#timer = setInterval(() => void this.look(), options.intervalMs);
    this.#timer.unref();
  }

  /** Looks now. Settles when all that was found is done. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch(this.options.onError)
      .finally(() => (this.#looking = null));
    return this.#looking;
  }

  /** Looks no more. Settles when what is under way is done. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { store, reads, remove, expireMs } = this.options;
    const expired = store.now() - expireMs;
    const forgotten = store.now() - KEPT_FOR_MS;
    await this.#each(
      () => reads.idleDrafts(expired),
      (draft) => closeDraft(store, draft, expired),
    );
    await this.#each(() => reads.endedDrafts(forgotten), remove);
  }

  /** Reads some and works on them, until there are none that are new: one that fails is no reason to leave the others. */
  async #each(read: () => Promise<readonly Draft[]>, work: (draft: Draft) => Promise<void>): Promise<void> {
    const tried = new Set<string>();
    for (;;) {
      const drafts = (await read()).filter(({ id }) => !tried.has(id));
      if (drafts.length === 0) return;
      for (const draft of drafts) {
        tried.add(draft.id);
        await work(draft).catch(this.options.onError);
      }
    }
  }
}
