import type { Chat, Viewer } from './model.js';

/** Whom development mode takes everybody for, who does not say otherwise; and whoever is in the process. */
export const LOCAL_ADMIN: Viewer = { userId: 'local', isAdmin: true };

/** Who has done what an erased user did in the chats of others: somebody, but nobody knows who. Nobody else is this. */
export const ERASED_USER = 'erased';

/** A chat belongs to its user; admins see all. To anyone else it does not exist. */
export function mayAccess(viewer: Viewer, chat: Pick<Chat, 'userId'>): boolean {
  return viewer.isAdmin || viewer.userId === chat.userId;
}
