/** Users with chats, and the statements that erase one. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { SeqRange, UserPosition } from '../../../../conversation/reads.js';
import { TOKENS } from '../../../../conversation/saving/message-usage.js';
import type { UsageFilter, UsagePosition } from '../../../../conversation/saving/monthly-usage.js';
import type { Row } from '../../../../conversation/tables.js';
import type { Differences } from '../../differences.js';
import { isAfter, namesOf, DELETED_OWNER } from '../fragments.js';

/** The position of a walk through all events. */
export interface EventPosition {
  /** '' before the first. */
  chatId: string;
  seq: number;
}

/** Tables with an owner and an actor that no chat limits. */
export type NamingTable = 'deleted_chats' | 'webhook_deliveries';

export function userStatements(d: Differences) {
  const { part, table } = d;
  const usage = table('monthly_usage');
  const chats = table('chats');
  const members = table('chat_members');
  const behind = (id: string): Sql => isAfter(raw('"id"'), id);
  const beyond = ({ chatId, seq }: EventPosition): Sql =>
    chatId === '' ? sql`1 = 1` : sql`("chatId" > ${chatId} OR "chatId" = ${chatId} AND "seq" > ${seq})`;

  // An exact substring test with equal results on all databases, unlike LIKE.
  const ofUsers = (search: string): Sql =>
    sql`"userId" <> ${DELETED_OWNER} ${search === '' ? empty : sql`AND replace("userId", ${search}, '') <> "userId"`}`;
  const beyondUser = (position: UserPosition | null, comparison: '<' | '>'): Sql[] => {
    if (position === null) return [];
    const { lastActiveAt, id } = position;
    const is = raw(comparison);
    return [
      sql`(max("updatedAt") ${is} ${lastActiveAt} OR max("updatedAt") = ${lastActiveAt} AND "userId" ${is} ${id})`,
    ];
  };

  const beyondUsage = ({ month, userId, model }: UsagePosition, comparison: '<' | '>'): Sql => {
    const is = raw(comparison);
    return sql`("month" ${is} ${month} OR "month" = ${month}
      AND ("userId" ${is} ${userId} OR "userId" = ${userId} AND "model" ${is} ${model}))`;
  };

  return {
    /** Rows without counts; existing ones stay unchanged. */
    insertMonthlyUsage: (rows: readonly Row<'monthly_usage'>[]): Sql =>
      d.insert(
        'monthly_usage',
        rows.map(({ id, month, userId, model }) => {
          const tokens = { inputTokens: null, outputTokens: null, reasoningTokens: null, cachedInputTokens: null };
          return { id, month, userId, model, messages: 0, ...tokens };
        }),
        'id',
      ),
    addMonthlyUsage: ({ id, messages, ...row }: Row<'monthly_usage'>): Sql => {
      const stated = TOKENS.map((name) => {
        const value = row[name];
        const column = raw(`"${name}"`);
        return value === null ? empty : sql`, ${column} = COALESCE(${column}, 0) + ${d.number(value)}`;
      });
      return sql`UPDATE ${usage} SET "messages" = "messages" + ${d.number(messages)} ${join(stated, ' ')} WHERE "id" = ${id}`;
    },
    /** Replaces the counts of a row that has fewer messages. */
    setMonthlyUsage: ({ id, messages, ...row }: Row<'monthly_usage'>): Sql => {
      const counts = TOKENS.map((name) => {
        const value = row[name];
        return sql`, ${raw(`"${name}"`)} = ${value === null ? raw('NULL') : d.number(value)}`;
      });
      return sql`
      UPDATE ${usage} SET "messages" = ${d.number(messages)} ${join(counts, ' ')}
      WHERE "id" = ${id} AND "messages" < ${d.number(messages)}`;
    },
    /** Rows in a range of the list, first or last `count`. */
    monthlyUsage: (
      { from, to, userId }: UsageFilter,
      { after, before }: { after: UsagePosition | null; before: UsagePosition | null },
      end: 'first' | 'last',
      limit: number,
    ): Sql => {
      const conditions = [
        sql`1 = 1`,
        ...(from === null ? [] : [sql`"month" >= ${from}`]),
        ...(to === null ? [] : [sql`"month" <= ${to}`]),
        ...(userId === null ? [] : [sql`"userId" = ${userId}`]),
        ...(after === null ? [] : [beyondUsage(after, '>')]),
        ...(before === null ? [] : [beyondUsage(before, '<')]),
      ];
      const order = end === 'first' ? '"month", "userId", "model"' : '"month" DESC, "userId" DESC, "model" DESC';
      return sql`
      SELECT ${raw(
        namesOf('monthly_usage')
          .map((name) => `"${name}"`)
          .join(', '),
      )} FROM ${usage}
      WHERE ${join(conditions, ' AND ')} ORDER BY ${raw(order)} ${part(limit, 0)}`;
    },
    deleteMonthlyUsageOf: (userId: string): Sql => sql`DELETE FROM ${usage} WHERE "userId" = ${userId}`,

    /** Rows { id, chatCount, lastActiveAt } of users in a range of the list, first or last `count`. */
    users: (
      search: string,
      { after, before }: { after: UserPosition | null; before: UserPosition | null },
      from: 'first' | 'last',
      limit: number,
    ): Sql => sql`
      SELECT "userId" AS "id", count(*) AS "chatCount", max("updatedAt") AS "lastActiveAt"
      FROM ${chats} WHERE ${ofUsers(search)}
      GROUP BY "userId" HAVING ${join([raw('count(*) > 0'), ...beyondUser(after, '<'), ...beyondUser(before, '>')], ' AND ')}
      ORDER BY ${raw(from === 'first' ? 'max("updatedAt") DESC, "userId" DESC' : 'max("updatedAt"), "userId"')} ${part(limit, 0)}`,
    /** One row { total }. */
    userCount: (search: string): Sql =>
      sql`SELECT count(DISTINCT "userId") AS "total" FROM ${chats} WHERE ${ofUsers(search)}`,

    /** Rows { id } of chats. */
    chatsOfUser: (userId: string, limit: number): Sql =>
      sql`SELECT "id" FROM ${chats} WHERE "userId" = ${userId} ORDER BY "id" ${part(limit, 0)}`,
    /** Rows { id } of deletions or deliveries that name a user, by id, after one; '' starts. */
    rowsNaming: (name: NamingTable, userId: string, after: string, limit: number): Sql => sql`
      SELECT "id" FROM ${table(name)} WHERE ("userId" = ${userId} OR "actorId" = ${userId}) AND ${behind(after)}
      ORDER BY "id" ${part(limit, 0)}`,
    /** Replaces a user's id as owner or actor, in deletions or deliveries of an id range. */
    renameInRows: (
      naming: NamingTable,
      column: 'userId' | 'actorId',
      userId: string,
      name: string,
      range: { after: string; to: string },
    ): Sql => sql`
      UPDATE ${table(naming)} SET ${raw(`"${column}"`)} = ${name}
      WHERE ${raw(`"${column}"`)} = ${userId} AND ${behind(range.after)} AND "id" <= ${range.to}`,
    /**
     * Rows { chatId, seq } of a user's events after a position, in order. No index has the actor: all events are read.
     */
    eventsBy: (actorId: string, after: EventPosition, limit: number): Sql => sql`
      SELECT "chatId", "seq" FROM ${table('chat_events')} WHERE "actorId" = ${actorId} AND ${beyond(after)}
      ORDER BY "chatId", "seq" ${part(limit, 0)}`,
    /** Replaces a user's id in a range of events. */
    renameInEvents: (actorId: string, name: string, range: { after: EventPosition; to: EventPosition }): Sql => sql`
      UPDATE ${table('chat_events')} SET "actorId" = ${name}
      WHERE "actorId" = ${actorId} AND ${beyond(range.after)} AND NOT ${beyond(range.to)}`,

    /** Rows { chatId, seq, payload } of events after a position whose payloads name users, in order. */
    eventsWithUsers: (after: EventPosition, limit: number): Sql => sql`
      SELECT "chatId", "seq", "payload" FROM ${table('chat_events')}
      WHERE "type" IN ('ChatTransferred', 'MemberChanged') AND ${beyond(after)}
      ORDER BY "chatId", "seq" ${part(limit, 0)}`,
    updatePayload: ({ chatId, seq }: EventPosition, payload: string): Sql => sql`
      UPDATE ${table('chat_events')} SET "payload" = ${payload} WHERE "chatId" = ${chatId} AND "seq" = ${seq}`,

    deleteMembershipsOf: (userId: string): Sql => sql`DELETE FROM ${members} WHERE "userId" = ${userId}`,
    /** Replaces a user's id where the user added other members. */
    renameInMembers: (userId: string, name: string): Sql =>
      sql`UPDATE ${members} SET "addedBy" = ${name} WHERE "addedBy" = ${userId}`,
    /** Replaces a user's id in the branches of a chat that the user created. */
    renameInBranches: (chatId: string, userId: string, name: string): Sql => sql`
      UPDATE ${table('branches')} SET "createdBy" = ${name} WHERE "chatId" = ${chatId} AND "createdBy" = ${userId}`,

    /**
     * Rows { seq } of a user's messages in a chat after one, in order. No index has the user: the whole chat is read.
     */
    messagesBy: (createdBy: string, chatId: string, after: number, limit: number): Sql => sql`
      SELECT "seq" FROM ${table('messages')}
      WHERE "chatId" = ${chatId} AND "seq" > ${after} AND "createdBy" = ${createdBy}
      ORDER BY "seq" ${part(limit, 0)}`,
    /** Replaces a user's id in those messages of a chat. */
    renameInMessages: (createdBy: string, name: string, { chatId, firstSeq, lastSeq }: SeqRange): Sql => sql`
      UPDATE ${table('messages')} SET "createdBy" = ${name}
      WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq} AND "createdBy" = ${createdBy}`,
  };
}
