/** Deleting chats, restoring them, and the list of deleted ones. */
import { isPossibleId } from '../../conversation/bounds.js';
import { ForbiddenError, NotFoundError } from '../../conversation/errors.js';
import { onlyChatOf } from '../../conversation/access/ownership.js';
import type { Chat } from '../../conversation/model.js';
import { badUserInput } from '../../graphql/bad-user-input.js';
import { builder } from '../../graphql/builder.js';
import { chatEdge } from '../../graphql/chat/type.js';
import { chatRefusals } from '../../graphql/errors.js';
import { DELETED_ID, deletedNodeId } from '../../graphql/node/deleted.js';
import { countedConnectionRef, EMPTY_PAGE } from '../../graphql/pages/connection.js';
import { decodeTimed, writeCursor } from '../../graphql/pages/cursors.js';
import { readPage } from '../../graphql/pages/page-arguments.js';
import { chatRef, deletedChatRef } from '../../graphql/refs.js';
import { resultUnion } from '../../graphql/result-union.js';
import { viewerRef } from '../../graphql/viewer/type.js';
import { deleteChat, restoreChat } from './delete-chat.js';
import type { DeletedChatPosition } from './statements.js';

function encodeCursor({ deletedAt, id }: DeletedChatPosition): string {
  return writeCursor('deleted-chat', `${deletedAt}:${id}`);
}

function decodeCursor(cursor: string, argument: string): DeletedChatPosition {
  const { time, id } = decodeTimed('deleted-chat', cursor, argument);
  return { deletedAt: time, id };
}

builder.objectField(viewerRef, 'recoveryDays', (t) =>
  t.int({
    description: 'Days in which a deleted chat can be restored; 0 if deletions are final.',
    resolve: (_viewer, _args, { recoveryDays }) => recoveryDays,
  }),
);

const deleteChatInput = builder.inputType('DeleteChatInput', {
  description: 'A chat to delete.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    permanently: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether the chat is removed at once, also if it is deleted already.',
    }),
  }),
});

interface Deletion {
  deletedId: string;
  restorableUntil: number | null;
}

const deleteChatPayload = builder.objectRef<Deletion>('DeleteChatPayload').implement({
  description: 'The chat was deleted.',
  fields: (t) => ({
    deletedId: t.exposeID('deletedId', DELETED_ID),
    deletedNodeId: t.id(deletedNodeId('Chat', ({ deletedId }) => deletedId)),
    restorableUntil: t.expose('restorableUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'The time until which restoreChat can undo the deletion; null if the chat is removed.',
    }),
  }),
});

builder.mutationField('deleteChat', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: 'chat.deleted',
    type: resultUnion(deleteChatPayload, [NotFoundError, ForbiddenError, ...chatRefusals]),
    description:
      'Deletes the chat with all its messages, branches, checkpoints, events and search rows. Unless the server deletes at once, ' +
      'restoreChat can undo it for some days. Drafts are lost.',
    args: { input: t.arg({ type: deleteChatInput, required: true, description: 'The chat to delete.' }) },
    resolve: async (_root, { input: { chatId, permanently } }, context) => ({
      deletedId: chatId,
      ...(await deleteChat(context.store, context.viewer, chatId, { permanently })),
    }),
  }),
);

const restoreChatInput = builder.inputType('RestoreChatInput', {
  description: 'A chat to restore.',
  fields: (t) => ({ chatId: t.id({ required: true, description: 'The id of the deleted chat.' }) }),
});

const restoreChatPayload = builder.objectRef<{ chat: Chat }>('RestoreChatPayload').implement({
  description: 'The chat was restored.',
  fields: (t) => ({
    chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }),
    chatEdge: t.field(chatEdge),
  }),
});

builder.mutationField('restoreChat', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: 'chat.restored',
    type: resultUnion(restoreChatPayload, [NotFoundError]),
    description:
      'Its owner only: restores a deleted chat with its members, shares and access tokens. It is the newest of its lists.',
    args: { input: t.arg({ type: restoreChatInput, required: true, description: 'The chat to restore.' }) },
    resolve: async (_root, { input }, context) => ({
      chat: await restoreChat(context.store, context.viewer, input.chatId, context.recoveryDays),
    }),
  }),
);

deletedChatRef.implement({
  description: 'A deleted chat that can be restored.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the chat.' }),
    userId: t.exposeID('userId', { description: 'The owner.' }),
    title: t.exposeString('title', { nullable: true, description: 'The title for lists.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change before the deletion.' }),
    deletedAt: t.expose('deletedAt', { type: 'DateTime', description: 'Time of the deletion.' }),
    restorableUntil: t.expose('restorableUntil', {
      type: 'DateTime',
      description: 'The chat is removed soon after this time, unless a legal hold is on it.',
    }),
  }),
});

const deletedChatConnection = countedConnectionRef('DeletedChat', deletedChatRef);

builder.queryField('deletedChats', (t) =>
  t.field({
    audit: null,
    type: deletedChatConnection,
    description:
      "The viewer's deleted chats that can be restored, newest deletion first. None for an access token of one chat.",
    args: {
      userId: t.arg.id({ description: 'Admins only: the deleted chats of this user.' }),
      ...t.arg.connectionArgs(),
    },
    resolve: async (_root, { userId: asked, ...args }, { reads, viewer }) => {
      const page = readPage(args, decodeCursor);
      const userId = asked ?? viewer.userId;
      if (userId !== viewer.userId && !viewer.isAdmin) {
        throw badUserInput("userId: only an admin may list another user's deleted chats");
      }
      if (!isPossibleId(userId) || onlyChatOf(viewer) !== null) {
        return { page: EMPTY_PAGE, cursorOf: encodeCursor, totalCount: 0 };
      }
      const found = await reads.deletedChatPage(userId, page);
      return { page: found, cursorOf: encodeCursor, totalCount: () => reads.deletedChatCount(userId) };
    },
  }),
);
