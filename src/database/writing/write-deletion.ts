/** The record of a deleted chat: the actor, and the last seq of its log. */
import type { Deletion } from '../../conversation/model.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Transaction } from '../connection/connection.js';

/** Records a deletion. Deletions of the same id have distinct times, which subscribers compare. */
export async function writeDeletion(tx: Transaction, sql: Dialect, deletion: Deletion): Promise<Deletion> {
  const [before] = await tx.rows<{ createdAt: number }>(sql.deletionOf(deletion.chatId));
  const createdAt = Math.max(deletion.createdAt, (before?.createdAt ?? -1) + 1);
  const written = { ...deletion, createdAt };
  await tx.run(sql.deleteDeletion(deletion.chatId));
  await tx.run(sql.insertDeletion(written));
  return written;
}
