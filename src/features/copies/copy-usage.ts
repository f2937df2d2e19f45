/** Copies the usage of users by month. */
import type { UsagePosition } from '../../conversation/saving/monthly-usage.js';
import type { Row } from '../../conversation/tables.js';
import type { Side } from './side.js';

const ROWS_PER_STEP = 250;
const ALL = { from: null, to: null, userId: null };

/** A row that the target has with as many messages or more stays: its servers may have counted further. */
export async function copyUsage(source: Side, target: Side): Promise<void> {
  let after: UsagePosition | null = null;
  do {
    const range: { after: UsagePosition | null; before: null } = { after, before: null };
    const rows = await source.read((db) =>
      db.rows<Row<'monthly_usage'>>(source.sql.monthlyUsage(ALL, range, 'first', ROWS_PER_STEP)),
    );
    if (rows.length > 0) {
      await target.write('usage', async (tx) => {
        await tx.run(target.sql.insertMonthlyUsage(rows));
        for (const row of rows) await tx.run(target.sql.setMonthlyUsage(row));
      });
    }
    after = rows.length < ROWS_PER_STEP ? null : (rows.at(-1) ?? null);
  } while (after !== null);
}
