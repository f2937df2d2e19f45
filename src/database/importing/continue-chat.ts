/** An imported chat that exists and has grown in the file: what is new is written in several transactions. */
import type { Adoption, WholeChat } from '../../conversation/archive.js';
import { ChangedMeanwhileError } from '../../conversation/errors.js';
import type { Chat } from '../../conversation/model.js';
import { paced } from '../../conversation/pauses.js';
import type { Caller } from '../../limits/fair-queue.js';
import { firstDifference } from '../copy/first-difference.js';
import { writeStep } from '../copy/write-step.js';
import type { Connection, Queryable, Transaction } from '../opening/connection.js';
import { toChat, type ChatRow } from '../reading/rows.js';
import { END } from '../removing/remove-rows.js';
import { boundedSteps, isLarge, messagesAfter, rowsOf } from './bounded-steps.js';

/**
 * Writes messages that are too many for one transaction first: no branch leads to them before the last transaction, which
 * writes everything else. A repeated call continues after an interrupted one.
 * @throws ChangedMeanwhileError
 */
export async function continueChat(
  connection: Connection,
  whole: WholeChat,
  stored: Chat,
  caller?: Caller,
): Promise<Adoption> {
  const { sql, read } = connection;
  const { id, userId, version } = stored;
  const lastSeqOf = async (db: Queryable) => {
    const [count] = await db.rows<{ total: number }>(sql.messageCounts([id]));
    return Number(count?.total ?? 0);
  };
  let lastSeq = await read(lastSeqOf);
  const difference = await firstDifference({ sql, read }, { chat: stored, lastMessageSeq: lastSeq }, whole);
  if (difference !== null) return { result: 'diverged', difference };
  if (whole.chat.version <= version) return { result: 'unchanged' };

  const step = (work: (tx: Transaction) => Promise<void>) =>
    paced((begin) => {
      const checked = async (tx: Transaction) => {
        begin();
        const [row] = await tx.rows<ChatRow>(sql.lockChat(id));
        const isSame = row !== undefined && row.userId === userId && toChat(row, sql).version === version;
        if (!isSame || (await lastSeqOf(tx)) !== lastSeq) throw new ChangedMeanwhileError(id);
        await work(tx);
      };
      return connection.write(id, checked, caller);
    });
  const firstSeq = lastSeq + 1;
  if (await isLarge(messagesAfter(whole, lastSeq))) {
    for await (const pieces of boundedSteps(messagesAfter(whole, lastSeq))) {
      await step(async (tx) => {
        for (const rows of pieces) await writeStep(tx, sql, rows);
      });
      for (const { rows } of pieces) lastSeq += rows.length;
    }
  }
  await step(async (tx) => {
    await tx.run(sql.updateChat(whole.chat));
    for (const table of ['branches', 'checkpoints'] as const) await tx.run(sql.deleteRange(table, id, 0, END));
    for await (const rows of rowsOf(whole, { messages: lastSeq, events: version })) await writeStep(tx, sql, rows);
  });
  return { result: 'updated', firstSeq };
}
