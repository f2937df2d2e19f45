import type { Share } from '../share-records.js';
import { mayShare, type NewShare } from '../shares.js';
import { pageOfList } from '../../../conversation/paging.js';
import { builder } from '../../../graphql/builder.js';
import type { Context } from '../../../graphql/context.js';
import { chatOf, messageOf } from '../../../graphql/answers/references.js';
import { countedConnectionRef, loadConnection } from '../../../graphql/pages/connection.js';
import { chatRef, messageRef } from '../../../graphql/refs.js';

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

/** One batch for the chats of a list. */
const loaderOf = (context: Context) =>
  context.loaders.of('shares', (chatIds: readonly string[]) => context.reads.shares(chatIds));

const shareConnection = countedConnectionRef('Share', shareRef);

builder.objectField(chatRef, 'shares', (t) =>
  t.field({
    type: shareConnection,
    description:
      'The shares of the chat, newest first, expired ones included. Empty for viewers that may not create any.',
    args: t.arg.connectionArgs(),
    resolve: (chat, args, context) =>
      loadConnection(
        { kind: 'share', of: chat.id },
        args,
        async (page) =>
          pageOfList(mayShare(context.viewer, chat) ? await loaderOf(context).load(chat.id) : [], page, timeOf, 'DESC'),
        timeOf,
      ),
  }),
);
