import { InvalidInputError } from '../../../conversation/errors.js';
import type { Rows, Writes } from '../../../database/change-hooks.js';
import type { FileStatements } from '../statements.js';

/**
 * Keeps existing files from the sweep, and gives them to a user that lacks them.
 * @returns the number of existing ones
 */
export async function useFiles(
  tx: Writes,
  sql: FileStatements,
  userId: string,
  fileIds: readonly string[],
  now = Date.now(),
): Promise<number> {
  const existing = await tx.run(sql.markFilesUsed(fileIds, now));
  const had = await tx.run(sql.markUserFilesUsed(userId, fileIds, now));
  if (had < fileIds.length) await tx.run(sql.giveFiles(userId, fileIds, now));
  return existing;
}

/** @throws InvalidInputError when the files of a user exceed the limit, with those of a fork */
export async function checkUserFiles(
  tx: Rows,
  sql: FileStatements,
  userId: string,
  maxUserFileBytes: number,
): Promise<void> {
  if (maxUserFileBytes === Infinity) return;
  const [use] = await tx.rows<{ bytes: number | string }>(sql.bytesOfUser(userId));
  if (Number(use?.bytes ?? 0) <= maxUserFileBytes) return;
  throw new InvalidInputError(
    `The files of this user may have at most ${maxUserFileBytes} bytes (MAX_USER_FILE_BYTES), with those of the fork ${use?.bytes}`,
    null,
  );
}
