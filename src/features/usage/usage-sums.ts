/** Counts the tokens of saved messages, and reads the sums: also where no server opens the database. */
import { MAX_INT } from '../../conversation/bounds.js';
import type { PageRequest, Slice } from '../../conversation/paging.js';
import { addUsage, type ModelUsage } from '../../conversation/saving/message-usage.js';
import type { Connection } from '../../database/connection/connection.js';
import { positionedPage } from '../../database/reading/positioned-page.js';
import type { OpenFeature } from '../../feature.js';
import { usageRows, type MonthlyUsage, type UsageFilter, type UsagePosition } from './monthly-usage.js';
import { usageStatements } from './statements.js';

declare module '../../conversation/reads.js' {
  interface FeatureReads {
    /** Sums by month, user and model, in this order. */
    usagePage(filter: UsageFilter, page: PageRequest<UsagePosition>): Promise<Omit<Slice<MonthlyUsage>, 'totalCount'>>;
  }
}

export function usageSums({ sql: { differences } }: Pick<Connection, 'sql'>): OpenFeature {
  const sql = usageStatements(differences);
  return {
    lastStatements: ({ chat, now, isSave, messages }) => {
      let sums: ModelUsage[] = [];
      if (isSave) for (const { ownUsage } of messages) if (ownUsage) sums = addUsage(sums, ownUsage);
      if (sums.length === 0) return [];
      const rows = usageRows(chat.userId, now, sums);
      return [sql.insertUsage(rows), ...rows.map((row) => sql.addUsage(row))];
    },
    reads: ({ rows }) => ({
      usagePage: (filter, page) =>
        positionedPage(page, {
          read: (range, from, limit) => rows(sql.usagePage(filter, range, from, Math.min(limit, MAX_INT)), Infinity),
          isAnythingAt: async (range) => (await rows(sql.usagePage(filter, range, 'first', 1), Infinity)).length > 0,
          positionOf: ({ month, userId, model }) => ({ month, userId, model }),
        }),
    }),
  };
}
