/** Statements on the log that SQLite and PostgreSQL take word for word. */
import sql from 'sql-template-tag';
import type { Dialect } from './dialect.js';

export const sharedLogStatements: Pick<Dialect, 'eventsAfter'> = {
  eventsAfter: (chatId, after, limit) => sql`
    SELECT e.*, d."createdAt" AS "deletedAt"
    FROM chat_events e LEFT JOIN deleted_chats d ON d."id" = e."chatId"
    WHERE e."chatId" = ${chatId} AND e."seq" > ${after}
    ORDER BY e."seq" LIMIT ${limit}`,
};
