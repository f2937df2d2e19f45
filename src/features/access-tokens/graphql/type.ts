import { viewerRef } from '../../../graphql/viewer/type.js';
import { listSize } from '../../../graphql/limits/list-size.js';
import { accessTokensOf, MAX_ACCESS_TOKENS, scopesOf, type NewAccessToken } from '../access-tokens.js';
import type { AccessToken } from '../token-records.js';
import { builder } from '../../../graphql/builder.js';

export const accessScope = builder.enumType('AccessScope', {
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

export const accessTokenRef = builder.objectRef<AccessToken | NewAccessToken>('AccessToken').implement({
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

builder.objectField(viewerRef, 'accessTokens', (t) =>
  t.field({
    ...listSize(MAX_ACCESS_TOKENS),
    type: [accessTokenRef],
    description: 'The access tokens of the user, newest first. An access token sees only itself.',
    resolve: (viewer, _args, { accessTokens }) => accessTokensOf(accessTokens.records, viewer),
  }),
);
