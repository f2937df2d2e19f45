/** The statements that erase a user. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import {
  userIdsOf,
  type NumberedTable,
  type TablesWith,
  type UserIdColumn,
} from '../../../../conversation/table-rules.js';
import type { Differences } from '../../differences.js';
import { isAfter, isBeyond, isWithin, type SeqPosition } from '../fragments.js';

export function userStatements(d: Differences) {
  const { part, table } = d;
  const chats = table('chats');
  const behind = (id: string): Sql => isAfter(raw('"id"'), id);
  return {
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
