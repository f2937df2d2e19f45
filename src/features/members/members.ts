/** Members of a chat besides its owner, and transfers of chats. */
import sql, { type Sql } from 'sql-template-tag';
import { checkName, isPossibleId } from '../../conversation/bounds.js';
import { changeChat } from '../../conversation/chats.js';
import { InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import { mayAccess, membersOf } from '../../conversation/access/ownership.js';
import type { Chat, ChatRole, Member, Viewer } from '../../conversation/model.js';
import type { ConversationStore, LockedChat } from '../../conversation/store.js';
import type { Differences } from '../../database/dialects/differences.js';
import { DatabaseLockedChat } from '../../database/store/locked-chat.js';

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
    const { userId: owner, createdAt } = locked.chat;
    if (userId === owner) {
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
    const newest = Math.max(createdAt, ...members.map(({ addedAt }) => addedAt));
    const addedAt = existing?.addedAt ?? Math.max(change.now, newest + 1);
    const member = { userId, role, addedAt, addedBy: viewer.userId };
    change.changeAccess('MemberChanged', { userId, role }, owner, await replaceMember(locked, members, userId, member));
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
): Promise<Chat | null> {
  return changeChat(store, viewer, chatId, userId === viewer.userId ? 'READER' : 'OWNER', async (locked, change) => {
    const owner = locked.chat.userId;
    if (userId === owner) {
      throw new InvalidInputError('userId: the owner cannot leave the chat: transfer or delete it', 'userId');
    }
    const members = isPossibleId(userId) ? await membersNow(locked) : [];
    if (!members.some((member) => member.userId === userId)) throw new NotFoundError(`Member "${userId}" not found`);
    change.changeAccess('MemberChanged', { userId, role: null }, owner, await replaceMember(locked, members, userId));
    return mayAccess(viewer, change.chat) ? change.chat : null;
  });
}

/**
 * Transfers a chat to another user: its owner to a member, admins to any user. The new owner is no longer a member, and
 * the previous owner has no role. Nothing is written when the user already owns it.
 * @throws InvalidInputError, NotFoundError, ForbiddenError, RefusalError
 */
export function transferChat(
  store: ConversationStore,
  viewer: Viewer,
  request: { id: string; userId: string },
): Promise<Chat> {
  const userId = checkName(request.userId, 'userId');
  return changeChat(store, viewer, request.id, 'OWNER', async (locked, change) => {
    const { userId: previousUserId } = locked.chat;
    if (previousUserId === userId) return change.chat;
    if (!viewer.isAdmin && !(await membersNow(locked)).some((member) => member.userId === userId)) {
      throw new InvalidInputError(
        'userId: only an admin may transfer a chat to another user than a member: add the user first',
        'userId',
      );
    }
    const members = await replaceMember(locked, membersOf(locked.chat), userId);
    change.changeAccess('ChatTransferred', { previousUserId, userId }, userId, members);
    return change.chat;
  });
}

/** All members, owner first, then by the time of joining. */
export function listMembers(chat: Chat): Member[] {
  const { userId, createdAt } = chat;
  const others = membersOf(chat).sort((one, other) => one.addedAt - other.addedAt);
  return [{ userId, role: 'OWNER', addedAt: createdAt, addedBy: userId }, ...others];
}

export const deleteMember = (d: Differences, chatId: string, userId: string): Sql =>
  sql`DELETE FROM ${d.table('chat_members')} WHERE "chatId" = ${chatId} AND "userId" = ${userId}`;

async function membersNow(locked: LockedChat): Promise<Member[]> {
  return membersOf((await locked.chatNow(locked.chat.id)) ?? locked.chat);
}

/**
 * Writes the row of a member, or deletes it.
 * @param members all present members
 * @returns the members after it, as JSON
 */
async function replaceMember(
  locked: LockedChat,
  members: readonly Member[],
  userId: string,
  member?: Member,
): Promise<string> {
  const { tx, sql, chat } = DatabaseLockedChat.of(locked);
  await tx.run(deleteMember(sql.differences, chat.id, userId));
  if (member !== undefined) await tx.run(sql.insertRows('chat_members', [{ chatId: chat.id, ...member }]));
  const others = members.filter((other) => other.userId !== userId);
  return JSON.stringify(member === undefined ? others : [...others, member]);
}
