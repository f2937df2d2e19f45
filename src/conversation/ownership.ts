import type { Chat, Viewer } from './model.js';

/** The default viewer in development mode and of calls within the process. */
export const LOCAL_ADMIN: Viewer = { userId: 'local', isAdmin: true };

/** Reserved placeholder id for erased users. */
export const ERASED_USER = 'erased';

/**
 * A chat belongs to its user; admins access all, and an access token at most its chat. Others get the same result as for
 * an unknown chat.
 */
export function mayAccess({ userId, isAdmin, accessToken }: Viewer, chat: Pick<Chat, 'id' | 'userId'>): boolean {
  const chatId = accessToken?.chatId ?? chat.id;
  return chatId === chat.id && (isAdmin || userId === chat.userId);
}

/** The only chat that the viewer may access; null for all chats of the user. */
export function onlyChatOf({ accessToken }: Viewer): string | null {
  return accessToken?.chatId ?? null;
}
