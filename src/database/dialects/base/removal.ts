/** Deleting chats, and the deletion records kept for a limited time. */
import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Deletion } from '../../../conversation/model.js';
import type { Differences } from '../differences.js';
import { insertRows, DELETED_OWNER, type NumberedTable } from './fragments.js';

export function removalStatements(d: Differences) {
  const { part, table } = d;
  const chats = table('chats');
  const deletions = table('deleted_chats');
  /** The condition that a chat's rows are its own. */
  const isHidden = (lease: Sql = empty): Sql =>
    sql`EXISTS (SELECT 1 FROM ${table('chat_imports')} WHERE "chatId" = "id" AND "afterSeq" IS NULL ${lease})`;

  return {
    /** Sets DELETED_OWNER. */
    markDeleted: (chatId: string): Sql => sql`UPDATE ${chats} SET "userId" = ${DELETED_OWNER} WHERE "id" = ${chatId}`,
    /** Locks a chat that is being deleted: changes one row, or none when there is no such chat. */
    lockDeletedChat: (chatId: string): Sql => sql`
      UPDATE ${chats} SET "userId" = ${DELETED_OWNER}
      WHERE "id" = ${chatId} AND "userId" = ${DELETED_OWNER} AND NOT ${isHidden()}`,
    /**
     * Rows { id } of chats being deleted, and of hidden chats whose lease ended before a time; limited to ids, if
     * given.
     */
    remains: (leaseEndedBefore: number, ids?: readonly string[]): Sql => sql`
      SELECT "id" FROM ${chats} WHERE "userId" = ${DELETED_OWNER} AND NOT ${isHidden(sql`AND "expiresAt" >= ${leaseEndedBefore}`)}
      ${ids === undefined ? empty : sql`AND "id" IN (${join(ids)})`}`,
    deleteChat: (chatId: string): Sql => sql`DELETE FROM ${chats} WHERE "id" = ${chatId}`,
    /** One row { seq }: the nth newest row of a chat before a seq, or none. */
    nthNewest: (name: NumberedTable, chatId: string, before: number, nth: number): Sql => sql`
      SELECT "seq" FROM ${table(name)} WHERE "chatId" = ${chatId} AND "seq" < ${before}
      ORDER BY "seq" DESC ${part(1, nth - 1)}`,
    /** Deletes a chat's rows in a range of seqs, end exclusive. */
    deleteRange: (name: NumberedTable, chatId: string, firstSeq: number, before: number): Sql =>
      sql`DELETE FROM ${table(name)} WHERE "chatId" = ${chatId} AND "seq" >= ${firstSeq} AND "seq" < ${before}`,

    deleteDeletionsBefore: (createdAt: number): Sql => sql`DELETE FROM ${deletions} WHERE "createdAt" < ${createdAt}`,
    /** One row { createdAt }, or none. */
    deletionOf: (chatId: string): Sql => sql`SELECT "createdAt" FROM ${deletions} WHERE "id" = ${chatId}`,
    deleteDeletion: (chatId: string): Sql => sql`DELETE FROM ${deletions} WHERE "id" = ${chatId}`,
    insertDeletion: ({ chatId, ...row }: Deletion): Sql => insertRows(d, 'deleted_chats', [{ id: chatId, ...row }]),
  };
}
