/** What is kept of a chat that is deleted: who did it, and where its log ended. */
import type { Deletion } from '../../conversation/model.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Transaction } from '../opening/connection.js';

/** How long, in milliseconds: 30 days. Whoever followed the chat has come back by then, or never will. */
const KEPT_FOR_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Notes a deletion, and forgets what is too old.
 *
 * A chat of the same id may have been deleted before. No two deletions of an id have the same time: that is how those who
 * follow its log tell them apart.
 */
export async function writeDeletion(tx: Transaction, sql: Dialect, deletion: Deletion): Promise<Deletion> {
  await tx.run(sql.deleteDeletionsBefore(deletion.createdAt - KEPT_FOR_MS));
  const [before] = await tx.rows<{ createdAt: number }>(sql.deletionOf(deletion.chatId));
  const createdAt = Math.max(deletion.createdAt, (before?.createdAt ?? -1) + 1);
  const written = { ...deletion, createdAt };
  await tx.run(sql.deleteDeletion(deletion.chatId));
  await tx.run(sql.insertDeletion(written));
  return written;
}
