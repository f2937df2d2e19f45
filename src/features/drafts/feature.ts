/** Messages that are being written, and their subscribers: see docs/adr/0019-drafts.md. */
import type { Feature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import { readGauge } from '../../system/read-metrics.js';
import { DRAFT_CHECKS } from './checks.js';
import { createDraftReads } from './draft-reads.js';
import './graphql/type.js';
import './graphql/mutations.js';
import './graphql/subscriptions.js';
import { draftsOf } from './open-drafts.js';
import type { draftSettings } from './settings.js';
import { DraftFeeds } from './live/draft-feeds.js';
import { draftKeeper } from './finish-draft.js';

/** Interval of the search for drafts without a writer. */
const CHECK_INTERVAL_MS = 60_000;

declare module '../../graphql/context.js' {
  interface FeatureContext {
    readonly draftFeeds: DraftFeeds;
  }
}

export const drafts: Feature<ValuesOf<typeof draftSettings>> = {
  checks: DRAFT_CHECKS,
  open: (connection, { draftExpiryMs }) => {
    let feeds: DraftFeeds | undefined;
    return {
      ...draftsOf(connection, () => feeds),
      serve: ({ store, sweepIntervalMs, registry, onError }) => {
        const reads = createDraftReads(connection);
        const draftFeeds = new DraftFeeds({ reads, sweepIntervalMs, onError, now: () => store.now() });
        feeds = draftFeeds;
        const times = { expireMs: draftExpiryMs, intervalMs: CHECK_INTERVAL_MS };
        const keeper = draftKeeper({ store, connection, ...times, onError });
        const followed = 'Chats with followed drafts.';
        readGauge(registry, 'parley_followed_draft_chats', followed, () => draftFeeds.size);
        return {
          context: { draftFeeds },
          sweep: () => draftFeeds.sweep(),
          close: () => {
            draftFeeds.close();
            return keeper.close();
          },
        };
      },
    };
  },
};
