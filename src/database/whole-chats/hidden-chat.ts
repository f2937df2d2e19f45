/**
 * Writes a large new chat in several transactions, hidden until the last: see docs/adr/0020-importing-in-steps.md. A
 * repeated import keeps messages that equal those of the file.
 */
import { MAX_INT } from '../../conversation/bounds.js';
import type { WholeChat } from '../../conversation/whole-chat.js';
import { ChangedMeanwhileError, DatabaseUnavailableError, TimeoutError } from '../../conversation/errors.js';
import type { Reading } from './chat-state.js';
import { firstDifference } from './first-difference.js';
import { writeStep } from './write-step.js';
import type { Connection } from '../connection/connection.js';
import { removals } from '../removals.js';
import { importCommit, runFeatureStatements } from '../change-hooks.js';
import { boundedSteps, ROWS_PER_STEP, rowsOf } from './bounded-steps.js';
import { ImportLease } from './import-lease.js';

/**
 * @returns false when the id of the chat, a message or a branch is taken: nothing is kept
 * @throws ImportUnderWayError; ChangedMeanwhileError when it was deleted meanwhile
 */
export async function writeHiddenChat(connection: Connection, whole: WholeChat): Promise<boolean> {
  const { sql } = connection;
  const { chat } = whole;
  const lease = new ImportLease(connection, chat);
  const taken = await lease.take();
  if (taken === null) return false;
  try {
    const written = taken === 'new' ? 0 : await writtenMessages(connection, whole, lease);
    if (written === null) {
      await lease.remove();
      return await writeHiddenChat(connection, whole);
    }
    if (taken === 'begun') await removeTail(connection, lease, chat.id);
    for await (const step of boundedSteps(rowsOf(whole, { messages: written, events: 0 }))) {
      await lease.step(async (tx) => {
        for (const rows of step) await writeStep(tx, sql, rows, connection.scope);
      });
    }
    await lease.show(async (tx) => {
      await tx.run(sql.setCreatedAt(chat.id, chat.createdAt));
      await runFeatureStatements(connection, tx, importCommit(chat, true));
    });
    return true;
  } catch (error) {
    if (isResumable(connection, error)) throw error;
    // The first error is reported. A remaining chat is deleted after its lease.
    await lease.remove().catch(() => {});
    if (sql.failure(error) !== 'duplicate') throw error;
    return false;
  }
}

/** Failures of the database or the lease do not concern the chat. */
function isResumable({ sql }: Connection, error: unknown): boolean {
  const isOfDatabase = error instanceof DatabaseUnavailableError || error instanceof TimeoutError;
  return (
    isOfDatabase ||
    error instanceof ChangedMeanwhileError ||
    ['unavailable', 'busy', 'timeout', 'denied'].includes(sql.failure(error))
  );
}

/** @returns the number of written messages; null when they differ from the file */
async function writtenMessages(
  { sql, read }: Connection,
  whole: WholeChat,
  lease: ImportLease,
): Promise<number | null> {
  const reading: Reading = {
    sql,
    read: async (query) => {
      await lease.renewIfDue();
      return read(query);
    },
  };
  const [count] = await read((db) => db.rows<{ total: number }>(sql.messageCounts([whole.chat.id])));
  const lastMessageSeq = count?.total ?? 0;
  if (lastMessageSeq > whole.messageCount) return null;
  const difference = await firstDifference(reading, { chat: { ...whole.chat, version: 0 }, lastMessageSeq }, whole);
  return difference === null ? lastMessageSeq : null;
}

/** Deletes everything except messages: in other formats, branches get new ids with each import. */
async function removeTail({ sql }: Connection, lease: ImportLease, chatId: string): Promise<void> {
  const { removeNewest } = await removals();
  for (const table of ['checkpoints', 'branches', 'chat_events'] as const) {
    for (let [before, areAll] = [MAX_INT, false]; !areAll;) {
      const range = { chatId, before, remaining: ROWS_PER_STEP };
      ({ firstSeq: before, areAll } = await lease.step((tx) => removeNewest(tx, sql, table, range)));
    }
  }
}
