/** The list of users for admins. */
import type { PageRequest, Slice } from '../../conversation/paging.js';
import { declareReads } from '../../conversation/read-rules.js';
import { positionedPage } from '../../database/reading/positioned-page.js';
import type { Keyed } from '../../database/reading/rows.js';
import type { Feature } from '../../feature.js';
import './graphql.js';
import { userStatements } from './statements.js';

declare module '../../conversation/reads.js' {
  interface FeatureReads {
    /**
     * Users with chats, newest change first.
     * @param search a substring of their ids; '' for any
     */
    userPage(search: string, page: PageRequest<UserPosition>): Promise<Omit<Slice<UserSummary>, 'totalCount'>>;
    userCount(search: string): Promise<number>;
    /** The number of messages in all chats of each user. */
    userMessageCounts(userIds: readonly string[]): Promise<number[]>;
  }
}

declareReads({
  userPage: { chats: 'users', state: 'across chats' },
  userCount: { state: 'across chats' },
  userMessageCounts: { state: 'across chats' },
});

interface Total {
  total: number | null;
}

export const users: Feature = {
  open: ({ sql: { differences } }) => {
    const sql = userStatements(differences);
    return {
      reads: ({ rows }) => ({
        userPage: (search, page) =>
          positionedPage(page, {
            read: (range, from, limit) => rows(sql.userPage(search, range, from, limit), Infinity),
            positionOf: ({ lastActiveAt, id }) => ({ lastActiveAt, id }),
          }),

        async userCount(search) {
          const [row] = await rows<Total>(sql.userCount(search), Infinity);
          return row?.total ?? 0;
        },

        async userMessageCounts(userIds) {
          const counts = new Array<number>(userIds.length).fill(0);
          const found = await rows<Total & Keyed>(sql.userMessageCounts(userIds), Infinity);
          for (const { n, total } of found) counts[n] = total ?? 0;
          return counts;
        },
      }),
    };
  },
};
