import { ForbiddenError, InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import { addMember, removeMember } from '../../conversation/members/members.js';
import type { Chat, Member } from '../../conversation/model.js';
import { builder } from '../builder.js';
import { mutate } from '../context.js';
import { chatRef } from '../refs.js';
import { chatRole } from './role.js';
import { memberRef } from './type.js';

const addMemberInput = builder.inputType('AddMemberInput', {
  description: 'A member to add, or its new role.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    userId: t.id({ required: true, description: 'The id of the user.' }),
    role: t.field({ type: chatRole, required: true, description: 'The role. For OWNER, use transferChat.' }),
  }),
});

const addMemberPayload = builder.objectRef<{ chat: Chat; member: Member }>('AddMemberPayload').implement({
  description: 'The user is a member with this role.',
  fields: (t) => ({
    member: t.expose('member', { type: memberRef, description: 'The member as it is now.' }),
    chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }),
  }),
});

builder.mutationField('addMember', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: 'member.changed',
    type: builder.errorUnion('AddMemberResult', {
      description: 'Result of addMember.',
      types: [addMemberPayload, InvalidInputError, NotFoundError, ForbiddenError],
      resolveType: () => addMemberPayload,
    }),
    description: 'Owners only: adds a member, at most 100 with the owner, or changes the role of one.',
    args: { input: t.arg({ type: addMemberInput, required: true, description: 'The member and its role.' }) },
    resolve: (_root, { input }, context) => mutate(context, () => addMember(context.store, context.viewer, input)),
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
  .objectRef<{ chat: Chat | null; removedUserId: string }>('RemoveMemberPayload')
  .implement({
    description: 'The user is no longer a member.',
    fields: (t) => ({
      removedUserId: t.exposeID('removedUserId', { description: 'The id of the user.' }),
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
    type: builder.errorUnion('RemoveMemberResult', {
      description: 'Result of removeMember.',
      types: [removeMemberPayload, InvalidInputError, NotFoundError, ForbiddenError],
      resolveType: () => removeMemberPayload,
    }),
    description: "Removes a member: owners any, other members themselves. The member's subscriptions end.",
    args: { input: t.arg({ type: removeMemberInput, required: true, description: 'The member to remove.' }) },
    resolve: (_root, { input }, context) => mutate(context, () => removeMember(context.store, context.viewer, input)),
  }),
);
