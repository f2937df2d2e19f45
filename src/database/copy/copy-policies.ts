/** Copies the legal holds and the retention of users. */
import type { LegalHold } from '../../conversation/policies/legal-hold.js';
import type { Row } from '../../conversation/tables.js';
import type { Side } from './side.js';

const ROWS_PER_STEP = 250;

/** Rows of the target with the same key are replaced. */
export async function copyPolicies(source: Side, target: Side): Promise<void> {
  const { sql } = target;
  for (let after: LegalHold | null = null, isDone = false; !isDone;) {
    const range: { after: LegalHold | null; before: null } = { after, before: null };
    const holds = await source.read((db) => db.rows<LegalHold>(source.sql.holdPage(range, 'first', ROWS_PER_STEP)));
    await target.write('policies', async (tx) => {
      for (const hold of holds) {
        await tx.run(sql.deleteHold(hold));
        await tx.run(sql.insertHold(hold));
      }
    });
    after = holds.at(-1) ?? null;
    isDone = holds.length < ROWS_PER_STEP;
  }
  for (let after = '', isDone = false; !isDone;) {
    const users = await source.read((db) =>
      db.rows<Row<'user_retention'>>(source.sql.retentions(after, ROWS_PER_STEP)),
    );
    await target.write('policies', async (tx) => {
      for (const user of users) {
        await tx.run(sql.deleteRetentionOf(user.userId));
        await tx.run(sql.insertRetentions([user]));
      }
    });
    after = users.at(-1)?.userId ?? '';
    isDone = users.length < ROWS_PER_STEP;
  }
}
