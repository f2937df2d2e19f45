/** The tokens of users by month and model. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { TOKENS } from '../../conversation/saving/message-usage.js';
import type { Row } from '../../conversation/tables.js';
import { namesOf } from '../../database/dialects/base/fragments.js';
import type { Differences } from '../../database/dialects/differences.js';
import type { UsageFilter, UsagePosition } from './monthly-usage.js';

export function usageStatements(d: Differences) {
  const usage = d.table('monthly_usage');
  const beyondUsage = ({ month, userId, model }: UsagePosition, comparison: '<' | '>'): Sql => {
    const is = raw(comparison);
    return sql`("month" ${is} ${month} OR "month" = ${month}
      AND ("userId" ${is} ${userId} OR "userId" = ${userId} AND "model" ${is} ${model}))`;
  };

  return {
    /** Rows without counts; existing ones stay unchanged. */
    insertUsage: (rows: readonly Row<'monthly_usage'>[]): Sql =>
      d.insert(
        'monthly_usage',
        rows.map(({ id, month, userId, model }) => {
          const tokens = { inputTokens: null, outputTokens: null, reasoningTokens: null, cachedInputTokens: null };
          return { id, month, userId, model, messages: 0, ...tokens };
        }),
        'id',
      ),
    addUsage: ({ id, messages, ...row }: Row<'monthly_usage'>): Sql => {
      const stated = TOKENS.map((name) => {
        const value = row[name];
        const column = raw(`"${name}"`);
        return value === null ? empty : sql`, ${column} = COALESCE(${column}, 0) + ${d.number(value)}`;
      });
      return sql`UPDATE ${usage} SET "messages" = "messages" + ${d.number(messages)} ${join(stated, ' ')} WHERE "id" = ${id}`;
    },
    /** Replaces the counts of a row that has fewer messages. */
    setUsage: ({ id, messages, ...row }: Row<'monthly_usage'>): Sql => {
      const counts = TOKENS.map((name) => {
        const value = row[name];
        return sql`, ${raw(`"${name}"`)} = ${value === null ? raw('NULL') : d.number(value)}`;
      });
      return sql`
      UPDATE ${usage} SET "messages" = ${d.number(messages)} ${join(counts, ' ')}
      WHERE "id" = ${id} AND "messages" < ${d.number(messages)}`;
    },
    /** Rows in a range of the list, first or last `count`. */
    usagePage: (
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
      WHERE ${join(conditions, ' AND ')} ORDER BY ${raw(order)} ${d.part(limit, 0)}`;
    },
  };
}
