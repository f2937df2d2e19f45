import type { Viewer } from '../../conversation/model.js';
import { builder } from '../builder.js';

export const viewerRef = builder.objectRef<Viewer>('Viewer').implement({
  description: 'The authenticated user of the request.',
  fields: (t) => ({
    userId: t.exposeID('userId', { description: 'The id of the user.' }),
    isAdmin: t.exposeBoolean('isAdmin', { description: 'Admins can read and change the chats of all users.' }),
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
