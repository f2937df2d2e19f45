/** The members of chats, and transfers of chats. */
import { ForbiddenError, InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import type { Chat, Member } from '../../conversation/model.js';
import { pageOfList } from '../../conversation/paging.js';
import { builder } from '../../graphql/builder.js';
import { chatRole } from '../../graphql/chat-role.js';
import { updateChatResult } from '../../graphql/chat/mutations.js';
import { resultUnion } from '../../graphql/result-union.js';
import { eventType } from '../../graphql/event/type.js';
import { countedConnectionRef, loadConnection } from '../../graphql/pages/connection.js';
import { encodeCursor } from '../../graphql/pages/cursors.js';
import { deletedNodeId } from '../../graphql/node/deleted.js';
import { addPartType, partKey } from '../../graphql/node/node-types.js';
import { chatRef } from '../../graphql/refs.js';
import { addMember, listMembers, removeMember, transferChat } from './members.js';

type ChatMember = Member & { chatId: string };

const memberRef = builder.objectRef<ChatMember>('ChatMember');

const membersOf = (chat: Chat): ChatMember[] => listMembers(chat).map((member) => ({ ...member, chatId: chat.id }));

addPartType('ChatMember', async (_context, chat, id) => membersOf(chat).find(({ userId }) => userId === id));

builder.node(memberRef, {
  id: { resolve: ({ chatId, userId }) => partKey(chatId, userId) },
  description: 'A user with access to a chat.',
  fields: (t) => ({
    userId: t.exposeID('userId', { description: 'The user.' }),
    role: t.expose('role', { type: chatRole, description: 'The rights of the user.' }),
    addedAt: t.expose('addedAt', {
      type: 'DateTime',
      description: 'When the user became a member; for the owner, when the chat was created.',
    }),
    addedBy: t.exposeID('addedBy', {
      description: 'The user who added the member or last changed the role; for the owner, the owner.',
    }),
  }),
});

/** Its position in the list of the chat, where it is distinct. */
const timeOf = ({ addedAt }: Member): number => addedAt;

const memberConnection = countedConnectionRef('ChatMember', memberRef);

builder.objectField(chatRef, 'members', (t) =>
  t.field({
    type: memberConnection,
    description: 'All users with access to the chat: its owner, then its members by the time of joining.',
    args: t.arg.connectionArgs(),
    resolve: (chat, args) =>
      loadConnection(
        { kind: 'member', of: chat.id },
        args,
        (page) => Promise.resolve(pageOfList(membersOf(chat), page, timeOf, 'ASC')),
        timeOf,
      ),
  }),
);

eventType('ChatTransferred', 'The chat was transferred to another user.', (t) => ({
  previousUserId: t.id({ description: 'The previous owner.', resolve: ({ payload }) => payload.previousUserId }),
  userId: t.id({ description: 'The new owner.', resolve: ({ payload }) => payload.userId }),
}));

eventType('MemberChanged', 'A member was added, changed or removed.', (t) => ({
  userId: t.id({ description: 'The member.', resolve: ({ payload }) => payload.userId }),
  role: t.field({
    type: chatRole,
    nullable: true,
    description: 'The new role; null if the member was removed or has left.',
    resolve: ({ payload }) => payload.role,
  }),
}));

const addMemberInput = builder.inputType('AddMemberInput', {
  description: 'A member to add, or its new role.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    userId: t.id({ required: true, description: 'The id of the user.' }),
    role: t.field({ type: chatRole, required: true, description: 'The role. For OWNER, use transferChat.' }),
  }),
});

const memberOf = ({ chat, member }: { chat: Chat; member: Member }): ChatMember => ({ ...member, chatId: chat.id });

const addMemberPayload = builder.objectRef<{ chat: Chat; member: Member }>('AddMemberPayload').implement({
  description: 'The user is a member with this role.',
  fields: (t) => ({
    member: t.field({ type: memberRef, description: 'The member as it is now.', resolve: memberOf }),
    memberEdge: t.field({
      type: memberConnection.edge,
      description: 'The member as an edge of Chat.members, for caches that insert it.',
      resolve: (payload) => {
        const node = memberOf(payload);
        return { cursor: encodeCursor({ kind: 'member', of: node.chatId }, timeOf(node)), node };
      },
    }),
    chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }),
  }),
});

builder.mutationField('addMember', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: 'member.changed',
    type: resultUnion(addMemberPayload, [InvalidInputError, NotFoundError, ForbiddenError]),
    description: 'Owners only: adds a member, at most 100 with the owner, or changes the role of one.',
    args: { input: t.arg({ type: addMemberInput, required: true, description: 'The member and its role.' }) },
    resolve: (_root, { input }, context) => addMember(context.store, context.viewer, input),
  }),
);

const removeMemberInput = builder.inputType('RemoveMemberInput', {
  description: 'A member to remove.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    userId: t.id({ required: true, description: "The id of the member: the viewer's own to leave the chat." }),
  }),
});

const removeMemberPayload = builder
  .objectRef<{ chat: Chat | null; chatId: string; deletedId: string }>('RemoveMemberPayload')
  .implement({
    description: 'The user is no longer a member.',
    fields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The id of the user.' }),
      deletedNodeId: t.id(deletedNodeId('ChatMember', ({ chatId, deletedId }) => partKey(chatId, deletedId))),
      chat: t.expose('chat', {
        type: chatRef,
        nullable: true,
        description: 'The chat as it is now; null if the viewer has left it.',
      }),
    }),
  });

builder.mutationField('removeMember', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: 'member.removed',
    type: resultUnion(removeMemberPayload, [InvalidInputError, NotFoundError, ForbiddenError]),
    description: "Removes a member: owners any, other members themselves. The member's subscriptions end.",
    args: { input: t.arg({ type: removeMemberInput, required: true, description: 'The member to remove.' }) },
    resolve: async (_root, { input }, { store, viewer }) => ({
      chat: await removeMember(store, viewer, input),
      chatId: input.chatId,
      deletedId: input.userId,
    }),
  }),
);

const transferChatInput = builder.inputType('TransferChatInput', {
  description: 'The new owner of a chat.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    userId: t.id({ required: true, description: 'The id of the new owner.' }),
  }),
});

builder.mutationField('transferChat', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: 'chat.transferred',
    type: updateChatResult(),
    description:
      'Transfers a chat to another user: owners to a member, admins to any user. The previous owner loses access.',
    args: { input: t.arg({ type: transferChatInput, required: true, description: 'The chat and its new owner.' }) },
    resolve: async (_root, { input: { chatId: id, userId } }, { store, viewer }) => ({
      chat: await transferChat(store, viewer, { id, userId }),
    }),
  }),
);
