import type { Share } from '../../conversation/shares/share-records.js';
import { mayShare, type NewShare } from '../../conversation/shares/shares.js';
import { pageOfList } from '../../conversation/paging.js';
import { builder } from '../builder.js';
import { chatOf, messageOf } from '../loading/references.js';
import { countedConnectionRef, loadConnection } from '../pages/connection.js';
import { chatRef, messageRef } from '../refs.js';

export const shareRef = builder.objectRef<Share | NewShare>('Share').implement({
  description: 'A link that gives anonymous read access to the path to a message, as it is now.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id for revokeShare.' }),
    token: t.string({
      nullable: true,
      description: 'The secret of the link, 256 random bits. Returned only on creation; stored as a hash.',
      resolve: (share) => ('token' in share ? share.token : null),
    }),
    chat: t.field({ type: chatRef, description: 'The chat of the path.', resolve: chatOf }),
    message: t.field({ type: messageRef, description: 'The last message of the path.', resolve: messageOf }),
    title: t.exposeString('title', { nullable: true, description: 'The title that readers see.' }),
    contentHash: t.exposeString('contentHash', {
      description:
        'SHA-256 in hex of all that readers see of the messages, in the canonical form of docs/access/shares.md. Equal hashes mean ' +
        'equal shares.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The end of its validity; null for none.',
    }),
  }),
});

/** Its position in the list of the chat, where it is distinct. */
const timeOf = ({ createdAt }: Share): number => createdAt;

const shareConnection = countedConnectionRef('Share', shareRef);

builder.objectField(chatRef, 'shares', (t) =>
  t.field({
    type: shareConnection,
    description:
      'The shares of the chat, newest first, expired ones included. Empty for viewers that may not create any.',
    args: t.arg.connectionArgs(),
    resolve: (chat, args, { loaders, viewer }) =>
      loadConnection(
        { kind: 'share', of: chat.id },
        args,
        async (page) =>
          pageOfList(mayShare(viewer, chat) ? await loaders.shares.load(chat.id) : [], page, timeOf, 'DESC'),
        timeOf,
      ),
  }),
);
