/** Copies the legal holds and the retention of users. */
import type { Row } from '../../conversation/tables.js';
import { copyOfUsers, ROWS_PER_STEP } from '../../database/copy-of-users.js';
import type { Connection } from '../../database/connection/connection.js';
import type { LegalHold } from './legal-hold.js';
import { retentionStatements } from './statements.js';

/** Rows of the target with the same key are replaced. */
export async function copyPolicies(source: Connection, target: Connection): Promise<void> {
  const from = retentionStatements(source.sql.differences);
  const sql = retentionStatements(target.sql.differences);
  for (let after: LegalHold | null = null, isDone = false; !isDone;) {
    const range: { after: LegalHold | null; before: null } = { after, before: null };
    const holds = await source.read((db) => db.rows<LegalHold>(from.holdPage(range, 'first', ROWS_PER_STEP)));
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
    page: ({ differences }, after, limit) => retentionStatements(differences).retentions(after, limit),
    remove: (userId) => sql.deleteRetentionOf(userId),
    insert: (user: Row<'user_retention'>) => sql.insertRetentions([user]),
  });
}
