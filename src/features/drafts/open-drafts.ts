/** Drafts of an open database, with a server or without. */
import type { OpenFeature } from '../../feature.js';
import type { Connection } from '../../database/connection/connection.js';
import { contextDrafts } from './context-drafts.js';
import type { Growth } from './draft.js';
import { createDraftReads, draftReads } from './draft-reads.js';
import { DraftFeeds } from './live/draft-feeds.js';

/** How often followed drafts are read again, which other processes may write, in milliseconds. */
const SWEEP_INTERVAL_MS = 1_000;

/** @param feeds those of the subscribers in this process; undefined before the server starts */
export function draftsOf(connection: Connection, feeds: () => DraftFeeds | undefined): OpenFeature {
  return {
    reads: (db) => draftReads(connection.sql, db),
    onPart: (change, grown) => feeds()?.wake(change, grown as Growth | undefined),
    lost: (error) => feeds()?.lose(error),
    contextStore: (base) => {
      const followed = feeds();
      return followed === undefined ? {} : contextDrafts(base, followed);
    },
  };
}

/** Without a server. */
export function draftsWithoutServer(connection: Connection): OpenFeature {
  const feeds = new DraftFeeds({
    reads: createDraftReads(connection),
    sweepIntervalMs: SWEEP_INTERVAL_MS,
    // The next sweep tries again.
    onError: () => {},
    now: Date.now,
  });
  return {
    ...draftsOf(connection, () => feeds),
    close: async () => feeds.close(),
  };
}
