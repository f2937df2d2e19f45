/** Legal holds and the retention of users. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Chat } from '../../conversation/model.js';
import { isTableWith, userIdColumns, type UserIdColumn } from '../../conversation/table-rules.js';
import type { Row } from '../../conversation/tables.js';
import type { Differences } from '../../database/dialects/differences.js';
import { columnsOf, insertRows, isAfter, isThere, namesOf } from '../../database/dialects/base/fragments.js';
import type { HoldTarget } from './legal-hold.js';

type HoldRow = Row<'legal_holds'>;

/** The condition that a hold is on a chat or its owner. */
export const isHeld = (d: Differences, chatId: Sql, userId: Sql): Sql => sql`
  EXISTS (SELECT 1 FROM ${d.table('legal_holds')} l
    WHERE l."scope" = 'CHAT' AND l."targetId" = ${chatId} OR l."scope" = 'USER' AND l."targetId" = ${userId})`;

/** The columns with the members of a chat, and with users in each of its changes. */
const NAMED_USERS = [
  ...userIdColumns('replace').filter(({ table }) => isTableWith(table, { removal: 'seq' })),
  ...userIdColumns('remove').filter(({ table }) => isTableWith(table, { rowsOf: 'chat' })),
];

export function retentionStatements(d: Differences) {
  const { part, table } = d;
  const holds = table('legal_holds');
  const imports = table('chat_imports');
  const chats = table('chats');
  const columns = columnsOf('l', namesOf('legal_holds'));
  const beyond = (position: HoldTarget | null, comparison: '<' | '>'): Sql[] => {
    if (position === null) return [];
    const { scope, targetId } = position;
    const is = raw(comparison);
    return [sql`(l."scope" ${is} ${scope} OR l."scope" = ${scope} AND l."targetId" ${is} ${targetId})`];
  };

  return {
    /** The holds on any of these chats and users. */
    holds: (chatIds: readonly string[], userIds: readonly string[]): Sql => sql`
      SELECT ${columns} FROM ${holds} l WHERE l."scope" = 'CHAT' AND ${d.isOneOf(raw('l."targetId"'), chatIds)}
      UNION ALL
      SELECT ${columns} FROM ${holds} l WHERE l."scope" = 'USER' AND ${d.isOneOf(raw('l."targetId"'), userIds)}`,
    /** Holds in a range of the list, first or last `count`. */
    holdPage: (
      { after, before }: { after: HoldTarget | null; before: HoldTarget | null },
      from: 'first' | 'last',
      limit: number,
    ): Sql => sql`
      SELECT ${columns} FROM ${holds} l
      WHERE ${join([raw('1 = 1'), ...beyond(after, '>'), ...beyond(before, '<')], ' AND ')}
      ORDER BY ${raw(from === 'first' ? 'l."scope", l."targetId"' : 'l."scope" DESC, l."targetId" DESC')} ${part(limit, 0)}`,
    insertHold: (hold: HoldRow): Sql => insertRows(d, 'legal_holds', [hold]),
    deleteHold: ({ scope, targetId }: HoldTarget): Sql =>
      sql`DELETE FROM ${holds} WHERE "scope" = ${scope} AND "targetId" = ${targetId}`,
    /** Locks the row of a deleted chat that can be restored: changes one row, or none. */
    lockDeletion: (chatId: string): Sql =>
      sql`UPDATE ${imports} SET "expiresAt" = "expiresAt" WHERE "chatId" = ${chatId} AND "deletedAt" IS NOT NULL`,
    /** At most one row { id }: a held chat of a user, which may be deleted. */
    heldChatOf: (userId: string): Sql => sql`
      SELECT h."id" FROM (
        SELECT l."targetId" AS "id" FROM ${holds} l ${d.join} ${chats} c ON c."id" = l."targetId"
        WHERE l."scope" = 'CHAT' AND c."userId" = ${userId}
        UNION ALL
        SELECT l."targetId" FROM ${holds} l ${d.join} ${imports} i ON i."chatId" = l."targetId"
        WHERE l."scope" = 'CHAT' AND i."userId" = ${userId}
      ) h ORDER BY h."id" ${part(1, 0)}`,
    /**
     * At most one row { id }: a held chat that a user has changed or is a member of, or that names the user as an author, as
     * forks and imports do. No index has these users: all rows may be read.
     */
    heldChatBy(userId: string): Sql {
      const held = ({ table: name, column }: UserIdColumn): Sql => sql`
        SELECT e."chatId" AS "id" FROM ${table(name)} e ${d.join} ${chats} c ON c."id" = e."chatId"
        LEFT JOIN ${imports} i ON i."chatId" = e."chatId"
        ${d.join} ${holds} l ON l."scope" = 'CHAT' AND l."targetId" = e."chatId"
          OR l."scope" = 'USER' AND l."targetId" IN (c."userId", i."userId")
        WHERE ${raw(`e."${column}"`)} = ${userId}`;
      return sql`
      SELECT h."id" FROM (
        ${join(NAMED_USERS.map(held), ' UNION ALL ')}
      ) h
      ORDER BY h."id" ${part(1, 0)}`;
    },

    /** Rows { userId, days } of users after one, in order; '' starts. */
    retentions: (after: string, limit: number): Sql => sql`
      SELECT "userId", "days" FROM ${table('user_retention')} WHERE ${isAfter(raw('"userId"'), after)}
      ORDER BY "userId" ${part(limit, 0)}`,
    /** One row { days }, or none. */
    retentionOf: (userId: string): Sql => sql`SELECT "days" FROM ${table('user_retention')} WHERE "userId" = ${userId}`,
    insertRetentions: (rows: readonly Row<'user_retention'>[]): Sql => insertRows(d, 'user_retention', rows),
    deleteRetentionOf: (userId: string): Sql => sql`DELETE FROM ${table('user_retention')} WHERE "userId" = ${userId}`,
    /** Rows { id, userId, updatedAt } of chats without a hold that were last changed before a time, in this order. */
    expiredChats: (
      {
        before,
        userId,
        after,
      }: { before: number; userId: string | null; after: Pick<Chat, 'id' | 'updatedAt'> | null },
      limit: number,
    ): Sql => {
      const conditions = [
        userId === null ? isThere : sql`c."userId" = ${userId}`,
        sql`c."updatedAt" < ${d.number(before)}`,
        ...(after === null
          ? []
          : [
              sql`c."updatedAt" >= ${d.number(after.updatedAt)}`,
              sql`(c."updatedAt" > ${d.number(after.updatedAt)} OR ${isAfter(raw('c."id"'), after.id)})`,
            ]),
        sql`NOT ${isHeld(d, raw('c."id"'), raw('c."userId"'))}`,
      ];
      return sql`
      SELECT c."id", c."userId", c."updatedAt" FROM ${chats} c WHERE ${join(conditions, ' AND ')}
      ORDER BY c."updatedAt", c."id" ${part(limit, 0)}`;
    },
  };
}
