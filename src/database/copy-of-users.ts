import type { Sql } from 'sql-template-tag';
import type { Dialect } from './dialects/dialect.js';
import type { Connection } from './connection/connection.js';

export const ROWS_PER_STEP = 250;

interface UserStatements<User> {
  /** Rows of users after one, in order; '' starts. */
  page: (sql: Dialect, after: string, limit: number) => Sql;
  /** In the target. */
  remove: (userId: string) => Sql;
  insert: (user: User) => Sql;
}

/** Copies a table with a row for some users. Rows of the target with the same user are replaced. */
export async function copyOfUsers<User extends { userId: string }>(
  source: Connection,
  target: Connection,
  { page, remove, insert }: UserStatements<User>,
): Promise<void> {
  for (let after = '', isDone = false; !isDone;) {
    const users = await source.read((db) => db.rows<User>(page(source.sql, after, ROWS_PER_STEP)));
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
