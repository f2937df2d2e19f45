/** Deletes chats some time after their last change, and refuses removals under a legal hold: see docs/administration/retention.md. */
import type { Auditor } from '../../audit.js';
import type { Feature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import { copyPolicies } from './copy-policies.js';
import { removeExpired } from './expired-chats.js';
import './legal-hold-graphql.js';
import { LegalHolds } from './legal-holds.js';
import './retention-graphql.js';
import { daysOf, RETENTION_ACTOR, UserRetentions, type ExpiredChat } from './retention.js';
import type { retentionSettings } from './settings.js';

declare module '../../graphql/context.js' {
  interface FeatureContext {
    readonly legalHolds: LegalHolds;
    readonly retentions: UserRetentions;
  }
}

export const retention: Feature<ValuesOf<typeof retentionSettings>> = {
  copy: copyPolicies,
  open: (connection, { retentionDays }) => {
    const legalHolds = new LegalHolds(connection);
    const retentions = new UserRetentions(connection, daysOf(retentionDays));
    return {
      ...legalHolds.guard(),
      reads: (db) => ({ ...legalHolds.reads(db), ...retentions.reads(db) }),
      serve: ({ store, auditor }) => ({
        context: { legalHolds, retentions },
        removeChats: async (options) => {
          for await (const chat of removeExpired(retentions, store, options)) recordExpiry(auditor, chat);
        },
      }),
    };
  },
};

function recordExpiry(auditor: Auditor | null, { id, userId }: ExpiredChat): void {
  const user = { userId: RETENTION_ACTOR, isAdmin: false };
  const record = auditor?.begin(user, { requestId: null, address: null, route: user.userId });
  record?.done({ event: 'chat.deleted', chatIds: [id], target: userId });
  record?.end();
}
