/** Statements on the log that SQLite and PostgreSQL take word for word. */
import sql, { empty, join, raw } from 'sql-template-tag';
import { ofBranch, type Dialect } from './dialect.js';

export const sharedLogStatements: Pick<Dialect, 'eventsAfter' | 'nearestEvent'> = {
  eventsAfter: (chatId, after, limit) => sql`
    SELECT e.*, d."createdAt" AS "deletedAt"
    FROM chat_events e LEFT JOIN deleted_chats d ON d."id" = e."chatId"
    WHERE e."chatId" = ${chatId} AND e."seq" > ${after}
    ORDER BY e."seq" LIMIT ${limit}`,

  nearestEvent: ({ chatId, firstSeq, lastSeq, nearest, types, branchId }) => sql`
    SELECT * FROM chat_events
    WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq} AND "type" IN (${join(types)})
      ${branchId === null ? empty : sql`AND "payload" LIKE ${ofBranch(branchId)}`}
    ORDER BY "seq" ${raw(nearest === 'first' ? 'ASC' : 'DESC')} LIMIT 1`,
};
