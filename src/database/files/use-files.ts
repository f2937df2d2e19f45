import type { Transaction } from '../opening/connection.js';
import type { Dialect } from '../dialects/dialect.js';

/**
 * Keeps existing files from the sweep, and gives them to a user that lacks them.
 * @returns the number of existing ones
 */
export async function useFiles(
  tx: Transaction,
  sql: Dialect,
  userId: string,
  fileIds: readonly string[],
  now = Date.now(),
): Promise<number> {
  const existing = await tx.run(sql.markFilesUsed(fileIds, now));
  const had = await tx.run(sql.markUserFilesUsed(userId, fileIds, now));
  if (had < fileIds.length) await tx.run(sql.giveFiles(userId, fileIds, now));
  return existing;
}
