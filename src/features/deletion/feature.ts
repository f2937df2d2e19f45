/** Deleting chats, which can be restored for a while, and the erasure of users: see docs/administration/deletion.md. */
import { DAY_MS } from '../../conversation/bounds.js';
import type { Feature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import { contextDeletion } from './context-deletion.js';
import { eraseRoute } from './erase-route.js';
import './graphql.js';
import { recoverable, removeDeletionRecords, removeDueChats } from './recovery.js';
import type { deletionSettings } from './settings.js';
import type { DeletedChat } from '../../conversation/model.js';
import type { PageRequest, Slice } from '../../conversation/paging.js';
import { declareReads } from '../../conversation/read-rules.js';
import type { FeatureReads } from '../../conversation/reads.js';
import type { CountedRows } from '../../database/change-hooks.js';
import type { Connection } from '../../database/connection/connection.js';
import { positionedPage } from '../../database/reading/positioned-page.js';
import { deletionStatements, type DeletedChatPosition } from './statements.js';

declare module '../../graphql/context.js' {
  interface FeatureContext {
    /** Days that deleted chats can be restored; 0 if deletions are final. */
    readonly recoveryDays: number;
  }
}

export const deletion: Feature<ValuesOf<typeof deletionSettings>> = {
  paths: ['/users'],
  open: (connection, { recoveryDays, deletionRecordDays }) => ({
    ...contextDeletion(),
    ...recoverable(connection, recoveryDays * DAY_MS),
    reads: deletedChatReads(connection),
    serve: ({ store, log }) => ({
      context: { recoveryDays },
      removeChats: async (options) => {
        await removeDueChats(connection, store.now(), options);
        await removeDeletionRecords(connection, store.now(), deletionRecordDays * DAY_MS);
      },
      routes: (services) => ({ '/users': eraseRoute(connection, { ...services, log }) }),
    }),
  }),
};

declare module '../../conversation/reads.js' {
  interface FeatureReads {
    /** The deleted chats of a user that can be restored, newest deletion first. */
    deletedChatPage(
      userId: string,
      page: PageRequest<DeletedChatPosition>,
    ): Promise<Omit<Slice<DeletedChat>, 'totalCount'>>;
    deletedChatCount(userId: string): Promise<number>;
  }
}

declareReads({ deletedChatPage: { chats: 'page' } });

function deletedChatReads({
  sql: { differences },
}: Pick<Connection, 'sql'>): (db: CountedRows) => Pick<FeatureReads, 'deletedChatPage' | 'deletedChatCount'> {
  const sql = deletionStatements(differences);
  return ({ rows }) => ({
    deletedChatPage: (userId, page) =>
      positionedPage(page, {
        read: (range, from, limit) => rows<DeletedChat>(sql.deletedChats(userId, range, from, limit)),
        positionOf: ({ deletedAt, id }) => ({ deletedAt, id }),
      }),
    async deletedChatCount(userId) {
      const [row] = await rows<{ total: number }>(sql.deletedChatCount(userId));
      return row?.total ?? 0;
    },
  });
}
