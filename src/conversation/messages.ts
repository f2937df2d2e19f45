/** Finding messages by ids of clients or of stored rows. */
import { isPossibleId } from './bounds.js';
import { NotFoundError } from './errors.js';
import type { Message, Viewer } from './model.js';
import { mayAccess } from './access/ownership.js';
import type { LockedChat } from './store.js';

/**
 * The message of this chat with this id.
 * @throws NotFoundError, which names the other chat only to an owner of both
 */
export async function requireMessage(locked: LockedChat, viewer: Viewer, id: string): Promise<Message> {
  if (!isPossibleId(id)) throw NotFoundError.message(id);
  const message = await locked.messageAnywhere(id);
  if (isHere(locked, message)) return message;
  throw await notHere(locked, viewer, id, message);
}

type InChat = Pick<Message, 'chatId'>;

export function isHere<Row extends InChat>({ chat }: LockedChat, row: Row | null): row is Row {
  return row?.chatId === chat.id;
}

/**
 * The error of an id without a message in this chat. It names the other chat only to an owner of both.
 * @param found the message of another chat
 * @param prefix the begin of its text
 */
export async function notHere(
  locked: LockedChat,
  viewer: Viewer,
  id: string,
  found: InChat | null,
  prefix = '',
): Promise<NotFoundError> {
  // Checked for missing messages too, so that response times do not reveal that a message exists.
  const isVisible = await isForeignChatVisible(locked, viewer, found?.chatId ?? id);
  const { message } = NotFoundError.message(id);
  return new NotFoundError(prefix + (found !== null && isVisible ? belongsElsewhere(id) : message));
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

/** Whether the viewer may learn that another chat exists. An admin acts for the owner of the locked chat. */
export async function isForeignChatVisible(locked: LockedChat, viewer: Viewer, chatId: string): Promise<boolean> {
  const chat = await locked.chatNow(chatId);
  return chat !== null && mayAccess(viewer, chat) && (!viewer.isAdmin || chat.userId === locked.chat.userId);
}

export function belongsElsewhere(messageId: string): string {
  return `Message "${messageId}" belongs to a different chat`;
}
