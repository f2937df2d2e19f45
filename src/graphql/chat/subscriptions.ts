import { checkOptionalName } from '../../conversation/bounds.js';
import { InvalidInputError } from '../../conversation/errors.js';
import type { Chat, Viewer } from '../../conversation/model.js';
import type { ListChange } from '../../events/list-changes.js';
import { builder } from '../builder.js';
import { encodeNodeId } from '../node-id.js';
import { chatRef } from '../refs.js';
import { beginAnswer, fromNow, refused } from '../subscribe.js';

const chatChangeKind = builder.enumType('ChatChangeKind', {
  description: 'What has happened to a chat, for whoever follows a list of chats.',
  values: {
    CREATED: { description: 'It is new in the list: made, imported, or given to its user.' },
    CHANGED: { description: 'Something of it or in it has changed.' },
    REMOVED: { description: 'It is not in the list any more: deleted, or given to somebody else.' },
  } as const,
});

const chatChange = builder.objectRef<ListChange & { chat: Chat | null }>('ChatChange').implement({
  description: 'A chat of a list that is new, changed or gone.',
  fields: (t) => ({
    chatId: t.exposeID('chatId', { description: 'Its id, also when it is gone.' }),
    chatNodeId: t.id({
      description: 'Its nodeId, also when it is gone: what caches know it by.',
      resolve: ({ chatId }) => encodeNodeId('Chat', chatId),
    }),
    kind: t.expose('kind', { type: chatChangeKind, description: 'What it is in the list now.' }),
    version: t.exposeInt('version', {
      description: 'The seq of the newest event that it tells of: changes before it may have been left out.',
    }),
    chat: t.expose('chat', { type: chatRef, nullable: true, description: 'The chat as it is now; null when REMOVED.' }),
  }),
});

builder.subscriptionField('chatChanges', (t) =>
  t.field({
    type: chatChange,
    description: `The viewer's list of chats (an admin's: those of userId, or everyone's): every chat that is new, changed, removed
or given away, in the order of commits, with the chat as it is now. At least once; after a reconnect, read the first page of
chats again.`,
    args: { userId: t.arg.id({ description: 'Admins only: the chats of this user.' }) },
    subscribe: async (_root, { userId }, { live, viewer, following = fromNow() }) => {
      try {
        return await live.chatList.follow(ownerOf(viewer, userId), following);
      } catch (error) {
        return refused(error);
      }
    },
    resolve: async (change, { userId }, context) => {
      await beginAnswer(context);
      const gone = { ...change, kind: 'REMOVED' as const, chat: null };
      if (change.kind === 'REMOVED') return gone;
      const chat = await context.loaders.chat.load(change.chatId);
      const owner = ownerOf(context.viewer, userId);
      // It may have gone meanwhile, which will be told again.
      return chat === null || (owner !== null && chat.userId !== owner) ? gone : { ...change, chat };
    },
  }),
);

/**
 * Whose chats are followed; null for everyone's.
 * @throws InvalidInputError
 */
function ownerOf(viewer: Viewer, userId: string | null | undefined): string | null {
  // An empty id would be nobody's.
  const asked = checkOptionalName(userId, 'userId');
  if (viewer.isAdmin) return asked;
  if (asked === null || asked === viewer.userId) return viewer.userId;
  throw new InvalidInputError("userId: only an admin may follow somebody else's chats", 'userId');
}
