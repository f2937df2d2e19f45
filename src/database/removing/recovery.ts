/**
 * Deleted chats that can be restored. A row of chat_imports hides them like a chat that an import writes: every read and
 * change skips them, and no removal touches them before their time. The row has their owner.
 */
import { DAY_MS } from '../../conversation/bounds.js';
import { ChatChange, type OpenImport } from '../../conversation/change.js';
import type { Chat, DeletedChat, Deletion } from '../../conversation/model.js';
import type { IsDue } from '../../conversation/store.js';
import type { Connection } from '../connection/connection.js';
import { toOpenImport } from '../writing/open-import.js';
import { toChat } from '../reading/rows.js';
import { deletionCommit, featureStatements, isKept, requireRemovable, runFeatureStatements } from '../change-hooks.js';
import { writeChange } from '../writing/write-change.js';
import { DELETION_RECORD_MS, writeDeletion } from '../writing/write-deletion.js';
import { finishRemoval } from './removal.js';
import { noRows, removeParted, ROWS_PER_STEP } from './remove-rows.js';
import { sweepChat, type SweepOptions } from './sweep-chat.js';

/** Chats per read of a sweep. */
const CHATS_PER_READ = 100;

export interface HideOptions {
  actorId: string;
  now: () => number;
  recoveryMs: number;
  isDue?: IsDue | undefined;
}

/**
 * Hides a chat. Its rows with parts are deleted first, in steps.
 * @param options.isDue whether it is still to be deleted, as of its lock
 * @returns null for an unknown chat, or one that is not due
 * @throws RefusalError
 */
export async function hideChat(
  connection: Connection,
  chatId: string,
  { actorId, now, recoveryMs, isDue }: HideOptions,
): Promise<{ deletion: Deletion; restorableUntil: number } | null> {
  const { sql, write, scope } = connection;
  for (;;) {
    const step = await write(
      chatId,
      async (tx) => {
        const [row] = await tx.rows<Chat>(sql.lockChat(chatId));
        if (row === undefined || isDue?.(toChat(row, sql)) === false) return null;
        await requireRemovable(connection, row, tx);
        if ((await removeParted(tx, sql, chatId, ROWS_PER_STEP, noRows())) === 0) return 'parts';
        const { userId, version } = toChat(row, sql);
        await scope.form?.lists?.leave({ id: chatId, userId, version });
        const noted = { chatId, userId, actorId, seq: version + 1, createdAt: now() };
        const deletion = await writeDeletion(tx, sql, noted);
        await runFeatureStatements(connection, tx, deletionCommit(deletion));
        const restorableUntil = deletion.createdAt + recoveryMs;
        const [open] = (await tx.rows<OpenImport>(sql.importOf(chatId))).map(toOpenImport);
        await tx.run(sql.deleteImport(chatId));
        await tx.run(sql.markDeleted(chatId));
        const holder = open?.afterSeq == null ? '' : String(open.afterSeq);
        const times = { expiresAt: restorableUntil, deletedAt: deletion.createdAt };
        await tx.run(sql.insertImport({ chatId, userId, holder, afterSeq: null, ...times }));
        return { deletion, restorableUntil };
      },
      { isRemoval: true },
    );
    if (step !== 'parts') return step;
  }
}

/** @returns null when it was removed or restored meanwhile */
export function restoreChat(
  connection: Connection,
  deleted: DeletedChat,
  { actorId, now }: { actorId: string; now: () => number },
): Promise<Chat | null> {
  const { sql, write } = connection;
  const { id, userId } = deleted;
  return write(id, async (tx) => {
    const [open] = await tx.rows<OpenImport>(sql.importOf(id));
    // In the order of finishRemoval: of a removal and a restoration, the first one has the row.
    if ((await tx.run(sql.deleteDeletedChat(deleted))) === 0) return null;
    await tx.run(sql.giveOwner(id, userId));
    const [row] = await tx.rows<Chat>(sql.lockChat(id));
    if (row === undefined) throw new Error(`the deleted chat "${id}" is missing`);
    const change = new ChatChange(toChat(row, sql), actorId, now());
    change.restoreChat();
    // An interrupted import can continue.
    if (open !== undefined && open.holder !== '')
      change.openImport = { userId, holder: '', expiresAt: 0, afterSeq: Number(open.holder) };
    await writeChange(tx, connection, change, [sql.updateChat(change.chat), ...featureStatements(connection, change)]);
    return change.chat;
  });
}

/**
 * Removes a deleted chat at once.
 * @returns false when it was removed or restored meanwhile
 * @throws RefusalError
 */
export async function removeDeletedChat(connection: Connection, deleted: DeletedChat): Promise<boolean> {
  const { sql, write } = connection;
  const isOurs = await write(
    deleted.id,
    async (tx) => {
      if ((await tx.run(sql.deleteDeletedChat(deleted))) === 0) return false;
      await requireRemovable(connection, deleted, tx);
      return true;
    },
    { isRemoval: true },
  );
  if (!isOurs) return false;
  await finishRemoval(connection, deleted.id);
  return true;
}

/**
 * Removes the deleted chats whose time has come, and expired reservations of ids. Several servers may do so concurrently, and
 * a chat that is restored meanwhile stays.
 */
export async function removeDueChats(
  connection: Connection,
  now: number,
  { signal, onFailure }: SweepOptions & { signal: AbortSignal },
): Promise<void> {
  const { sql, read } = connection;
  await connection.scope.form?.directory.sweep(now - DAY_MS, signal);
  for (let hasFailed = false; ;) {
    const due = await read((db) =>
      db.rows<{ id: string }>(sql.dueChats(now, isKept(connection.scope), CHATS_PER_READ)),
    );
    for (const { id } of due) {
      if (signal.aborted) return;
      const removal = () => finishRemoval(connection, id, noRows(), { leaseEndedBefore: now, signal }).then(() => true);
      hasFailed = (await sweepChat(id, { onFailure }, removal)) === null || hasFailed;
    }
    // The next page would begin with the failed chats again.
    if (due.length < CHATS_PER_READ || hasFailed) return;
  }
}

/** Not with each deletion: this may lock records of all chats. */
export async function removeDeletionRecords(
  { sql, write }: Connection,
  now: number,
  deletionRecordMs = DELETION_RECORD_MS,
): Promise<void> {
  await write('deletion records', (tx) => tx.run(sql.deleteDeletionsBefore(now - deletionRecordMs)));
}

export async function deletedChat({ sql, read }: Connection, id: string): Promise<DeletedChat | null> {
  const [row] = await read((db) => db.rows<DeletedChat>(sql.deletedChat(id)));
  return row ?? null;
}
