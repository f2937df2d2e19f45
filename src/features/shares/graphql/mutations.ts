import { ForbiddenError, InvalidInputError, NotFoundError } from '../../../conversation/errors.js';
import { isPossibleId } from '../../../conversation/bounds.js';
import type { Branch, Chat, Message } from '../../../conversation/model.js';
import type { Share } from '../share-records.js';
import { createShare, MAX_SHARES, revokeShare, mayShare, type NewShare } from '../shares.js';
import { builder } from '../../../graphql/builder.js';
import { resultUnion } from '../../../graphql/result-union.js';
import { branchAt, checkpointAt, isBranch, placeInput, type Place } from '../../../graphql/chat/place.js';
import type { Context } from '../../../graphql/context.js';
import { found, chatOf, messageOf } from '../../../graphql/answers/references.js';
import { pathReader } from '../read-path.js';
import { pageOfList } from '../../../conversation/paging.js';
import { countedConnectionRef, loadConnection } from '../../../graphql/pages/connection.js';
import { encodeCursor } from '../../../graphql/pages/cursors.js';
import { DELETED_ID, deletedNodeId } from '../../../graphql/node/deleted.js';
import { addPartType, partKey } from '../../../graphql/node/node-types.js';
import { chatRef, messageRef } from '../../../graphql/refs.js';

const shareRef = builder.objectRef<Share | NewShare>('Share');

builder.node(shareRef, {
  id: { resolve: ({ chatId, id }) => partKey(chatId, id) },
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
      description: "The last message of the shared path: the active branch's head by default.",
    }),
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
      `A new share of a path, at most ${MAX_SHARES} per chat; for owners of the chat. Messages saved later are not part of ` +
      'it. A transfer of the chat revokes it.',
    args: { input: t.arg({ type: createShareInput, required: true, description: 'The share to create.' }) },
    resolve: async (_root, { input: { place, ...input } }, context) => {
      const { shares: records, store, viewer } = context;
      const services = { records, store, path: pathReader(context) };
      return { share: await createShare(services, viewer, input, () => endOf(input.chatId, place, context)) };
    },
  }),
);

/** @throws InvalidInputError, NotFoundError */
async function endOf(chatId: string, place: Place | null | undefined, context: Context): Promise<Message> {
  const { loaders } = context;
  const headOf = async (branch: Branch) => {
    if (branch.headMessageId === null) {
      throw new InvalidInputError(`Branch "${branch.name}" is empty: there is nothing to share`, 'place');
    }
    return found(await loaders.message.load({ chatId, id: branch.headMessageId }), 'The message');
  };
  if (place == null) return headOf(await loaders.activeBranch.load(chatId));
  if (isBranch(place)) {
    const branch = await branchAt(chatId, place, context);
    if (branch === null) throw NotFoundError.branch(place.branch ?? place.branchId ?? '', chatId);
    return headOf(branch);
  }
  const { messageId } = place;
  if (messageId == null) {
    const checkpoint = await checkpointAt(chatId, place, context);
    if (checkpoint === null) throw NotFoundError.checkpoint(place.checkpoint ?? place.checkpointId ?? '', chatId);
    return found(await loaders.message.load({ chatId, id: checkpoint.messageId }), 'The message');
  }
  const message = isPossibleId(messageId) ? await loaders.message.load({ chatId, id: messageId }) : null;
  if (message === null) throw NotFoundError.message(messageId);
  return message;
}

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
