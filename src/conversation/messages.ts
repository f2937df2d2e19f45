/** Looking up the messages that a client or a stored row names. */
import { isPossibleId } from './bounds.js';
import { NotFoundError } from './errors.js';
import type { Message, Viewer } from './model.js';
import { mayAccess } from './ownership.js';
import type { LockedChat } from './store.js';

/**
 * The message of this chat with this id.
 * @throws NotFoundError, which tells the owner of both chats that the message is in another
 */
export async function requireMessage(locked: LockedChat, viewer: Viewer, id: string): Promise<Message> {
  if (!isPossibleId(id)) throw NotFoundError.message(id);
  const message = await locked.messageAnywhere(id);
  if (message?.chatId === locked.chat.id) return message;
  // Asked of a message that is not there, too: how long it takes tells nobody that there is one.
  const isVisible = await isForeignChatVisible(locked, viewer, message?.chatId ?? id);
  throw message !== null && isVisible ? new NotFoundError(belongsElsewhere(id)) : NotFoundError.message(id);
}

/**
 * The message of this chat that a stored row names.
 * @throws NotFoundError when the chat has none with this id
 */
export async function referredMessage(locked: LockedChat, id: string): Promise<Message> {
  const message = (await locked.messages([id])).get(id);
  if (message === undefined) throw NotFoundError.message(id);
  return message;
}

/** Whether the viewer may know what is in another chat. */
export async function isForeignChatVisible(locked: LockedChat, viewer: Viewer, chatId: string): Promise<boolean> {
  const userId = await locked.ownerOf(chatId);
  return userId !== null && mayAccess(viewer, { userId });
}

export function belongsElsewhere(messageId: string): string {
  return `Message "${messageId}" belongs to a different chat`;
}
