/** Users with chats. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { UserPosition } from '../../../../conversation/reads.js';
import type { Differences } from '../../differences.js';
import { DELETED_OWNER } from '../fragments.js';

export function userStatements(d: Differences) {
  const { part, table } = d;
  const chats = table('chats');
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
    users: (
      search: string,
      { after, before }: { after: UserPosition | null; before: UserPosition | null },
      from: 'first' | 'last',
      limit: number,
    ): Sql => sql`
      SELECT "userId" AS "id", count(*) AS "chatCount", max("updatedAt") AS "lastActiveAt"
      FROM ${chats} WHERE ${ofUsers(search)}
      GROUP BY "userId" HAVING ${join([raw('count(*) > 0'), ...beyondUser(after, '<'), ...beyondUser(before, '>')], ' AND ')}
      ORDER BY ${raw(from === 'first' ? 'max("updatedAt") DESC, "userId" DESC' : 'max("updatedAt"), "userId"')} ${part(limit, 0)}`,
    /** One row { total }. */
    userCount: (search: string): Sql =>
      sql`SELECT count(DISTINCT "userId") AS "total" FROM ${chats} WHERE ${ofUsers(search)}`,
  };
}
