/** Finding messages by ids of clients or of stored rows. */
import { isPossibleId } from './bounds.js';
import { NotFoundError } from './errors.js';
import type { Message, Viewer } from './model.js';
import { mayAccess } from './ownership.js';
import type { LockedChat } from './store.js';

/**
 * The message of this chat with this id.
 * @throws NotFoundError, which names the other chat only to an owner of both
 */
export async function requireMessage(locked: LockedChat, viewer: Viewer, id: string): Promise<Message> {
  if (!isPossibleId(id)) throw NotFoundError.message(id);
  const message = await locked.messageAnywhere(id);
  if (message?.chatId === locked.chat.id) return message;
  // Checked for missing messages too, so that response times do not reveal that a message exists.
  const isVisible = await isForeignChatVisible(locked, viewer, message?.chatId ?? id);
  throw message !== null && isVisible ? new NotFoundError(belongsElsewhere(id)) : NotFoundError.message(id);
}

/**
 * The message of this chat that a stored row references.
 * @throws NotFoundError when the chat has none with this id
 */
export async function referredMessage(locked: LockedChat, id: string): Promise<Message> {
  const message = (await locked.messages([id])).get(id);
  if (message === undefined) throw NotFoundError.message(id);
  return message;
}

/** Whether the viewer may receive another chat's content. */
export async function isForeignChatVisible(locked: LockedChat, viewer: Viewer, chatId: string): Promise<boolean> {
  const userId = await locked.ownerOf(chatId);
  return userId !== null && mayAccess(viewer, { id: chatId, userId });
}

export function belongsElsewhere(messageId: string): string {
  return `Message "${messageId}" belongs to a different chat`;
}
