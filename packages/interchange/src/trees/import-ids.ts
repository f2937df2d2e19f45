/** Ids that are the same at every import of the same thing, so that a second import recognises what is there. */
import { v5 } from 'uuid';

/** Of our own, drawn once. Another one would import everything anew. */
const NAMESPACE = '6f0d5b1e-2c39-4f57-9a3c-8f4f0c1d7be2';

export function importedChatId(userId: string, source: string, conversationId: string): string {
  return v5(JSON.stringify([userId, source, conversationId]), NAMESPACE);
}

/**
 * Within the chat: node ids of a file are not unique across conversations.
 * @param chatId as text, or as the bytes that it stands for, which spares taking it apart for each message
 */
export function importedMessageId(chatId: string | Uint8Array, nodeId: string): string {
  return v5(nodeId, chatId);
}

/** Of a message that has changed under its id: another one, for messages never change here. */
export function importedVersionId(chatId: string, nodeId: string, hash: string): string {
  return v5(JSON.stringify([nodeId, hash]), chatId);
}
