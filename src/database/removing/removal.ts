/**
 * Removing a chat in steps, so that nobody waits long for a large one. The first transaction makes it disappear for
 * everybody: from then on it is DELETED_OWNER's. Its rows go in that one and in as many as it takes, with pauses between them.
 * Whatever interrupts them, the rest is out of sight, and is removed at the next start, with the next chat that takes
 * steps, or as soon as somebody wants an id of it. docs/adr/0013-removing-in-steps.md says why.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { NewChat } from '../../conversation/change.js';
import type { Chat, Deletion } from '../../conversation/model.js';
import { PAUSE_MS } from '../../conversation/pauses.js';
import type { Connection } from '../opening/connection.js';
import type { RemovedRows } from '../../conversation/erasure.js';
import { addRows, BEGINNING, noRows, removeRows, type RemovedStep } from './remove-rows.js';
import type { Dialect } from '../dialects/dialect.js';
import { createReader } from '../reading/reader.js';
import { toChat } from '../reading/rows.js';
import { writeDeletion } from '../writing/write-deletion.js';

/** How long a hidden chat stays after the lease of its import has ended: 24 hours, for the import to be repeated. */
const HIDDEN_FOR_MS = 24 * 60 * 60 * 1000;

/** Thrown in a transaction: an id that it wants is still that of a chat which is being removed. */
export class PendingDeletionError extends Error {
  constructor(readonly chatId: string) {
    super(`what is left of chat "${chatId}" is in the way`);
  }
}

/** What has gone so far. Unless that is all of it, see finishRemoval. */
export interface Removal extends RemovedStep {
  deletion: Deletion;
}

/**
 * Makes a chat disappear, and with it as many of its rows as go in one step.
 * @param note what is to be kept of it for a while; null leaves the chat as it is
 * @returns null when there is no such chat, or it was left
 */
export async function removeChat(
  { sql, write, remove = write }: Connection,
  chatId: string,
  note: (chat: Chat) => Pick<Deletion, 'userId' | 'actorId' | 'createdAt'> | null,
): Promise<Removal | null> {
  return remove(chatId, async (tx) => {
    const [row] = await tx.rows<Chat>(sql.lockChat(chatId));
    if (row === undefined) return null;
    const chat = toChat(row, sql);
    const noted = note(chat);
    if (noted === null) return null;
    const deletion = await writeDeletion(tx, sql, { chatId, seq: chat.version + 1, ...noted });
    const step = await removeRows(tx, sql, chatId);
    if (!step.isDone) await tx.run(sql.markDeleted(chatId));
    return { deletion, ...step };
  });
}

/**
 * Removes what is left of a chat, if there is anything. Several processes may do so at once.
 * @param removed what has gone is added to it
 * @param leaseEndedBefore a hidden chat is removed when its lease ended before this time, in milliseconds since 1970
 */
export async function finishRemoval(
  { sql, write, remove = write }: Connection,
  chatId: string,
  removed: RemovedRows = noRows(),
  leaseEndedBefore = Date.now(),
): Promise<void> {
  for (let position = BEGINNING; ;) {
    const step = await remove(chatId, async (tx) => {
      await tx.run(sql.deleteEndedImport(chatId, leaseEndedBefore));
      // Takes the lock of its row, and says whether there is one.
      const count = await tx.run(sql.lockDeletedChat(chatId));
      return count === 0 ? null : await removeRows(tx, sql, chatId, position);
    });
    if (step !== null) addRows(removed, step.rows);
    if (step === null || step.isDone) return;
    position = step.position;
    await pause(PAUSE_MS);
  }
}

/** Removes what is left of all chats that are being removed, and hidden chats whose import was given up. */
export async function finishRemovals(connection: Connection, removed: RemovedRows = noRows()): Promise<void> {
  const leaseEndedBefore = Date.now() - HIDDEN_FOR_MS;
  for (const { id } of await remains(connection, leaseEndedBefore)) {
    await finishRemoval(connection, id, removed, leaseEndedBefore);
  }
}

/** The chats of which something is left that keeps a new one from being written: its id, or one of a message. */
export async function blockingRemains(
  connection: Connection,
  { chat, messages }: Pick<NewChat, 'chat' | 'messages'>,
): Promise<string[]> {
  const { sql, rows } = createReader(connection);
  const ids = messages.map(({ id }) => id);
  const taken = ids.length === 0 ? [] : sql.rows.messages(await rows(sql.messagesById(ids, 0)));
  const chatIds = [...new Set([chat.id, ...taken.map(({ chatId }) => chatId)])];
  return (await remains(connection, Date.now(), chatIds)).map(({ id }) => id);
}

function remains({ sql, read }: Connection, ...which: Parameters<Dialect['remains']>): Promise<{ id: string }[]> {
  return read((db) => db.rows(sql.remains(...which)));
}
