import { createAccessToken, accessTokensOf, scopesOf, type NewAccessToken } from './access-tokens.js';
import type { AccessToken } from './token-records.js';
import { InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import { pageOfList } from '../../conversation/paging.js';
import { builder } from '../../graphql/builder.js';
import { countedConnectionRef, loadConnection } from '../../graphql/pages/connection.js';
import { encodeCursor } from '../../graphql/pages/cursors.js';
import { NAME } from '../../graphql/stated-limits.js';
import { DELETED_ID, deletedNodeId } from '../../graphql/node/deleted.js';
import { nodeTypes } from '../../graphql/node/node-types.js';
import { resultUnion } from '../../graphql/result-union.js';
import { viewerRef } from '../../graphql/viewer/type.js';

const accessScope = builder.enumType('AccessScope', {
  description: 'Rights of an access token.',
  values: {
    READ: { description: 'Queries, subscriptions, exports and downloads.' },
    WRITE: { description: 'Also uploads, imports, and mutations that need no MANAGE. It includes READ.' },
    MANAGE: {
      description:
        'Also creates and revokes shares, changes members, and transfers, deletes and restores chats. It includes WRITE. Not for ' +
        'tokens of one chat.',
    },
  } as const,
});

const accessTokenRef = builder.objectRef<AccessToken | NewAccessToken>('AccessToken');

nodeTypes.set('AccessToken', async ({ accessTokens, viewer }, id) => {
  const tokens = await accessTokensOf(accessTokens.records, viewer);
  return tokens.find((token) => token.id === id) ?? null;
});

builder.node(accessTokenRef, {
  id: { resolve: ({ id }) => id },
  description: 'A token with which a program acts as the user, without admin rights.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id for revokeAccessToken.' }),
    name: t.exposeString('name', { description: 'The name that the user chose.' }),
    scopes: t.field({
      type: [accessScope],
      description: 'READ; READ and WRITE; or READ, WRITE and MANAGE.',
      resolve: scopesOf,
    }),
    chatId: t.exposeID('chatId', {
      nullable: true,
      description: 'The only chat that it may access; null for all chats of the user.',
    }),
    token: t.string({
      nullable: true,
      description: 'The secret to send as Bearer token. Returned only on creation; stored as a hash.',
      resolve: (token) => ('token' in token ? token.token : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of a use, at most a minute before the last one; null before the first.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The end of its validity; null for none.',
    }),
  }),
});

const accessTokenConnection = countedConnectionRef('AccessToken', accessTokenRef);

/** Its position in the list of the user, where it is distinct. */
const timeOf = ({ createdAt }: AccessToken): number => createdAt;
const listOf = (userId: string) => ({ kind: 'accessToken', of: userId });

builder.objectField(viewerRef, 'accessTokens', (t) =>
  t.field({
    type: accessTokenConnection,
    description: 'The access tokens of the user, newest first. An access token sees only itself.',
    args: t.arg.connectionArgs(),
    resolve: (viewer, args, { accessTokens }) =>
      loadConnection(
        listOf(viewer.userId),
        args,
        async (page) => pageOfList(await accessTokensOf(accessTokens.records, viewer), page, timeOf, 'DESC'),
        timeOf,
      ),
  }),
);

const createAccessTokenInput = builder.inputType('CreateAccessTokenInput', {
  description: 'An access token to create.',
  fields: (t) => ({
    name: t.string({ required: true, description: `A name for lists, such as the program that uses it. ${NAME}` }),
    scopes: t.field({
      type: [accessScope],
      required: true,
      defaultValue: ['READ'],
      description: 'At least one. WRITE includes READ, and MANAGE includes both.',
    }),
    chatId: t.id({ description: 'A chat of the viewer: the token may access no other. Not together with MANAGE.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'A time in the future. Without it, revoke the token to end it.',
    }),
  }),
});

const accessTokenPayload = builder.objectRef<{ accessToken: AccessToken }>('AccessTokenPayload').implement({
  description: 'The access token was created.',
  fields: (t) => ({
    accessToken: t.expose('accessToken', { type: accessTokenRef, description: 'The new token, with its secret.' }),
    accessTokenEdge: t.field({
      type: accessTokenConnection.edge,
      description: 'The token as an edge of Viewer.accessTokens, for caches that insert it.',
      resolve: ({ accessToken: node }) => ({ cursor: encodeCursor(listOf(node.userId), timeOf(node)), node }),
    }),
  }),
});

builder.mutationField('createAccessToken', (t) =>
  t.field({
    // Its rule refuses all access tokens with a reason.
    scope: 'WRITE',
    audit: {
      event: 'access_token.created',
      idsOf: ({ chatId }, { accessToken }) => ({ chats: [chatId], target: accessToken?.id }),
    },
    type: resultUnion(accessTokenPayload, [InvalidInputError, NotFoundError], 'createAccessToken'),
    description: 'A new access token of the viewer, at most 100. An access token cannot create access tokens.',
    args: { input: t.arg({ type: createAccessTokenInput, required: true, description: 'The token to create.' }) },
    resolve: async (_root, { input }, { accessTokens: { records }, store, viewer }) => ({
      accessToken: await createAccessToken({ records, store }, viewer, input),
    }),
  }),
);

const revokeAccessTokenInput = builder.inputType('RevokeAccessTokenInput', {
  description: 'An access token to revoke.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The id of the token.' }) }),
});

const revokeAccessTokenPayload = builder.objectRef<{ deletedId: string }>('RevokeAccessTokenPayload').implement({
  description: 'The access token was revoked.',
  fields: (t) => ({
    deletedId: t.exposeID('deletedId', DELETED_ID),
    deletedNodeId: t.id(deletedNodeId('AccessToken', ({ deletedId }) => deletedId)),
  }),
});

builder.mutationField('revokeAccessToken', (t) =>
  t.field({
    // An access token revokes only itself.
    scope: 'WRITE',
    audit: { event: 'access_token.revoked', idsOf: ({ id }) => ({ chats: [], target: id }) },
    type: resultUnion(revokeAccessTokenPayload, [NotFoundError]),
    description: 'Ends the validity of an access token of the viewer, and its running subscriptions and exports.',
    args: { input: t.arg({ type: revokeAccessTokenInput, required: true, description: 'The token to revoke.' }) },
    resolve: async (_root, { input: { id } }, { accessTokens, viewer }) => {
      await accessTokens.revoke(viewer, id);
      return { deletedId: id };
    },
  }),
);
