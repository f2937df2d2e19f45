import { checkOptionalName } from '../../conversation/bounds.js';
import { InvalidInputError } from '../../conversation/errors.js';
import type { Chat, Viewer } from '../../conversation/model.js';
import { mayAccess, onlyChatOf } from '../../conversation/access/ownership.js';
import type { ListChange } from '../../events/list-changes.js';
import { builder } from '../builder.js';
import { encodeNodeId } from '../node/node-id.js';
import { chatRef } from '../refs.js';
import { includeShared } from './queries.js';
import { beginAnswer, fromNow, refused } from '../subscribe.js';

const chatChangeKind = builder.enumType('ChatChangeKind', {
  description: 'Kind of a change in a list of chats.',
  values: {
    CREATED: { description: 'New in the list: created, imported, transferred to its user, or shared with it.' },
    CHANGED: { description: 'The chat or something in it changed.' },
    REMOVED: { description: 'No longer in the list: deleted, transferred to another user, or no longer shared.' },
  } as const,
});

const chatChange = builder.objectRef<ListChange & { chat: Chat | null }>('ChatChange').implement({
  description: 'A new, changed or removed chat of a list.',
  fields: (t) => ({
    chatId: t.exposeID('chatId', { description: 'Its id, also after removal.' }),
    chatNodeId: t.id({
      description: 'Its nodeId, also after removal: the key in caches.',
      resolve: ({ chatId }) => encodeNodeId('Chat', chatId),
    }),
    kind: t.expose('kind', { type: chatChangeKind, description: 'Kind of the change.' }),
    version: t.exposeInt('version', {
      description: 'The seq of the newest event that it covers: earlier changes may have been merged into it.',
    }),
    chat: t.expose('chat', { type: chatRef, nullable: true, description: 'The chat as it is now; null when REMOVED.' }),
  }),
});

builder.subscriptionField('chatChanges', (t) =>
  t.field({
    audit: 'chats.followed',
    type: chatChange,
    description: `The viewer's list of chats (an admin's: that of userId, or everyone's): every created, changed, removed, transferred or
shared chat, in the order of commits, with the chat as it is now. Delivered at least once; after a reconnect, read the first page of
chats again.`,
    args: {
      userId: t.arg.id({ description: 'Admins only: the list of this user.' }),
      includeShared: t.arg.boolean(includeShared),
    },
    subscribe: async (_root, { userId, includeShared }, { live, viewer, following = fromNow() }) => {
      try {
        const chats = { includeShared, chatId: onlyChatOf(viewer) };
        return await live.chatList.follow(ownerOf(viewer, userId), following, chats);
      } catch (error) {
        return refused(error);
      }
    },
    resolve: async (change, { userId, includeShared }, context) => {
      await beginAnswer(context);
      const removed = { ...change, kind: 'REMOVED' as const, chat: null };
      if (change.kind === 'REMOVED') return removed;
      const chat = await context.loaders.chat.load(change.chatId);
      const ofUser = ownerOf(context.viewer, userId);
      // A deletion or a lost role since then is another update.
      const isListed = chat !== null && (ofUser === null || isListedFor(ofUser, chat, includeShared));
      return isListed ? { ...change, chat } : removed;
    },
  }),
);

const isListedFor = (userId: string, chat: Chat, includeShared: boolean) =>
  chat.userId === userId || (includeShared && mayAccess({ userId, isAdmin: false }, chat));

/**
 * User of the followed list; null for everyone's.
 * @throws InvalidInputError
 */
function ownerOf(viewer: Viewer, userId: string | null | undefined): string | null {
  // An empty id belongs to no user.
  const asked = checkOptionalName(userId, 'userId');
  if (viewer.isAdmin) return asked;
  if (asked === null || asked === viewer.userId) return viewer.userId;
  throw new InvalidInputError("userId: only an admin may follow another user's chats", 'userId');
}
