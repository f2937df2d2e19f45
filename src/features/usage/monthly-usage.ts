/** The tokens of a month by owner and model. They are kept when chats are deleted, so that they add up for bills. */
import { createHash } from 'node:crypto';
import type { Row } from '../../conversation/tables.js';
import { addUsage, type ModelUsage } from '../../conversation/saving/message-usage.js';

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

/** The rows to add to, ordered by id: concurrent saves lock rows in one order. @param at milliseconds since 1970 */
export function usageRows(userId: string, at: number, sums: readonly ModelUsage[]): Row<'monthly_usage'>[] {
  const month = new Date(at).toISOString().slice(0, 7);
  // SQL Server ignores spaces at the end when it compares.
  const storable = sums.map((sum) => ({ ...sum, model: (sum.model ?? '').trimEnd() }));
  const rows = storable.reduce<ModelUsage[]>(addUsage, []).map(({ model: named, ...counts }) => {
    const model = named ?? '';
    const id = createHash('sha256')
      .update(JSON.stringify([month, userId, model]))
      .digest('hex');
    return { id, month, userId, model, ...counts };
  });
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Whether a text is a month such as 2026-11. */
export function isMonth(text: string): boolean {
  return /^[0-9]{4}-(0[1-9]|1[0-2])$/.test(text);
}
