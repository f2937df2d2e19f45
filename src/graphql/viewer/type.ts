import { DAY_MS } from '../../conversation/bounds.js';
import type { Viewer } from '../../conversation/model.js';
import { accessTokensOf, MAX_ACCESS_TOKENS } from '../../conversation/access-tokens/access-tokens.js';
import { accessTokenRef } from '../access-token/type.js';
import { builder } from '../builder.js';
import { retentionRef } from '../policy/retention.js';
import { listSize } from '../limits/list-size.js';

export const viewerRef = builder.objectRef<Viewer>('Viewer').implement({
  description: 'The authenticated user of the request.',
  fields: (t) => ({
    userId: t.exposeID('userId', { description: 'The id of the user.' }),
    isAdmin: t.exposeBoolean('isAdmin', { description: 'Admins can read and change the chats of all users.' }),
    recoveryDays: t.int({
      description: 'Days in which a deleted chat can be restored; 0 if deletions are final.',
      resolve: (_viewer, _args, { store }) => Math.ceil(store.recoveryMs / DAY_MS),
    }),
    retention: t.field({
      type: retentionRef,
      description: 'When chats of the user are deleted.',
      resolve: async ({ userId }, _args, { reads, store }) => ({
        ownDays: await reads.ownRetentionDays(userId),
        serverDays: store.retentionDays,
      }),
    }),
    accessTokens: t.field({
      ...listSize(MAX_ACCESS_TOKENS),
      type: [accessTokenRef],
      description: 'The access tokens of the user, newest first. An access token sees only itself.',
      resolve: (viewer, _args, { accessTokens }) => accessTokensOf(accessTokens.records, viewer),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    audit: null,
    type: viewerRef,
    description: 'The authenticated user of the request.',
    resolve: (_root, _args, { viewer }) => viewer,
  }),
);
