/** Users with chats. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { UserPosition } from '../../../../conversation/reads.js';
import { TOKENS } from '../../../../conversation/saving/message-usage.js';
import type { UsageFilter, UsagePosition } from '../../../../conversation/saving/monthly-usage.js';
import type { Row } from '../../../../conversation/tables.js';
import type { Differences } from '../../differences.js';
import { namesOf, DELETED_OWNER } from '../fragments.js';

export function userStatements(d: Differences) {
  const { part, table } = d;
  const usage = table('monthly_usage');
  const chats = table('chats');
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
  };
}
