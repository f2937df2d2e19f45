import type { ContextStore } from '@parley/context';
import type { Viewer } from '../conversation/model.js';
import { LOCAL_ADMIN } from '../conversation/ownership.js';
import { openDatabase } from '../database/opening/open.js';
import { DraftFeeds, wakeOfDraft } from '../events/drafts/draft-feeds.js';
import { InProcessStore } from './in-process-store.js';

export interface OpenContextStoreOptions {
  /** `file:` and a path relative to the working directory, `:memory:`, `postgresql://` or `sqlserver://`. */
  databaseUrl: string;
  /** Whether to bring a database server's database up to date. SQLite's always is. @default false */
  migrate?: boolean;
  /** Who reads and writes: what is not theirs is not there. @default an admin named local, who may do everything */
  viewer?: Viewer;
}

/** How often drafts that are followed are looked at, which others may write, in milliseconds. */
const SWEEP_INTERVAL_MS = 1_000;

/**
 * Opens a database for ContextEngines in this process, without a server. close() frees it.
 *
 * Servers on the same database find what is saved here by their sweeps, within seconds; a server of this process has a
 * contextStore() of its own, which tells at once.
 * @throws Error of one line that says what is wrong, and with which database, without its password
 */
export async function openContextStore({
  databaseUrl,
  migrate = false,
  viewer = LOCAL_ADMIN,
}: OpenContextStoreOptions): Promise<ContextStore> {
  const database = await openDatabase({
    url: databaseUrl,
    migrate,
    onDraft: (draft, piece) => drafts.wake(wakeOfDraft(draft, piece)),
    onLost: (error) => drafts.lose(error),
  });
  const { store, reads } = database;
  const drafts = new DraftFeeds({
    reads: database.drafts,
    sweepIntervalMs: SWEEP_INTERVAL_MS,
    // The next sweep tries again.
    onError: () => {},
    now: () => store.now(),
  });
  let isClosed = false;
  const close = () => {
    isClosed = true;
    drafts.close();
    return store.close();
  };
  return new InProcessStore({ store, reads, drafts, viewer, close, isClosed: () => isClosed });
}
