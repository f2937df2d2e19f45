/** Users with chats. There is no table of users: all chats are aggregated along an index. */
import { MAX_INT } from '../../conversation/bounds.js';
import type { ConversationReads, UserSummary } from '../../conversation/reads.js';
import { positionedPage } from './positioned-page.js';
import type { Reader } from './reader.js';
import type { Keyed } from './rows.js';

type UserReads = Pick<ConversationReads, 'userPage' | 'userCount' | 'userMessageCounts'>;

interface Total {
  total: number | null;
}

export function userReads({ sql, rows }: Reader): UserReads {
  return {
    userPage: (search, page) =>
      positionedPage(page, {
        read: (range, from, limit) => {
          return rows<UserSummary>(sql.users(search, range, from, Math.min(limit, MAX_INT)), Infinity);
        },
        isAnythingAt: async (range) => (await rows(sql.users(search, range, 'first', 1), Infinity)).length > 0,
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
  };
}
