/** Copies the usage of users by month. */
import type { UsagePosition } from './monthly-usage.js';
import type { Row } from '../../conversation/tables.js';
import type { Connection } from '../../database/connection/connection.js';
import { ROWS_PER_STEP } from '../../database/copy-of-users.js';
import { usageStatements } from './statements.js';

const ALL = { from: null, to: null, userId: null };

/** A row that the target has with as many messages or more stays: its servers may have counted further. */
export async function copyUsage(source: Connection, target: Connection): Promise<void> {
  const of = usageStatements(source.sql.differences);
  const sql = usageStatements(target.sql.differences);
  let after: UsagePosition | null = null;
  do {
    const range: { after: UsagePosition | null; before: null } = { after, before: null };
    const rows = await source.read((db) =>
      db.rows<Row<'monthly_usage'>>(of.usagePage(ALL, range, 'first', ROWS_PER_STEP)),
    );
    if (rows.length > 0) {
      await target.write('usage', async (tx) => {
        await tx.run(sql.insertUsage(rows));
        for (const row of rows) await tx.run(sql.setUsage(row));
      });
    }
    after = rows.length < ROWS_PER_STEP ? null : (rows.at(-1) ?? null);
  } while (after !== null);
}
