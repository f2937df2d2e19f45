import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { ChatStatusKey } from '../../../conversation/log-reads.js';
import type { EventFilter, SeqRange } from '../../../conversation/reads.js';
import type { EventRange } from '../requests.js';
import type { Differences } from '../differences.js';
import { statementTemplate } from '../statement-template.js';
import { columnsOf, isThere, namesOf, type Fragments } from './fragments.js';

const eventColumns = columnsOf('e', namesOf('chat_events'));
export const DELETED_COLUMNS = raw(
  'd."userId" AS "deletedUserId", d."seq" AS "deletedSeq", d."actorId" AS "deletedBy", d."createdAt" AS "deletedAt"',
);
const ORDER = { first: raw('ASC'), last: raw('DESC') };

export function logStatements(d: Differences, f: Fragments) {
  const { limit, top } = d;
  const events = d.table('chat_events');
  const chatAndDeletion = (id: Sql): Sql => sql`
      LEFT JOIN ${d.table('chats')} c ON c."id" = ${id} AND ${isThere}
      ${d.lookUpOrNull('deleted_chats', 'd', sql`d."id" = ${id}`)}`;
  const inRange = ({ chatId, firstSeq, lastSeq }: SeqRange): Sql =>
    sql`e."chatId" = ${chatId} AND e."seq" BETWEEN ${d.number(firstSeq)} AND ${d.number(lastSeq)}`;

  return {
    /** Rows of events with n. */
    events(ranges: readonly SeqRange[]): Sql {
      const k = d.keys(ranges, { chatId: 'chat', firstSeq: 'int', lastSeq: 'int' });
      const on = sql`e."chatId" = ${k.chatId} AND e."seq" BETWEEN ${k.firstSeq} AND ${k.lastSeq}`;
      return sql`
      SELECT ${k.n} AS "n", ${eventColumns} FROM ${k.from} ${d.lookUp('chat_events', 'e', on)} ORDER BY "n", e."seq"`;
    },
    /** Rows of events that match a filter: the first or last `count` of each range, in any order. */
    filteredEvents(ranges: readonly EventRange[], filter: EventFilter, from: 'first' | 'last', count: number): Sql {
      const k = d.keys(ranges, { chatId: 'chat', firstSeq: 'int', lastSeq: 'int', branchId: 'key' });
      const isOfBranch = ranges.some(({ branchId }) => branchId !== null);
      return sql`
      SELECT ${k.n} AS "n", ${eventColumns} FROM ${k.from} ${d.firstOfEach('e', {
        table: 'chat_events',
        where: sql`s."chatId" = ${k.chatId} AND s."seq" BETWEEN ${k.firstSeq} AND ${k.lastSeq} ${eventConditions(filter)}
        ${isOfBranch ? sql`AND ${d.payloadMember('s', 'branchId')} = ${k.branchId}` : empty}`,
        order: sql`s."seq" ${ORDER[from]}`,
        limit: count,
      })}`;
    },
    /** Rows of events after a seq, in order, with deletedAt: see rows.ts. */
    eventsAfter: (chatId: string, after: number, count: number): Sql => sql`
      SELECT ${top(count)} ${eventColumns}, d."createdAt" AS "deletedAt"
      FROM ${events} e LEFT JOIN ${d.table('deleted_chats')} d ON d."id" = e."chatId"
      WHERE e."chatId" = ${chatId} AND e."seq" > ${after} ORDER BY e."seq" ${limit(count)}`,
    /** Rows { chatId, userId, members, version, deletedUserId, deletedSeq, deletedBy, deletedAt }. */
    logStates: d.kept((chatIds: readonly string[]): Sql => {
      const k = f.chats(chatIds);
      return sql`
      SELECT ${k.id} AS "chatId", c."userId", ${f.members(k.chat)}, c."version", ${DELETED_COLUMNS} FROM ${k.from} ${chatAndDeletion(k.id)}`;
    }),
    /**
     * The logStates rows with madeAt, the time of the first event, and transfer and transferredAt of each transfer
     * after a seq, or nulls.
     */
    chatStatuses(keys: readonly ChatStatusKey[]): Sql {
      const k = d.keys(keys, { chatId: 'chat', after: 'int' });
      return sql`
      SELECT ${k.chatId} AS "chatId", c."userId", ${f.members(k.chat)}, c."version", ${DELETED_COLUMNS}, e."createdAt" AS "madeAt",
        t."payload" AS "transfer", t."createdAt" AS "transferredAt"
      FROM ${k.from} ${chatAndDeletion(k.chatId)}
      LEFT JOIN ${events} e ON e."chatId" = c."id" AND e."seq" = 1
      ${d.lookUpOrNull('chat_events', 't', sql`t."chatId" = c."id" AND t."chatId" = ${k.chatId} AND t."seq" > ${k.after} AND t."type" = 'ChatTransferred'`)}`;
    },
    /** One row { version, branchId, headId } of a branch, of the active one by default, or none. */
    headNow: statementTemplate(
      (chatId: string, branchName: string | null) => sql`
      SELECT c."version", b."id" AS "branchId", b."headMessageId" AS "headId"
      FROM ${d.table('chats')} c JOIN ${d.table('branches')} b ON b."chatId" = c."id"
      WHERE c."id" = ${chatId} AND ${isThere} AND ${f.isNamed(branchName)}`,
    ),
    /** One row { branchId }: the first or last activation in a range, or none. */
    nearestActivation: (range: SeqRange, nearest: 'first' | 'last'): Sql => sql`
      SELECT ${top(1)} ${d.payloadMember('e', 'branchId')} AS "branchId" FROM ${events} e
      WHERE ${inRange(range)} AND e."type" = 'BranchActivated' ORDER BY e."seq" ${ORDER[nearest]} ${limit(1)}`,
    /** Rows { seq, branchId, headId } of events in a range that created or moved one of these branches. */
    headEvents: (range: SeqRange, branchIds: readonly string[]): Sql => sql`
      SELECT e."seq", ${d.payloadMember('e', 'branchId')} AS "branchId", ${d.payloadMember('e', 'headId')} AS "headId"
      FROM ${events} e
      WHERE ${inRange(range)} AND e."type" IN ('BranchCreated', 'BranchHeadMoved')
        AND ${d.isOneOf(d.payloadMember('e', 'branchId'), branchIds)}`,
    /** Rows of events in a range that renamed or deleted branches, in order. */
    lostNames: (range: SeqRange): Sql => sql`
      SELECT ${eventColumns} FROM ${events} e
      WHERE ${inRange(range)} AND e."type" IN ('BranchRenamed', 'BranchDeleted') ORDER BY e."seq"`,
  };
}

function eventConditions({ types, actorId, createdAfter, createdBefore }: EventFilter): Sql {
  const conditions = [
    ...(types === null ? [] : [sql`AND s."type" IN (${join(types)})`]),
    ...(actorId === null ? [] : [sql`AND s."actorId" = ${actorId}`]),
    ...(createdAfter === null ? [] : [sql`AND s."createdAt" > ${createdAfter}`]),
    ...(createdBefore === null ? [] : [sql`AND s."createdAt" < ${createdBefore}`]),
  ];
  return conditions.length === 0 ? empty : join(conditions, ' ');
}
