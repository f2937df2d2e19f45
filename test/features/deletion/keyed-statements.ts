import type { Sql } from 'sql-template-tag';
import { tablesWith } from '../../../src/conversation/table-rules.js';
import { isKept } from '../../../src/database/change-hooks.js';
import { PLAIN_SCOPE, type Connection } from '../../../src/database/connection/connection.js';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { deletionStatements } from '../../../src/features/deletion/statements.js';
import { guardsOf } from '../../../src/features/all-guards.js';

const deletedChat = { id: 'c', userId: 'u', title: null, updatedAt: 1, deletedAt: 1, restorableUntil: 1 };

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements(dialect: Dialect): Record<string, Sql[]> {
  const sql = deletionStatements(dialect.differences);
  const kept = isKept({ hooks: guardsOf({ sql: dialect, scope: PLAIN_SCOPE } as Connection) });
  return {
    deletedChats: [
      sql.deletedChats('u', { after: { deletedAt: 1, id: 'c' }, before: null }, 'first', 9),
      sql.deletedChats('u', { after: null, before: { deletedAt: 1, id: 'c' } }, 'last', 9),
    ],
    deletedChatCount: [sql.deletedChatCount('u')],
    dueChats: [sql.dueChats(1, kept, 9)],
    deleteDeletedChat: [sql.deleteDeletedChat(deletedChat)],
    giveOwner: [sql.giveOwner('c', 'u')],
    deleteDeletionsBefore: [sql.deleteDeletionsBefore(1)],
    chatsOfUser: [sql.chatsOfUser('u', 9)],
    updatePayload: [sql.updatePayload({ chatId: 'c', seq: 1 }, '{}')],
  };
}

/** Those of them that touch several partitions, with the reason. */
export const ACROSS_CHATS = {
  chatsOfUser: 'reads the chats of a user',
  deletedChats: 'reads the chats of a user',
  deletedChatCount: 'reads the chats of a user',
  dueChats: 'sweeps all chats',
};

/** The others. */
export function otherStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = deletionStatements(differences);
  const [from, to] = [
    { chatId: 'c', seq: 1 },
    { chatId: "c'", seq: 9 },
  ];
  return {
    deletedChats: (['first', 'last'] as const).flatMap((end) =>
      [null, { deletedAt: 2 ** 43, id: "c'" }].flatMap((after) =>
        [null, { deletedAt: 1, id: 'c' }].map((before) => sql.deletedChats("u'", { after, before }, end, 9)),
      ),
    ),
    lockDeletionsOf: [sql.lockDeletionsOf("u'")],
    deleteImportsOf: [sql.deleteImportsOf("u'")],
    rowsNaming: tablesWith({ isErasedById: true }).flatMap((table) =>
      ['', "u'"].map((after) => sql.rowsNaming(table, 'u', after, 100)),
    ),
    replaceUserId: [
      sql.replaceUserId({ table: 'chat_members', column: 'addedBy' }, "u'", 'erased'),
      sql.replaceUserId({ table: 'deleted_chats', column: 'userId' }, 'u', '', { afterId: '', toId: "c'" }),
      ...[from, to].map((end) =>
        sql.replaceUserId({ table: 'messages', column: 'createdBy' }, 'u', 'v', { after: from, to: end }),
      ),
    ],
    userIdsAfter: [{ chatId: '', seq: 0 }, from].map((after) => sql.userIdsAfter('chat_events', 'actorId', after, 100)),
    deleteRowsOfUser: [sql.deleteRowsOfUser({ table: 'user_files', column: 'userId' }, "u'")],
    eventsWithUsers: [sql.eventsWithUsers(to, 9)],
  };
}
