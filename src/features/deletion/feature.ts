/** Deleting chats, which can be restored for a while, and the erasure of users: see docs/administration/deletion.md. */
import { DAY_MS } from '../../conversation/bounds.js';
import type { Feature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import { contextDeletion } from './context-deletion.js';
import { deletedChatReads } from './deleted-chat-reads.js';
import { eraseRoute } from './erase-route.js';
import './graphql.js';
import { recoverable, removeDeletionRecords, removeDueChats } from './recovery.js';
import type { deletionSettings } from './settings.js';

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
