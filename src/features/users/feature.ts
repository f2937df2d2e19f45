/** The list of users for admins. */
import type { PageRequest, Slice } from '../../conversation/paging.js';
import { declareReads } from '../../conversation/read-rules.js';
import { positionedPage } from '../../database/reading/positioned-page.js';
import type { Keyed } from '../../database/reading/rows.js';
import type { Feature } from '../../feature.js';
import './graphql.js';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { UserPosition } from '../../conversation/reads.js';
import { DELETED_OWNER, fragmentsOf } from '../../database/dialects/base/fragments.js';
import type { Differences } from '../../database/dialects/differences.js';

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

export function userStatements(d: Differences) {
  const chats = d.table('chats');
  // An exact substring test with equal results on all databases, unlike LIKE.
  const ofUsers = (search: string): Sql =>
    sql`"userId" <> ${DELETED_OWNER} ${search === '' ? empty : sql`AND replace("userId", ${search}, '') <> "userId"`}`;
  const beyondUser = (position: UserPosition | null, comparison: '<' | '>'): Sql[] => {
    if (position === null) return [];
    const { lastActiveAt, id } = position;
    const is = raw(comparison);
    return [
      sql`(max("updatedAt") ${is} ${lastActiveAt} OR max("updatedAt") = ${lastActiveAt} AND "userId" ${is} ${id})`,
    ];
  };

  return {
    /** Rows { id, chatCount, lastActiveAt } of users in a range of the list, first or last `count`. */
    userPage: (
      search: string,
      { after, before }: { after: UserPosition | null; before: UserPosition | null },
      from: 'first' | 'last',
      limit: number,
    ): Sql => sql`
      SELECT "userId" AS "id", count(*) AS "chatCount", max("updatedAt") AS "lastActiveAt"
      FROM ${chats} WHERE ${ofUsers(search)}
      GROUP BY "userId" HAVING ${join([raw('count(*) > 0'), ...beyondUser(after, '<'), ...beyondUser(before, '>')], ' AND ')}
      ORDER BY ${raw(from === 'first' ? 'max("updatedAt") DESC, "userId" DESC' : 'max("updatedAt"), "userId"')} ${d.part(limit, 0)}`,
    /** One row { total }. */
    userCount: (search: string): Sql =>
      sql`SELECT count(DISTINCT "userId") AS "total" FROM ${chats} WHERE ${ofUsers(search)}`,
    /** Rows { n, total }: all messages of the chats of each user; total may be null. */
    userMessageCounts(userIds: readonly string[]): Sql {
      const k = fragmentsOf(d).ids(userIds);
      return sql`
      SELECT x."n", sum(x."last") AS "total"
      FROM (
        SELECT ${k.n} AS "n", (SELECT max(m."seq") FROM ${d.table('messages')} m WHERE m."chatId" = c."id") AS "last"
        FROM ${k.from} ${d.join} ${chats} c ON c."userId" = ${k.id}
      ) x
      GROUP BY x."n"`;
    },
  };
}
