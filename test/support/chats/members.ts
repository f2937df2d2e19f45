/** Members of chats, as rows. */
import { rawDatabase } from '../database/raw-database.js';

/** Adds a member, until `remove` is called. The ids must need no escaping. */
export async function addMemberRow(url: string, chatId: string, userId: string, role = 'READER') {
  const database = await rawDatabase(url);
  await database.run(
    `INSERT INTO chat_members ("chatId", "userId", "role", "addedAt", "addedBy")
    VALUES ('${chatId}', '${userId}', '${role}', 0, 'owner')`,
  );
  const remove = () => database.run(`DELETE FROM chat_members WHERE "chatId" = '${chatId}' AND "userId" = '${userId}'`);
  return { remove };
}
