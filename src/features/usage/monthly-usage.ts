/** The tokens of a month by owner and model. They are kept when chats are deleted, so that they add up for bills. */
import { hash } from 'node:crypto';
import type { PageRequest, Slice } from '../../conversation/paging.js';
import { declareReads } from '../../conversation/read-rules.js';
import type { Row } from '../../conversation/tables.js';
import type { Connection } from '../../database/connection/connection.js';
import { ROWS_PER_STEP } from '../../database/copy-of-users.js';
import { positionedPage } from '../../database/reading/positioned-page.js';
import type { OpenFeature } from '../../feature.js';
import { addUsage, type ModelUsage } from './message-usage.js';
import { usageStatements, type MonthlyUsage, type UsageFilter, type UsagePosition } from './statements.js';

type MonthlyRow = Row<'monthly_usage'>;

declare module '../../conversation/reads.js' {
  interface FeatureReads {
    /** Sums by month, user and model, in this order. */
    usagePage(filter: UsageFilter, page: PageRequest<UsagePosition>): Promise<Omit<Slice<MonthlyUsage>, 'totalCount'>>;
  }
}

declareReads({ usagePage: { state: 'current' } });

/** Counts saved messages, and reads the sums: also where no server opens the database. */
export function countUsage({ sql: { differences } }: Pick<Connection, 'sql'>): OpenFeature {
  const sql = usageStatements(differences);
  return {
    lastStatements: ({ chat, now, isSave, messages }) => {
      const stated: ModelUsage[] = [];
      if (isSave) for (const { ownUsage } of messages) if (ownUsage) stated.push(ownUsage as ModelUsage);
      if (stated.length === 0) return [];
      const rows = usageRows(chat.userId, now, stated);
      return [sql.insertUsage(rows), ...rows.map((row) => sql.updateMonth(row, 'add'))];
    },
    reads: ({ rows }) => ({
      usagePage: (filter, page) =>
        positionedPage(page, {
          read: (range, from, limit) => rows(sql.usagePage(filter, range, from, limit), Infinity),
          positionOf: ({ month, userId, model }) => ({ month, userId, model }),
        }),
    }),
  };
}

/** All sums, in pages. */
export async function* usagePages({ sql, read }: Connection, filter: UsageFilter): AsyncGenerator<MonthlyRow[]> {
  const { usagePage } = usageStatements(sql.differences);
  for (let after: UsagePosition | undefined, isDone = false; !isDone;) {
    const page = usagePage(filter, { after: after ?? null, before: null }, 'first', ROWS_PER_STEP);
    const rows = await read((db) => db.rows<MonthlyRow>(page));
    yield rows;
    after = rows.at(-1);
    isDone = rows.length < ROWS_PER_STEP;
  }
}

/** A row that the target has with as many messages or more stays: its servers may have counted further. */
export async function copyUsage(source: Connection, target: Connection): Promise<void> {
  const sql = usageStatements(target.sql.differences);
  for await (const rows of usagePages(source, { from: null, to: null, userId: null })) {
    if (rows.length === 0) return;
    await target.write('usage', async (tx) => {
      await tx.run(sql.insertUsage(rows));
      for (const row of rows) await tx.run(sql.updateMonth(row, 'replace'));
    });
  }
}

/** The rows to add to, ordered by id: concurrent saves lock rows in one order. @param at milliseconds since 1970 */
function usageRows(userId: string, at: number, stated: readonly ModelUsage[]): MonthlyRow[] {
  const month = new Date(at).toISOString().slice(0, 7);
  // SQL Server ignores spaces at the end when it compares.
  const storable = stated.map((each) => ({ ...each, model: (each.model ?? '').trimEnd() }));
  const rows = storable.reduce<ModelUsage[]>(addUsage, []).map(({ model: named, ...counts }) => {
    const model = named ?? '';
    const id = hash('sha256', JSON.stringify([month, userId, model]));
    return { id, month, userId, model, ...counts };
  });
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Whether a text is a month such as 2026-11. */
export function isMonth(text: string): boolean {
  return /^[0-9]{4}-(0[1-9]|1[0-2])$/.test(text);
}
