/** Users with chats. There is no table of users: all chats are aggregated along an index. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { UserPosition } from '../../conversation/reads.js';
import { DELETED_OWNER, fragmentsOf } from '../../database/dialects/base/fragments.js';
import type { Differences } from '../../database/dialects/differences.js';

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
