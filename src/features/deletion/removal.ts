/**
 * Deletes chats in steps, so that large ones block no other operation. The first transaction sets DELETED_OWNER, which
 * hides the chat; the rest follows with pauses. An interrupted removal continues at the next start, with the next
 * stepwise removal, or when one of its ids is needed. The exports implement Removals.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { OpenImport } from '../../conversation/change.js';
import { DatabaseUnavailableError, RefusalError, UpgradeRequiredError } from '../../conversation/errors.js';
import type { Chat, Deletion } from '../../conversation/model.js';
import { LOCK_PAUSE_MS } from '../../scheduler/lock-pacing.js';
import type { Connection, Transaction } from '../../database/connection/connection.js';
import type { Dialect } from '../../database/dialects/dialect.js';
import type { Removal, Removals, RemovedRows } from '../../database/removals.js';
import { addRows, BEGINNING, noRows, removeParted, removeRows, ROWS_PER_STEP } from './remove-rows.js';
import { createReader } from '../../database/reading/reader.js';
import { toChat } from '../../database/reading/rows.js';
import { isKept, requireRemovable, runFeatureStatements, type ChatCommit } from '../../database/change-hooks.js';

export { removeNewest, removeParts } from './remove-rows.js';

/** A hidden chat stays for 24 hours after its import's lease ended, so that the import can be repeated. */
const HIDDEN_FOR_MS = 24 * 60 * 60 * 1000;

export const removeChat: Removals['removeChat'] = async (connection, chatId, note, isRestorable = false) => {
  const { sql, write, scope } = connection;
  const hide = isRestorable ? scope.hooks.find((each) => each.hide !== undefined)?.hide : undefined;
  for (;;) {
    const removal = await write(
      chatId,
      async (tx): Promise<Removal | 'parts' | null> => {
        const [row] = await tx.rows<Chat>(sql.lockChat(chatId));
        if (row === undefined) return null;
        const chat = toChat(row, sql);
        const noted = note(chat);
        if (noted === null) return null;
        await requireRemovable(connection, chat, tx);
        if (hide !== undefined && (await removeParted(tx, sql, chatId, ROWS_PER_STEP, noRows())) === 0) return 'parts';
        await scope.form?.lists?.leave(chat);
        const deletion = await writeDeletion(tx, sql, { chatId, seq: chat.version + 1, ...noted });
        await runFeatureStatements(connection, tx, deletionCommit(deletion));
        const { rows, isDone } =
          hide === undefined ? await removeRows(tx, sql, chatId) : { rows: noRows(), isDone: true };
        if (!isDone || hide !== undefined) await tx.run(sql.markDeleted(chatId));
        return { deletion, restorableUntil: (await hide?.(deletion, tx)) ?? null, rows, isDone };
      },
      { isRemoval: true },
    );
    if (removal !== 'parts') return removal;
  }
};

function deletionCommit({ chatId, userId, actorId, createdAt, seq }: Deletion): ChatCommit {
  const event = { chatId, seq, type: 'ChatDeleted', actorId, createdAt, payload: {} } as const;
  const chat = { id: chatId, userId, version: seq };
  return { chat, actorId, now: createdAt, events: [event], isNew: false, newOwnerId: null };
}

/** Deletions of the same id have distinct times, which subscribers compare. */
async function writeDeletion(tx: Transaction, sql: Dialect, deletion: Deletion): Promise<Deletion> {
  const { chatId } = deletion;
  const [before] = await tx.rows<{ createdAt: number }>(sql.deletionOf(chatId));
  const createdAt = Math.max(deletion.createdAt, (before?.createdAt ?? -1) + 1);
  const written = { ...deletion, createdAt };
  await tx.run(sql.deleteDeletion(chatId));
  await tx.run(sql.insertDeletion(written));
  return written;
}

/**
 * @param removed updated with the deleted rows
 * @param options.leaseEndedBefore a hidden chat is deleted when its lease ended before this time, in milliseconds since
 * 1970
 * @param options.signal ends the call after the current step
 */
export async function finishRemoval(
  connection: Connection,
  chatId: string,
  removed: RemovedRows = noRows(),
  { leaseEndedBefore = Date.now(), signal }: { leaseEndedBefore?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const { sql, write } = connection;
  for (let position = BEGINNING; signal?.aborted !== true;) {
    const step = await write(
      chatId,
      async (tx) => {
        const [open] = position === BEGINNING ? await tx.rows<OpenImport>(sql.importOf(chatId)) : [];
        const hasEnded = (await tx.run(sql.deleteEndedImport(chatId, leaseEndedBefore))) > 0;
        // The refusal may be newer than the list of chats to remove.
        if (hasEnded && open?.deletedAt != null)
          await requireRemovable(connection, { id: chatId, userId: open.userId }, tx);
        // Locks the chat's row; false when there is none.
        const count = await tx.run(sql.lockDeletedChat(chatId));
        return count === 0 ? null : await removeRows(tx, sql, chatId, position);
      },
      { isRemoval: true },
    ).catch((error: unknown) => {
      if (error instanceof RefusalError) return null;
      throw error;
    });
    if (step !== null) addRows(removed, step.rows);
    if (step === null || step.isDone) return;
    position = step.position;
    await pause(LOCK_PAUSE_MS);
  }
}

export const sweepChat: Removals['sweepChat'] = async (chatId, { onFailure }, remove) => {
  try {
    return await remove();
  } catch (cause) {
    if (cause instanceof DatabaseUnavailableError || cause instanceof UpgradeRequiredError) throw cause;
    if (onFailure === undefined) throw cause;
    onFailure(new Error(`Chat "${chatId}" cannot be removed`, { cause }));
    return null;
  } finally {
    await pause(LOCK_PAUSE_MS);
  }
};

export const finishRemovals: Removals['finishRemovals'] = async (connection, removed = noRows(), signal) => {
  // Each of these problems fails all reads of all chats.
  const problems = await connection.scope.form?.problems(connection.read);
  if (problems !== undefined && problems.length > 0) return;
  const leaseEndedBefore = Date.now() - HIDDEN_FOR_MS;
  const causes: unknown[] = [];
  const onFailure = ({ cause }: Error) => void causes.push(cause);
  for (const { id } of await remains(connection, leaseEndedBefore)) {
    const options = { leaseEndedBefore, ...(signal && { signal }) };
    await sweepChat(id, { onFailure }, () => finishRemoval(connection, id, removed, options));
    if (signal?.aborted === true) break;
  }
  if (causes.length > 0) throw causes[0];
};

export const removeBlocking: Removals['removeBlocking'] = async (connection, { chat, messages }) => {
  const { sql, rows } = createReader(connection);
  const ids = messages.map(({ id }) => id);
  const taken = ids.length === 0 ? [] : sql.rows.messages(await rows(sql.messagesById(ids, 0)));
  const chatIds = [...new Set([chat.id, ...taken.map(({ chatId }) => chatId)])];
  const blocking = await remains(connection, Date.now(), chatIds);
  for (const { id } of blocking) await finishRemoval(connection, id);
  return blocking.length > 0;
};

function remains(connection: Connection, leaseEndedBefore: number, ids?: string[]): Promise<{ id: string }[]> {
  const { sql, read } = connection;
  return read((db) => db.rows(sql.remains(leaseEndedBefore, isKept(connection.scope), ids)));
}
