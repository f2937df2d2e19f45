/** Deletes chats some time after their last change, and refuses removals under a legal hold: see docs/administration/retention.md. */
import type { Auditor } from '../../audit.js';
import type { Feature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import { removeExpired } from './expired-chats.js';
import './legal-hold-graphql.js';
import { LegalHolds } from './legal-holds.js';
import './retention-graphql.js';
import { daysOf, RETENTION_ACTOR, UserRetentions, type ExpiredChat } from './retention.js';
import type { retentionSettings } from './settings.js';
import type { Row } from '../../conversation/tables.js';
import { copyOfUsers, ROWS_PER_STEP } from '../../database/copy-of-users.js';
import type { Connection } from '../../database/connection/connection.js';
import type { LegalHold } from './legal-hold.js';
import { retentionStatements } from './statements.js';

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

/** Rows of the target with the same key are replaced. */
async function copyPolicies(source: Connection, target: Connection): Promise<void> {
  const from = retentionStatements(source.sql.differences);
  const sql = retentionStatements(target.sql.differences);
  for (let after: LegalHold | null = null, isDone = false; !isDone;) {
    const range: { after: LegalHold | null; before: null } = { after, before: null };
    const holds = await source.read((db) => db.rows<LegalHold>(from.holdPage(range, 'first', ROWS_PER_STEP)));
    await target.write('policies', async (tx) => {
      for (const hold of holds) {
        await tx.run(sql.deleteHold(hold));
        await tx.run(sql.insertHold(hold));
      }
    });
    after = holds.at(-1) ?? null;
    isDone = holds.length < ROWS_PER_STEP;
  }
  await copyOfUsers(source, target, {
    page: ({ differences }, after, limit) => retentionStatements(differences).retentions(after, limit),
    remove: (userId) => sql.deleteRetentionOf(userId),
    insert: (user: Row<'user_retention'>) => sql.insertRetentions([user]),
  });
}
