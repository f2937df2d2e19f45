import type { NewChat } from '../../../conversation/change.js';
import { TooLargeError } from '../../../conversation/errors.js';
import { admit, noteCommit } from '../../../database/change-hooks.js';
import type { DatabaseStore } from '../../../database/store/database-store.js';
import { insertChat } from '../../../database/writing/write-change.js';

const MAX_BYTES_TOGETHER = 4 * 1024 * 1024;

/**
 * Writes several new chats in one transaction.
 * @returns false when an id is taken or their messages have too much data: nothing is written
 */
export async function createAll(store: DatabaseStore, chats: readonly [NewChat, ...NewChat[]]): Promise<boolean> {
  const { connection } = store;
  for (const userId of new Set(chats.map(({ chat }) => chat.userId))) await admit(connection, userId);
  try {
    await connection.write(chats[0].chat.id, async (tx) => {
      let bytes = 0;
      for (const change of chats) {
        for (const { data } of change.messages) bytes += data.length;
        if (bytes > MAX_BYTES_TOGETHER) throw new TooLargeError(`${chats.length} chats in one transaction`);
        await insertChat(connection, tx, change);
      }
    });
  } catch (error) {
    if (!(error instanceof TooLargeError) && connection.sql.failure(error) !== 'duplicate') throw error;
    return false;
  }
  for (const change of chats) {
    noteCommit(connection, change, null);
    await store.announce(change.chat);
  }
  return true;
}
