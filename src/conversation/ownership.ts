import type { Chat, Viewer } from './model.js';

/** The default viewer in development mode and of calls within the process. */
export const LOCAL_ADMIN: Viewer = { userId: 'local', isAdmin: true };

/** Reserved placeholder id for erased users. */
export const ERASED_USER = 'erased';

/** A chat belongs to its user; admins access all. Other users get the same result as for an unknown chat. */
export function mayAccess(viewer: Viewer, chat: Pick<Chat, 'userId'>): boolean {
  return viewer.isAdmin || viewer.userId === chat.userId;
}
