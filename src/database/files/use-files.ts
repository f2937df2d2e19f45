import { InvalidInputError } from '../../conversation/errors.js';
import type { Connection, Transaction } from '../connection/connection.js';
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

/** Files per transaction. */
const FILES_AT_ONCE = 500;

/**
 * Gives existing files to a user.
 * @throws InvalidInputError beyond the limit of the files of the user
 */
export async function giveFiles(
  { sql, write }: Connection,
  userId: string,
  fileIds: readonly string[],
  maxUserFileBytes: number,
): Promise<void> {
  for (let start = 0; start < fileIds.length; start += FILES_AT_ONCE) {
    await write(`files of ${userId}`, async (tx) => {
      await useFiles(tx, sql, userId, fileIds.slice(start, start + FILES_AT_ONCE));
      await checkUserFiles(tx, sql, userId, maxUserFileBytes);
    });
  }
}

/** @throws InvalidInputError when the files of a fork exceed the limit of the user */
export async function checkUserFiles(
  tx: Transaction,
  sql: Dialect,
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
