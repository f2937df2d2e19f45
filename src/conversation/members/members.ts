/** Members of a chat besides its owner. */
import { checkName, isPossibleId } from '../bounds.js';
import { changeChat, membersNow } from '../chats.js';
import { InvalidInputError, NotFoundError } from '../errors.js';
import type { Chat, ChatRole, Member, Viewer } from '../model.js';
import { mayAccess, membersOf } from './ownership.js';
import type { ConversationStore } from '../store.js';

/** Members of a chat, including its owner. */
export const MAX_MEMBERS = 100;

/**
 * Adds a member, or changes its role. Nothing is written when the member already has the role.
 * @throws InvalidInputError, NotFoundError, ForbiddenError
 */
export function addMember(
  store: ConversationStore,
  viewer: Viewer,
  request: { chatId: string; userId: string; role: ChatRole },
): Promise<{ chat: Chat; member: Member }> {
  const { role } = request;
  const userId = checkName(request.userId, 'userId');
  return changeChat(store, viewer, request.chatId, 'OWNER', async (locked, change) => {
    if (userId === locked.chat.userId) {
      throw new InvalidInputError('userId: the owner of the chat has all rights and cannot be added', 'userId');
    }
    if (role === 'OWNER') {
      throw new InvalidInputError('role: a chat has one owner; change it with transferChat', 'role');
    }
    const members = await membersNow(locked);
    const existing = members.find((member) => member.userId === userId);
    if (existing?.role === role) return { chat: change.chat, member: existing };
    if (existing === undefined && members.length + 1 >= MAX_MEMBERS) {
      throw new InvalidInputError(
        `userId: a chat may have at most ${MAX_MEMBERS} members including its owner: remove one first`,
        'userId',
      );
    }
    // Distinct in the chat: their positions in the list.
    const newest = Math.max(locked.chat.createdAt, ...members.map(({ addedAt }) => addedAt));
    const addedAt = existing?.addedAt ?? Math.max(change.now, newest + 1);
    const member = { userId, role, addedAt, addedBy: viewer.userId };
    change.changeMember(members, userId, member);
    return { chat: change.chat, member };
  });
}

/**
 * Removes a member. Members may remove themselves.
 * @returns the chat; null if the viewer has left it
 * @throws InvalidInputError, NotFoundError, ForbiddenError
 */
export function removeMember(
  store: ConversationStore,
  viewer: Viewer,
  { chatId, userId }: { chatId: string; userId: string },
): Promise<{ chat: Chat | null; removedUserId: string }> {
  return changeChat(store, viewer, chatId, userId === viewer.userId ? 'READER' : 'OWNER', async (locked, change) => {
    if (userId === locked.chat.userId) {
      throw new InvalidInputError('userId: the owner cannot leave the chat: transfer or delete it', 'userId');
    }
    const members = isPossibleId(userId) ? await membersNow(locked) : [];
    if (!members.some((member) => member.userId === userId)) throw new NotFoundError(`Member "${userId}" not found`);
    change.changeMember(members, userId, null);
    return { chat: mayAccess(viewer, change.chat) ? change.chat : null, removedUserId: userId };
  });
}

/** All members, owner first, then by the time of joining. */
export function listMembers(chat: Chat): Member[] {
  const { userId, createdAt } = chat;
  const others = membersOf(chat).sort((one, other) => one.addedAt - other.addedAt);
  return [{ userId, role: 'OWNER', addedAt: createdAt, addedBy: userId }, ...others];
}
