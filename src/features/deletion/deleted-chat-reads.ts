/** The lists of deleted chats. */
import type { DeletedChat } from '../../conversation/model.js';
import type { PageRequest, Slice } from '../../conversation/paging.js';
import { declareReads } from '../../conversation/read-rules.js';
import type { FeatureReads } from '../../conversation/reads.js';
import type { CountedRows } from '../../database/change-hooks.js';
import type { Connection } from '../../database/connection/connection.js';
import { positionedPage } from '../../database/reading/positioned-page.js';
import { deletionStatements, type DeletedChatPosition } from './statements.js';

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

/** @returns the reads of an operation */
export function deletedChatReads({
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
