/** The tokens of users by month and model. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { TOKENS } from './message-usage.js';
import type { Row } from '../../conversation/tables.js';
import { columnsOf, namesOf } from '../../database/dialects/base/fragments.js';
import type { Differences } from '../../database/dialects/differences.js';

/** Sums of one user, month and model. */
export type MonthlyUsage = Omit<Row<'monthly_usage'>, 'id'>;

/** The position in the list of usage. */
export type UsagePosition = Pick<MonthlyUsage, 'month' | 'userId' | 'model'>;

export interface UsageFilter {
  /** Both ends inclusive; null without an end. */
  from: string | null;
  to: string | null;
  /** Null for all users. */
  userId: string | null;
}

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
    /** Adds the counts of a row to the stored ones, or replaces those of fewer messages. */
    updateMonth: (row: Row<'monthly_usage'>, how: 'add' | 'replace'): Sql => {
      const counts = (['messages', ...TOKENS] as const).flatMap((name) => {
        const column = raw(`"${name}"`);
        const value = row[name] === null ? null : d.number(row[name]);
        if (how === 'replace') return [sql`${column} = ${value ?? raw('NULL')}`];
        return value === null ? [] : [sql`${column} = COALESCE(${column}, 0) + ${value}`];
      });
      const isFewer = how === 'replace' ? sql`AND "messages" < ${d.number(row.messages)}` : empty;
      return sql`UPDATE ${usage} SET ${join(counts)} WHERE "id" = ${row.id} ${isFewer}`;
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
      SELECT ${columnsOf('u', namesOf('monthly_usage'))} FROM ${usage} u
      WHERE ${join(conditions, ' AND ')} ORDER BY ${raw(order)} ${d.part(limit, 0)}`;
    },
  };
}
