/** Copies the legal holds, the retention and the storage quotas of users. */
import type { Sql } from 'sql-template-tag';
import type { LegalHold } from '../../conversation/policies/legal-hold.js';
import type { Row } from '../../conversation/tables.js';
import type { Dialect } from '../dialects/dialect.js';
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
  await copyOfUsers(source, target, {
    page: (sql, after) => sql.retentions(after, ROWS_PER_STEP),
    remove: (userId) => sql.deleteRetentionOf(userId),
    insert: (user: Row<'user_retention'>) => sql.insertRetentions([user]),
  });
  await copyOfUsers(source, target, {
    page: (sql, after) => sql.storageQuotas(after, ROWS_PER_STEP),
    remove: (userId) => sql.deleteStorageQuotaOf(userId),
    // PostgreSQL and SQL Server return BIGINT as text.
    insert: (user: Row<'user_storage'>) => sql.insertStorageQuotas([{ ...user, quotaBytes: Number(user.quotaBytes) }]),
  });
}

interface UserStatements<User> {
  page: (sql: Dialect, after: string) => Sql;
  remove: (userId: string) => Sql;
  insert: (user: User) => Sql;
}

async function copyOfUsers<User extends { userId: string }>(
  source: Side,
  target: Side,
  { page, remove, insert }: UserStatements<User>,
): Promise<void> {
  for (let after = '', isDone = false; !isDone;) {
    const users = await source.read((db) => db.rows<User>(page(source.sql, after)));
    await target.write('policies', async (tx) => {
      for (const user of users) {
        await tx.run(remove(user.userId));
        await tx.run(insert(user));
      }
    });
    after = users.at(-1)?.userId ?? '';
    isDone = users.length < ROWS_PER_STEP;
  }
}
