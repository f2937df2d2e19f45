/** Ids that are the same at every import of the same data, so that a second import finds stored messages. */
import { v5 } from 'uuid';

/** A random constant. With another one, every conversation would be imported again. */
const NAMESPACE = '6f0d5b1e-2c39-4f57-9a3c-8f4f0c1d7be2';

export function importedChatId(userId: string, source: string, conversationId: string): string {
  return v5(JSON.stringify([userId, source, conversationId]), NAMESPACE);
}

/**
 * Within the chat: node ids of a file are not unique across conversations.
 * @param chatId the id as text, or as bytes, which spares parsing it for each message
 */
export function importedMessageId(chatId: string | Uint8Array, nodeId: string): string {
  return v5(nodeId, chatId);
}

/** The id of a new version of a message, because stored messages are immutable. */
export function importedVersionId(chatId: string, nodeId: string, hash: string): string {
  return v5(JSON.stringify([nodeId, hash]), chatId);
}
