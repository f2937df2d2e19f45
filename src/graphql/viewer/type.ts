import { DAY_MS } from '../../conversation/bounds.js';
import type { Viewer } from '../../conversation/model.js';
import { builder } from '../builder.js';

export const viewerRef = builder.objectRef<Viewer>('Viewer').implement({
  description: 'The authenticated user of the request.',
  fields: (t) => ({
    userId: t.exposeID('userId', { description: 'The id of the user.' }),
    isAdmin: t.exposeBoolean('isAdmin', { description: 'Admins can read and change the chats of all users.' }),
    recoveryDays: t.int({
      description: 'Days in which a deleted chat can be restored; 0 if deletions are final.',
      resolve: (_viewer, _args, { store }) => Math.ceil(store.recoveryMs / DAY_MS),
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
