/** Writes whole chats of files with their ids and times. */
import type { WholeChat } from '../../../conversation/whole-chat.js';
import { ChangedMeanwhileError } from '../../../conversation/errors.js';
import { admit, importCommit, noteStored, runFeatureStatements } from '../../../database/change-hooks.js';
import type { Connection } from '../../../database/connection/connection.js';
import { readChats } from '../../../database/whole-chats/chat-state.js';
import { writeStep } from '../../../database/whole-chats/write-step.js';
import { isLarge, rowsOf } from '../../../database/whole-chats/bounded-steps.js';
import { writeHiddenChat } from '../../../database/whole-chats/hidden-chat.js';
import { removals } from '../../../database/removals.js';
import { fillDigests } from '../../../database/writing/fill-digests.js';
import { refuseWhileImported } from '../../../database/writing/open-import.js';
import type { CommittedChange } from '../../../feature.js';
import { continueChat, type Adoption } from './continue-chat.js';

/**
 * Writes a checked chat, or the new part of a stored one, with its ids and times in one transaction. A stored chat is
 * continued when all its messages and events are a prefix of the given ones.
 */
export type Adopt = (whole: WholeChat) => Promise<Adoption>;

/** @param onChange called after a chat was written. It must not throw */
export function adopterOf(connection: Connection, onChange: (change: CommittedChange) => void = () => {}): Adopt {
  return async (whole) => {
    const { id, userId, version } = whole.chat;
    await admit(connection, userId);
    const adoption = await adopt(connection, whole);
    noteStored(connection, userId);
    if ('firstSeq' in adoption) {
      await fillDigests(connection, { ofChat: id });
      const { form, warn } = connection.scope;
      // The usage was computed meanwhile.
      if (form?.lists !== undefined) await form.lists.list(await readChats(connection, [id]), warn);
      onChange({ chatId: id, version });
    }
    return adoption;
  };
}

async function adopt(connection: Connection, whole: WholeChat, isRetry = false): Promise<Adoption> {
  const { chat } = whole;
  const [stored] = await readChats(connection, [chat.id]);
  if (stored === undefined) {
    if (await insert(connection, whole)) return { result: 'imported', firstSeq: 1 };
    const [other] = await readChats(connection, [chat.id]);
    return other === undefined ? { result: 'taken' } : adopt(connection, whole, isRetry);
  }
  if (stored.userId !== chat.userId) return { result: 'taken' };
  try {
    return await continueChat(connection, whole, stored);
  } catch (error) {
    if (connection.sql.failure(error) === 'duplicate') return { result: 'taken' };
    if (!(error instanceof ChangedMeanwhileError) || isRetry) throw error;
    return adopt(connection, whole, true);
  }
}

/**
 * Writes a new chat.
 * @returns false when its id, or the id of a row in it, is taken
 */
async function insert(connection: Connection, whole: WholeChat): Promise<boolean> {
  const { sql } = connection;
  const { chat } = whole;
  if (await isLarge(rowsOf(whole))) return writeHiddenChat(connection, whole);
  try {
    await connection.write(chat.id, async (tx) => {
      await tx.run(sql.insertRows('chats', [chat]));
      for await (const rows of rowsOf(whole)) await writeStep(tx, sql, rows, connection.scope);
      await runFeatureStatements(connection, tx, importCommit(chat, true));
    });
    return true;
  } catch (error) {
    if (sql.failure(error) !== 'duplicate') throw error;
    await refuseWhileImported(connection, chat);
    return (await (await removals()).removeBlocking(connection, { chat, messages: [] })) && insert(connection, whole);
  }
}
