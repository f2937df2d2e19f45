/** Copies the legal holds and the retention of users. */
import type { LegalHold } from '../../conversation/policies/legal-hold.js';
import type { Row } from '../../conversation/tables.js';
import { copyOfUsers, ROWS_PER_STEP } from './copy-of-users.js';
import type { Side } from './side.js';

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
  await copyOfUsers(source, target, {
    page: (sql, after, limit) => sql.retentions(after, limit),
    remove: (userId) => sql.deleteRetentionOf(userId),
    insert: (user: Row<'user_retention'>) => sql.insertRetentions([user]),
  });
}
