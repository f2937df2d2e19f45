import { validate, version } from 'uuid';
import type { Message } from '../../conversation/model.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Transaction } from '../connection/connection.js';
import { readMessages, type MessageSource } from './message-data.js';

/**
 * Messages of any chat by id. A directory has all ids except those in the form of the server, which need no entry: only these
 * are looked up in all chats, unless all are in one.
 * @param chatId the chat that most of them are in
 */
export async function messagesAnywhere(
  source: MessageSource & Pick<Transaction, 'directory'> & { readonly sql: Dialect },
  chatId: string,
  ids: readonly string[],
): Promise<Message[]> {
  const { sql, directory } = source;
  if (directory !== undefined) {
    const areOfServer = ids.some((id) => validate(id) && version(id) === 7);
    const chats = areOfServer ? new Map<string, string>() : await directory.chatsOf(ids);
    const keys = ids.map((id) => ({ chatId: chats.get(id) ?? chatId, id }));
    const found = await readMessages(source, (inlineBytes) => sql.messages(keys, inlineBytes), ids.length);
    if (!areOfServer || found.length === ids.length) return found;
  }
  return readMessages(source, (inlineBytes) => sql.messagesById(ids, inlineBytes), ids.length);
}
