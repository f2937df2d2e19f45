import type { Chat, Viewer } from './model.js';

/** Until there is authentication, everybody is the admin of this machine. */
export const LOCAL_ADMIN: Viewer = { userId: 'local', isAdmin: true };

/** A chat belongs to its user; admins see all. To anyone else it does not exist. */
export function mayAccess(viewer: Viewer, chat: Pick<Chat, 'userId'>): boolean {
  return viewer.isAdmin || viewer.userId === chat.userId;
}
