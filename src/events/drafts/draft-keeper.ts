/**
 * Finishes drafts without a writer and deletes ended drafts after a while. All servers of a database check; the lock of the
 * draft ensures that one of them makes the change.
 */
import type { Draft } from '../../conversation/drafts/draft.js';
import type { DraftReads } from '../../conversation/drafts/draft-reads.js';
import { closeDraft } from '../../conversation/drafts/finish-draft.js';
import type { ConversationStore } from '../../conversation/store.js';
import { Periodic, type PeriodicOptions } from '../../scheduler/periodic.js';

export interface DraftKeeperOptions extends PeriodicOptions {
  store: ConversationStore;
  reads: DraftReads;
  /** Deletes the row of an ended draft. */
  remove: (draft: Draft) => Promise<void>;
  /** Milliseconds without an append after which a draft is finished with its present content. */
  expireMs: number;
}

/** Milliseconds that an ended draft is kept for subscribers of other servers. */
const KEPT_FOR_MS = 10 * 60_000;

export class DraftKeeper {
  readonly #checks: Periodic;

  constructor(private readonly options: DraftKeeperOptions) {
    this.#checks = new Periodic(() => this.#check(), options);
  }

  /** Checks now. Settles when all found drafts are processed. */
  check(): Promise<void> {
    return this.#checks.run();
  }

  /** Stops checking. Settles when the running check is done. */
  close(): Promise<void> {
    return this.#checks.close();
  }

  async #check(): Promise<void> {
    const { store, reads, remove, expireMs } = this.options;
    const expired = store.now() - expireMs;
    const forgotten = store.now() - KEPT_FOR_MS;
    await this.#each(
      () => reads.idleDrafts(expired),
      (draft) => closeDraft(store, draft, expired),
    );
    await this.#each(() => reads.endedDrafts(forgotten), remove);
  }

  /** Processes drafts in batches until no untried draft is left. A failed draft does not stop the others. */
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
