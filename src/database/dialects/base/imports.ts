/** Imports that write a chat in several transactions. */
import sql, { type Sql } from 'sql-template-tag';
import type { Row } from '../../../conversation/tables.js';
import type { Differences } from '../differences.js';
import { insertRows } from './fragments.js';

type ChatImport = Row<'chat_imports'>;

export function importStatements(d: Differences) {
  const imports = d.table('chat_imports');

  return {
    /** One row { userId, holder, expiresAt, afterSeq, deletedAt }, or none. */
    importOf: (chatId: string): Sql =>
      sql`SELECT "userId", "holder", "expiresAt", "afterSeq", "deletedAt" FROM ${imports} WHERE "chatId" = ${chatId}`,
    insertImport: (row: ChatImport): Sql => insertRows(d, 'chat_imports', [row]),
    /** Changes one row, or none when the lease was lost. */
    renewImport: (chatId: string, holder: string, expiresAt: number): Sql =>
      sql`UPDATE ${imports} SET "expiresAt" = ${expiresAt} WHERE "chatId" = ${chatId} AND "holder" = ${holder}`,
    /** Changes one row, or none while the lease is valid. */
    takeOverImport: (
      { chatId, userId, holder, expiresAt }: Omit<ChatImport, 'afterSeq' | 'deletedAt'>,
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
      sql`UPDATE ${d.table('chats')} SET "createdAt" = ${createdAt} WHERE "id" = ${chatId}`,
  };
}
