import { ForbiddenError, InvalidInputError, NotFoundError } from '../../../conversation/errors.js';
import type { Chat } from '../../../conversation/model.js';
import type { Share } from '../share-records.js';
import { createShare, MAX_SHARES, revokeShare, mayShare, type NewShare } from '../shares.js';
import { builder } from '../../../graphql/builder.js';
import { resultUnion } from '../../../graphql/result-union.js';
import { placeInput } from '../../../graphql/chat/place.js';
import type { Context } from '../../../graphql/context.js';
import { chatOf, messageOf } from '../../../graphql/answers/references.js';
import { MAX_SHARED_BRANCHES } from '../shared-branches.js';
import { digestReader } from '../read-path.js';
import { placesOf } from './places.js';
import { NAME } from '../../../graphql/stated-limits.js';
import { pageOfList } from '../../../conversation/paging.js';
import { countedConnectionRef, loadConnection } from '../../../graphql/pages/connection.js';
import { encodeCursor } from '../../../graphql/pages/cursors.js';
import { DELETED_ID, deletedNodeId } from '../../../graphql/node/deleted.js';
import { addPartType, partKey } from '../../../graphql/node/node-types.js';
import { chatRef, messageRef } from '../../../graphql/refs.js';

const shareRef = builder.objectRef<Share | NewShare>('Share');

builder.node(shareRef, {
  id: { resolve: ({ chatId, id }) => partKey(chatId, id) },
  description:
    'A link that gives anonymous read access to the path to a message, and to chosen branches, as they are now.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id for revokeShare.' }),
    token: t.string({
      nullable: true,
      description: 'The secret of the link, 256 random bits. Returned only on creation; stored as a hash.',
      resolve: (share) => ('token' in share ? share.token : null),
    }),
    chat: t.field({ type: chatRef, description: 'The chat of its messages.', resolve: chatOf }),
    message: t.field({
      type: messageRef,
      description: 'The last message of the path that opens first.',
      resolve: messageOf,
    }),
    sharedBy: t.exposeString('sharerName', { nullable: true, description: 'The name of the sharer that readers see.' }),
    title: t.exposeString('title', { nullable: true, description: 'The title that readers see.' }),
    contentHash: t.exposeString('contentHash', {
      description:
        'SHA-256 in hex of all that readers see of the messages of the path that opens first, in the canonical form of ' +
        'docs/access/shares.md. Equal hashes mean equal messages.',
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

async function sharesOf(context: Context, chat: Chat): Promise<Share[]> {
  return mayShare(context.viewer, chat) ? loaderOf(context).load(chat.id) : [];
}

addPartType('Share', async (context, chat, id) => (await sharesOf(context, chat)).find((share) => share.id === id));

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
        async (page) => pageOfList(await sharesOf(context, chat), page, timeOf, 'DESC'),
        timeOf,
      ),
  }),
);

const createShareInput = builder.inputType('CreateShareInput', {
  description: 'A share to create.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'A chat of the viewer.' }),
    place: t.field({
      type: placeInput,
      description: "The last message of the path that opens first: the active branch's head by default.",
    }),
    branches: t.stringList({
      description:
        `The names of other branches to share as they are now, at most ${MAX_SHARED_BRANCHES} of 1 to 255 characters. ` +
        'Readers see the names.',
    }),
    allBranches: t.boolean({
      required: true,
      defaultValue: false,
      description: `Whether all branches with messages are shared, at most ${MAX_SHARED_BRANCHES} besides the place. Not with branches.`,
    }),
    sharedBy: t.string({ description: `The name of the sharer that readers see. ${NAME}` }),
    title: t.string({ description: "A title that readers see, 1 to 255 characters. They do not see the chat's." }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'A time in the future. Without it, revoke the share to end it.',
    }),
    includeReasoning: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether readers see reasoning parts.',
    }),
    includeTools: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Whether readers see tool calls with their inputs and outputs.',
    }),
  }),
});

const sharePayload = builder.objectRef<{ share: Share }>('SharePayload').implement({
  description: 'The share was created.',
  fields: (t) => ({
    share: t.expose('share', { type: shareRef, description: 'The new share, with its token.' }),
    shareEdge: t.field({
      type: shareConnection.edge,
      description: 'The share as an edge of Chat.shares, for caches that insert it.',
      resolve: ({ share }) => ({
        cursor: encodeCursor({ kind: 'share', of: share.chatId }, timeOf(share)),
        node: share,
      }),
    }),
  }),
});

builder.mutationField('createShare', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: { event: 'share.created', idsOf: ({ chatId }, { share }) => ({ chats: [chatId], target: share?.id }) },
    type: resultUnion(sharePayload, [InvalidInputError, NotFoundError, ForbiddenError], 'createShare'),
    description:
      `A new share of a path or several branches, at most ${MAX_SHARES} per chat; for owners of the chat. Messages saved later are not part of ` +
      'it. A transfer of the chat revokes it.',
    args: { input: t.arg({ type: createShareInput, required: true, description: 'The share to create.' }) },
    resolve: async (_root, { input: { place, branches, allBranches, ...input } }, context) => {
      const { shares: records, store, viewer } = context;
      const services = { records, store, reader: digestReader(context) };
      const findPlaces = () => placesOf({ chatId: input.chatId, place, branches, allBranches }, context);
      return { share: await createShare(services, viewer, input, findPlaces) };
    },
  }),
);

const revokeShareInput = builder.inputType('RevokeShareInput', {
  description: 'A share to revoke.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The id of the share.' }) }),
});

const revokeSharePayload = builder.objectRef<{ chatId: string; deletedId: string }>('RevokeSharePayload').implement({
  description: 'The share was revoked.',
  fields: (t) => ({
    deletedId: t.exposeID('deletedId', DELETED_ID),
    deletedNodeId: t.id(deletedNodeId('Share', ({ chatId, deletedId }) => partKey(chatId, deletedId))),
  }),
});

builder.mutationField('revokeShare', (t) =>
  t.field({
    scope: 'MANAGE',
    audit: { event: 'share.revoked', idsOf: ({ id }) => ({ chats: [], target: id }) },
    type: resultUnion(revokeSharePayload, [NotFoundError, ForbiddenError]),
    description: 'Deletes a share at once: its link is invalid from now on. For owners of the chat.',
    args: { input: t.arg({ type: revokeShareInput, required: true, description: 'The share to revoke.' }) },
    resolve: async (_root, { input: { id } }, context) => {
      const { shares: records, store, viewer } = context;
      return { chatId: await revokeShare({ records, store }, viewer, id), deletedId: id };
    },
  }),
);
