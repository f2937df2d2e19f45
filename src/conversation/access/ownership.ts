import type { Chat, ChatRole, Member, Viewer } from '../model.js';

/** The default viewer in development mode and of calls within the process. */
export const LOCAL_ADMIN: Viewer = { userId: 'local', isAdmin: true };

/** Reserved placeholder id for erased users. */
export const ERASED_USER = 'erased';

/** The columns of a chat that decide about access. */
export type ChatAccess = Pick<Chat, 'id' | 'userId' | 'members'>;

/** Roles from the lowest to the highest. */
const ROLES: readonly ChatRole[] = ['READER', 'COMMENTER', 'WRITER', 'OWNER'];

/**
 * The role of a viewer in a chat: OWNER for its owner and for admins, null for users without access. An access token
 * accesses at most its chat.
 */
export function roleOf({ userId, isAdmin, accessToken }: Viewer, chat: ChatAccess): ChatRole | null {
  if ((accessToken?.chatId ?? chat.id) !== chat.id) return null;
  if (isAdmin || userId === chat.userId) return 'OWNER';
  return membersOf(chat).find((member) => member.userId === userId)?.role ?? null;
}

/** Whether the viewer has at least this role. Users without any get the same result as for an unknown chat. */
export function mayAccess(viewer: Viewer, chat: ChatAccess, role: ChatRole = 'READER'): boolean {
  const own = roleOf(viewer, chat);
  return own !== null && includesRole(own, role);
}

export function includesRole(role: ChatRole, required: ChatRole): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(required);
}

export function membersOf({ members }: Pick<Chat, 'members'>): Member[] {
  return members == null ? [] : (JSON.parse(members) as Member[]);
}

/** The only chat that the viewer may access; null for all chats of the user. */
export function onlyChatOf({ accessToken }: Viewer): string | null {
  return accessToken?.chatId ?? null;
}
