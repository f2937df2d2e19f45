/** Deleting and restoring chats, and the deletion records kept for a limited time. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { DeletedChat, Deletion } from '../../../conversation/model.js';
import type { DeletedChatPosition } from '../../../conversation/reads.js';
import type { NumberedTable, TablesWith } from '../../../conversation/table-rules.js';
import type { Differences } from '../differences.js';
import { insertRows, DELETED_OWNER } from './fragments.js';

/** Both ends exclusive, in the order of the list. */
export interface DeletedChatRange {
  after: DeletedChatPosition | null;
  before: DeletedChatPosition | null;
}

export function removalStatements(d: Differences) {
  const { part, table } = d;
  const chats = table('chats');
  const imports = table('chat_imports');
  const deletions = table('deleted_chats');
  const deletedColumns = raw(
    'i."chatId" AS "id", i."userId", c."title", c."updatedAt", i."deletedAt", i."expiresAt" AS "restorableUntil"',
  );
  const deletedChats = sql`${imports} i JOIN ${chats} c ON c."id" = i."chatId"`;
  const beyond = (position: DeletedChatPosition | null, comparison: '<' | '>'): Sql[] => {
    if (position === null) return [];
    const { deletedAt, id } = position;
    const is = raw(comparison);
    return [sql`i."deletedAt" ${is}= ${deletedAt} AND (i."deletedAt" ${is} ${deletedAt} OR i."chatId" ${is} ${id})`];
  };
  /** The condition that a chat's rows are its own. */
  const isHidden = (lease: Sql = empty): Sql =>
    sql`EXISTS (SELECT 1 FROM ${imports} i WHERE i."chatId" = "id" AND i."afterSeq" IS NULL ${lease})`;

  return {
    /** Sets DELETED_OWNER. */
    markDeleted: (chatId: string): Sql => sql`UPDATE ${chats} SET "userId" = ${DELETED_OWNER} WHERE "id" = ${chatId}`,
    /** Locks a chat that is being deleted: changes one row, or none when there is no such chat. */
    lockDeletedChat: (chatId: string): Sql => sql`
      UPDATE ${chats} SET "userId" = ${DELETED_OWNER}
      WHERE "id" = ${chatId} AND "userId" = ${DELETED_OWNER} AND NOT ${isHidden()}`,
    /**
     * Rows { id } of chats being deleted, and of hidden chats whose lease ended before a time, unless they are kept;
     * limited to ids, if given.
     * @param isKept for the row `i` of a deleted chat
     */
    remains: (leaseEndedBefore: number, isKept: Sql, ids?: readonly string[]): Sql => sql`
      SELECT "id" FROM ${chats} WHERE "userId" = ${DELETED_OWNER} AND NOT ${isHidden(sql`
        AND (i."expiresAt" >= ${leaseEndedBefore}
          OR i."deletedAt" IS NOT NULL AND ${isKept})`)}
      ${ids === undefined ? empty : sql`AND "id" IN (${join(ids)})`}`,
    deleteChat: (chatId: string): Sql => sql`DELETE FROM ${chats} WHERE "id" = ${chatId}`,
    /** One row { seq }: the nth newest row of a chat before a seq, or none. */
    nthNewest: (name: NumberedTable, chatId: string, before: number, nth: number): Sql => sql`
      SELECT "seq" FROM ${table(name)} WHERE "chatId" = ${chatId} AND "seq" < ${before}
      ORDER BY "seq" DESC ${part(1, nth - 1)}`,
    /** Deletes a chat's rows in a range of seqs, end exclusive. */
    deleteRange: (name: NumberedTable, chatId: string, firstSeq: number, before: number): Sql =>
      sql`DELETE FROM ${table(name)} WHERE "chatId" = ${chatId} AND "seq" >= ${firstSeq} AND "seq" < ${before}`,

    /** One row with the columns of a DeletedChat, or none. */
    deletedChat: (id: string): Sql => sql`
      SELECT ${deletedColumns} FROM ${deletedChats} WHERE i."chatId" = ${id} AND i."deletedAt" IS NOT NULL`,
    /** Rows with the columns of DeletedChats of a user, between two positions, in the order of the list or backwards. */
    deletedChats: (userId: string, range: DeletedChatRange, from: 'first' | 'last', limit: number): Sql => sql`
      SELECT ${deletedColumns} FROM ${deletedChats}
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
    /** Shows a hidden chat. */
    giveOwner: (chatId: string, userId: string): Sql =>
      sql`UPDATE ${chats} SET "userId" = ${userId} WHERE "id" = ${chatId} AND "userId" = ${DELETED_OWNER}`,

    deleteDeletionsBefore: (createdAt: number): Sql => sql`DELETE FROM ${deletions} WHERE "createdAt" < ${createdAt}`,
    /** One row { createdAt }, or none. */
    deletionOf: (chatId: string): Sql => sql`SELECT "createdAt" FROM ${deletions} WHERE "id" = ${chatId}`,
    deleteDeletion: (chatId: string): Sql => sql`DELETE FROM ${deletions} WHERE "id" = ${chatId}`,
    insertDeletion: ({ chatId, ...row }: Deletion): Sql => insertRows(d, 'deleted_chats', [{ id: chatId, ...row }]),
    deleteRowsOfChat: (name: TablesWith<{ removal: 'few' } | { hasChats: true }>, chatId: string): Sql =>
      sql`DELETE FROM ${table(name)} WHERE "chatId" = ${chatId}`,
  };
}
