/** Deleted chats that can be restored, and the erasure of users. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { DeletedChat } from '../../conversation/model.js';
import { userIdsOf, type NumberedTable, type TablesWith, type UserIdColumn } from '../../conversation/table-rules.js';
import {
  DELETED_OWNER,
  isAfter,
  isBeyond,
  isWithin,
  type SeqPosition,
} from '../../database/dialects/base/fragments.js';
import { selectDeletedChats } from '../../database/dialects/base/removal.js';
import type { Differences } from '../../database/dialects/differences.js';

/** The position of a deleted chat in the list: its deletedAt, then the id. */
export type DeletedChatPosition = Pick<DeletedChat, 'deletedAt' | 'id'>;

/** Both ends exclusive, in the order of the list. */
export interface DeletedChatRange {
  after: DeletedChatPosition | null;
  before: DeletedChatPosition | null;
}

export function deletionStatements(d: Differences) {
  const { part, table } = d;
  const chats = table('chats');
  const imports = table('chat_imports');
  const behind = (id: string): Sql => isAfter(raw('"id"'), id);
  const beyond = (position: DeletedChatPosition | null, comparison: '<' | '>'): Sql[] => {
    if (position === null) return [];
    const { deletedAt, id } = position;
    const is = raw(comparison);
    return [sql`i."deletedAt" ${is}= ${deletedAt} AND (i."deletedAt" ${is} ${deletedAt} OR i."chatId" ${is} ${id})`];
  };

  return {
    /** Rows with the columns of DeletedChats of a user, between two positions, in the order of the list or backwards. */
    deletedChats: (userId: string, range: DeletedChatRange, from: 'first' | 'last', limit: number): Sql => sql`
      ${selectDeletedChats(d)}
      WHERE ${join([sql`i."userId" = ${userId} AND i."deletedAt" IS NOT NULL`, ...beyond(range.after, '<'), ...beyond(range.before, '>')], ' AND ')}
      ORDER BY ${raw(from === 'first' ? 'i."deletedAt" DESC, i."chatId" DESC' : 'i."deletedAt", i."chatId"')} ${part(limit, 0)}`,
    /** One row { total }. */
    deletedChatCount: (userId: string): Sql =>
      sql`SELECT count(*) AS "total" FROM ${imports} WHERE "userId" = ${userId} AND "deletedAt" IS NOT NULL`,
    /**
     * Rows { id } of deleted chats to remove before a time, in order.
     * @param isKept for the row `i` of a deleted chat
     */
    dueChats: (before: number, isKept: Sql, limit: number): Sql => sql`
      SELECT i."chatId" AS "id" FROM ${imports} i WHERE i."deletedAt" IS NOT NULL AND i."expiresAt" < ${before}
        AND NOT ${isKept}
      ORDER BY i."expiresAt" ${part(limit, 0)}`,
    /** Changes one row, or none when the chat was removed or restored. */
    deleteDeletedChat: ({ id, userId, deletedAt }: DeletedChat): Sql =>
      sql`DELETE FROM ${imports} WHERE "chatId" = ${id} AND "userId" = ${userId} AND "deletedAt" = ${deletedAt}`,
    /** Locks the rows of deleted chats of a user, and of the user's unfinished imports. */
    lockDeletionsOf: (userId: string): Sql =>
      sql`UPDATE ${imports} SET "expiresAt" = "expiresAt" WHERE "userId" = ${userId}`,
    deleteImportsOf: (userId: string): Sql => sql`DELETE FROM ${imports} WHERE "userId" = ${userId}`,
    /** Shows a hidden chat. */
    giveOwner: (chatId: string, userId: string): Sql =>
      sql`UPDATE ${chats} SET "userId" = ${userId} WHERE "id" = ${chatId} AND "userId" = ${DELETED_OWNER}`,

    deleteDeletionsBefore: (createdAt: number): Sql =>
      sql`DELETE FROM ${table('deleted_chats')} WHERE "createdAt" < ${createdAt}`,

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
