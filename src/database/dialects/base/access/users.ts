/** Users with chats, and the statements that erase one. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { UserPosition } from '../../../../conversation/reads.js';
import {
  userIdsOf,
  type NumberedTable,
  type TablesWith,
  type UserIdColumn,
} from '../../../../conversation/table-rules.js';
import type { Differences } from '../../differences.js';
import { isAfter, isBeyond, isWithin, DELETED_OWNER, type SeqPosition } from '../fragments.js';

export function userStatements(d: Differences) {
  const { part, table } = d;
  const chats = table('chats');
  const behind = (id: string): Sql => isAfter(raw('"id"'), id);
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

    /** Rows { id } of chats. */
    chatsOfUser: (userId: string, limit: number): Sql =>
      sql`SELECT "id" FROM ${chats} WHERE "userId" = ${userId} ORDER BY "id" ${part(limit, 0)}`,
    /** Rows { id } that name a user, by id, after one; '' starts. */
    rowsNaming: (name: TablesWith<{ isErasedById: true }>, userId: string, after: string, limit: number): Sql => {
      const isUser = userIdsOf(name).map(([column]) => sql`${raw(`"${column}"`)} = ${userId}`);
      return sql`
      SELECT "id" FROM ${table(name)} WHERE (${join(isUser, ' OR ')}) AND ${behind(after)}
      ORDER BY "id" ${part(limit, 0)}`;
    },
    /**
     * Rows { chatId, seq, userId } after a position, in order. No index has the user: all rows are read. Authors of messages
     * in forks and imports have no event in the chat.
     */
    userIdsAfter: (name: NumberedTable, column: string, after: SeqPosition, limit: number): Sql => sql`
      SELECT "chatId", "seq", ${raw(`"${column}"`)} AS "userId" FROM ${table(name)} WHERE ${isBeyond(d, '', after)}
      ORDER BY "chatId", "seq" ${part(limit, 0)}`,
    /** Replaces a user's id in a column, in a range of its rows or in all of them. */
    replaceUserId: (
      { table: name, column }: UserIdColumn,
      userId: string,
      placeholder: string,
      range: { after: SeqPosition; to: SeqPosition } | { afterId: string; toId: string } | null = null,
    ): Sql => {
      const isInRange =
        range === null
          ? empty
          : 'to' in range
            ? sql`AND ${isWithin(d, '', range.after, range.to)}`
            : sql`AND ${behind(range.afterId)} AND "id" <= ${range.toId}`;
      const id = raw(`"${column}"`);
      return sql`UPDATE ${table(name)} SET ${id} = ${placeholder} WHERE ${id} = ${userId} ${isInRange}`;
    },
    deleteRowsOfUser: ({ table: name, column }: UserIdColumn, userId: string): Sql =>
      sql`DELETE FROM ${table(name)} WHERE ${raw(`"${column}"`)} = ${userId}`,

    /** Rows { chatId, seq, payload } of events after a position whose payloads name users, in order. */
    eventsWithUsers: (after: SeqPosition, limit: number): Sql => sql`
      SELECT "chatId", "seq", "payload" FROM ${table('chat_events')}
      WHERE "type" IN ('ChatTransferred', 'MemberChanged') AND ${isBeyond(d, '', after)}
      ORDER BY "chatId", "seq" ${part(limit, 0)}`,
    updatePayload: ({ chatId, seq }: SeqPosition, payload: string): Sql => sql`
      UPDATE ${table('chat_events')} SET "payload" = ${payload} WHERE "chatId" = ${chatId} AND "seq" = ${seq}`,
  };
}
