/** Links that give anonymous read access to a path: see docs/access/shares.md. */
import type { Feature } from '../../feature.js';
import { CHAT, NO_CHAT, reference } from '../../database/table-check.js';
import { forkOf } from './graphql/fork.js';
import './graphql/mutations.js';
import { isSharedDocument } from './graphql/queries.js';
import { ShareRecords } from './share-records.js';

declare module '../../graphql/context.js' {
  interface FeatureContext {
    readonly shares: ShareRecords;
  }
}

export const shares: Feature = {
  checks: [
    {
      table: 'shares',
      key: ['id'],
      columns: ['chatId', 'messageId'],
      joins: { c: CHAT, m: '{messages} ON m.id = r.messageId' },
      problems: [NO_CHAT, ...reference('messageId', 'm')],
    },
  ],
  open: (connection) => {
    const records = new ShareRecords(connection);
    return {
      reads: records.reads,
      // A transfer ends the shares of the previous owner.
      takeOver: async ({ id }, by, _now, tx) => {
        if (by === 'transfer') await tx.run(connection.sql.deleteRowsOfChat('shares', id));
      },
      serve: () => ({ context: { shares: records, forkOf }, isPublic: isSharedDocument }),
    };
  },
};
