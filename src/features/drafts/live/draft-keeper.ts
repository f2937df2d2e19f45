/**
 * Finishes drafts without a writer and deletes ended drafts after a while. All servers of a database check; the lock of the
 * draft ensures that one of them makes the change.
 */
import type { ConversationStore } from '../../../conversation/store.js';
import type { Connection } from '../../../database/connection/connection.js';
import { Periodic, type PeriodicOptions } from '../../../scheduler/periodic.js';
import type { Draft } from '../draft.js';
import { createDraftReads } from '../draft-reads.js';
import { removeDraft } from '../draft-store.js';
import { closeDraft } from '../finish-draft.js';

export interface DraftKeeperOptions extends PeriodicOptions {
  store: ConversationStore;
  connection: Connection;
  /** Milliseconds without an append after which a draft is finished with its present content. */
  expireMs: number;
}

/** Milliseconds that an ended draft is kept for subscribers of other servers. */
const KEPT_FOR_MS = 10 * 60_000;

export function draftKeeper({ store, connection, expireMs, ...options }: DraftKeeperOptions): Periodic {
  const reads = createDraftReads(connection);
  return new Periodic(async () => {
    const expired = store.now() - expireMs;
    const forgotten = store.now() - KEPT_FOR_MS;
    await each(
      () => reads.idleDrafts(expired),
      (draft) => closeDraft(store, draft, expired),
    );
    await each(
      () => reads.endedDrafts(forgotten),
      (draft) => removeDraft(connection, draft),
    );
  }, options);

  /** Processes drafts in batches until no untried draft is left. A failed draft does not stop the others. */
  async function each(read: () => Promise<readonly Draft[]>, work: (draft: Draft) => Promise<void>): Promise<void> {
    const tried = new Set<string>();
    for (;;) {
      const drafts = (await read()).filter(({ id }) => !tried.has(id));
      if (drafts.length === 0) return;
      for (const draft of drafts) {
        tried.add(draft.id);
        await work(draft).catch(options.onError);
      }
    }
  }
}
