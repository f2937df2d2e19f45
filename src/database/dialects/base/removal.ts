/** Hidden chats, which imports in several transactions write, removing chats, and the deletion records kept for a limited time. */
import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Deletion } from '../../../conversation/model.js';
import type { NumberedTable, TablesWith } from '../../../conversation/table-rules.js';
import type { Row } from '../../../conversation/tables.js';
import type { Differences } from '../differences.js';
import { insertRows, DELETED_OWNER } from './fragments.js';

/** The columns of DeletedChats, without a condition. Hidden chats that imports write are among them. */
export const selectDeletedChats = ({ table }: Differences): Sql => sql`
  SELECT i."chatId" AS "id", i."userId", c."title", c."updatedAt", i."deletedAt", i."expiresAt" AS "restorableUntil"
  FROM ${table('chat_imports')} i JOIN ${table('chats')} c ON c."id" = i."chatId"`;

export function removalStatements(d: Differences) {
  const { part, table } = d;
  const chats = table('chats');
  const imports = table('chat_imports');
  const deletions = table('deleted_chats');
  /** The condition that a chat's rows are its own. */
  const isHidden = (lease: Sql = empty): Sql =>
    sql`EXISTS (SELECT 1 FROM ${imports} i WHERE i."chatId" = "id" AND i."afterSeq" IS NULL ${lease})`;

  return {
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
      ${selectDeletedChats(d)} WHERE i."chatId" = ${id} AND i."deletedAt" IS NOT NULL`,
    /** One row { createdAt }, or none. */
    deletionOf: (chatId: string): Sql => sql`SELECT "createdAt" FROM ${deletions} WHERE "id" = ${chatId}`,
    deleteDeletion: (chatId: string): Sql => sql`DELETE FROM ${deletions} WHERE "id" = ${chatId}`,
    insertDeletion: ({ chatId, ...row }: Deletion): Sql => insertRows(d, 'deleted_chats', [{ id: chatId, ...row }]),
    deleteRowsOfChat: (name: TablesWith<{ removal: 'few' } | { hasChats: true }>, chatId: string): Sql =>
      sql`DELETE FROM ${table(name)} WHERE "chatId" = ${chatId}`,

    /** One row { userId, holder, expiresAt, afterSeq, deletedAt }, or none. */
    importOf: (chatId: string): Sql =>
      sql`SELECT "userId", "holder", "expiresAt", "afterSeq", "deletedAt" FROM ${imports} WHERE "chatId" = ${chatId}`,
    /** Changes one row, or none when the lease was lost. */
    renewImport: (chatId: string, holder: string, expiresAt: number): Sql =>
      sql`UPDATE ${imports} SET "expiresAt" = ${expiresAt} WHERE "chatId" = ${chatId} AND "holder" = ${holder}`,
    /** Changes one row, or none while the lease is valid. */
    takeOverImport: (
      { chatId, userId, holder, expiresAt }: Omit<Row<'chat_imports'>, 'afterSeq' | 'deletedAt'>,
      now: number,
    ): Sql => sql`
      UPDATE ${imports} SET "holder" = ${holder}, "expiresAt" = ${expiresAt}
      WHERE "chatId" = ${chatId} AND "userId" = ${userId} AND "expiresAt" < ${now} AND "deletedAt" IS NULL`,
    deleteImport: (chatId: string): Sql => sql`DELETE FROM ${imports} WHERE "chatId" = ${chatId}`,
    /** Deletes the row of a hidden chat, unless its lease was renewed. */
    deleteEndedImport: (chatId: string, leaseEndedBefore: number): Sql => sql`
      DELETE FROM ${imports}
      WHERE "chatId" = ${chatId} AND "expiresAt" < ${leaseEndedBefore} AND "afterSeq" IS NULL`,
    setCreatedAt: (chatId: string, createdAt: number): Sql =>
      sql`UPDATE ${chats} SET "createdAt" = ${createdAt} WHERE "id" = ${chatId}`,
  };
}
