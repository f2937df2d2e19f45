/**
 * Deleted chats that can be restored. A row of chat_imports hides them like a chat that an import writes: every read and
 * change skips them, and no removal touches them before their time. The row has their owner.
 */
import { DAY_MS } from '../../conversation/bounds.js';
import { ChatChange, type OpenImport } from '../../conversation/change.js';
import type { Chat, DeletedChat } from '../../conversation/model.js';
import { featureStatements, isKept, requireRemovable, type ChangeHooks } from '../../database/change-hooks.js';
import type { Connection } from '../../database/connection/connection.js';
import type { SweepOptions } from '../../database/removals.js';
import { toChat } from '../../database/reading/rows.js';
import { noRows } from './remove-rows.js';
import { finishRemoval, sweepChat } from './removal.js';
import type { DatabaseStore } from '../../database/store/database-store.js';
import { writeChange } from '../../database/writing/write-change.js';
import { deletionStatements } from './statements.js';

const CHATS_PER_READ = 100;

/**
 * The step of a deletion that hides the chat: see ChangeHooks.
 * @param recoveryMs 0 removes chats at once
 */
export function recoverable({ sql }: Pick<Connection, 'sql'>, recoveryMs: number): ChangeHooks {
  if (recoveryMs === 0) return {};
  return {
    hide: async ({ chatId, userId, createdAt }, tx) => {
      const [open] = await tx.rows<OpenImport>(sql.importOf(chatId));
      await tx.run(sql.deleteImport(chatId));
      const holder = open?.afterSeq == null ? '' : String(open.afterSeq);
      const times = { expiresAt: createdAt + recoveryMs, deletedAt: createdAt };
      await tx.run(sql.insertRows('chat_imports', [{ chatId, userId, holder, afterSeq: null, ...times }]));
      return times.expiresAt;
    },
  };
}

/** @returns null when it was removed or restored meanwhile */
export async function showChat(store: DatabaseStore, deleted: DeletedChat, actorId: string): Promise<Chat | null> {
  const { connection } = store;
  const { sql, write } = connection;
  const statements = deletionStatements(sql.differences);
  const { id, userId } = deleted;
  const chat = await write(id, async (tx) => {
    const [open] = await tx.rows<OpenImport>(sql.importOf(id));
    // In the order of finishRemoval: of a removal and a restoration, the first one has the row.
    if ((await tx.run(statements.deleteDeletedChat(deleted))) === 0) return null;
    await tx.run(statements.giveOwner(id, userId));
    const [row] = await tx.rows<Chat>(sql.lockChat(id));
    if (row === undefined) throw new Error(`the deleted chat "${id}" is missing`);
    const change = new ChatChange(toChat(row, sql), actorId, store.now());
    change.restoreChat();
    // An interrupted import can continue.
    if (open !== undefined && open.holder !== '')
      change.openImport = { userId, holder: '', expiresAt: 0, afterSeq: Number(open.holder) };
    await writeChange(tx, connection, change, [sql.updateChat(change.chat), ...featureStatements(connection, change)]);
    return change.chat;
  });
  if (chat !== null) await store.announce(chat);
  return chat;
}

/**
 * Removes a deleted chat at once.
 * @returns false when it was removed or restored meanwhile
 * @throws RefusalError
 */
export async function removeDeletedChat(connection: Connection, deleted: DeletedChat): Promise<boolean> {
  const statements = deletionStatements(connection.sql.differences);
  const isOurs = await connection.write(
    deleted.id,
    async (tx) => {
      if ((await tx.run(statements.deleteDeletedChat(deleted))) === 0) return false;
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
  const statements = deletionStatements(sql.differences);
  await connection.scope.form?.directory.sweep(now - DAY_MS, signal);
  for (let hasFailed = false; ;) {
    const due = await read((db) =>
      db.rows<{ id: string }>(statements.dueChats(now, isKept(connection.scope), CHATS_PER_READ)),
    );
    for (const { id } of due) {
      if (signal.aborted) return;
      const removal = () => finishRemoval(connection, id, noRows(), { leaseEndedBefore: now, signal });
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
  deletionRecordMs: number,
): Promise<void> {
  await write('deletion records', (tx) =>
    tx.run(deletionStatements(sql.differences).deleteDeletionsBefore(now - deletionRecordMs)),
  );
}
