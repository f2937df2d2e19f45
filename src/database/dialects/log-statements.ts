/** Statements on the log that SQLite and PostgreSQL take word for word, and parts that all three take. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { EventFilter } from '../../conversation/reads.js';
import type { Dialect, EventRange } from './dialect.js';

export const sharedLogStatements: Pick<Dialect, 'eventsAfter'> = {
  eventsAfter: (chatId, after, limit) => sql`
    SELECT e.*, d."createdAt" AS "deletedAt"
    FROM chat_events e LEFT JOIN deleted_chats d ON d."id" = e."chatId"
    WHERE e."chatId" = ${chatId} AND e."seq" > ${after}
    ORDER BY e."seq" LIMIT ${limit}`,
};

/** The order in which a range is looked through from one of its ends. */
export const ORDER = { first: raw('ASC'), last: raw('DESC') };

/** What a filter asks of an event s. */
export function eventConditions({ types, actorId, createdAfter, createdBefore }: EventFilter): Sql {
  const conditions = [
    ...(types === null ? [] : [sql`AND s."type" IN (${join(types)})`]),
    ...(actorId === null ? [] : [sql`AND s."actorId" = ${actorId}`]),
    ...(createdAfter === null ? [] : [sql`AND s."createdAt" > ${createdAfter}`]),
    ...(createdBefore === null ? [] : [sql`AND s."createdAt" < ${createdBefore}`]),
  ];
  return conditions.length === 0 ? empty : join(conditions, ' ');
}

/** What asks for the events about branches, where that is asked for. */
export function ofBranch(ranges: readonly EventRange[], condition: Sql): Sql {
  return ranges.some(({ branchId }) => branchId !== null) ? condition : empty;
}
