import type { Viewer } from '../../conversation/model.js';
import { builder } from '../builder.js';

const viewerRef = builder.objectRef<Viewer>('Viewer').implement({
  description: 'Who the server takes the caller for.',
  fields: (t) => ({
    userId: t.exposeID('userId', { description: 'The id of the user.' }),
    isAdmin: t.exposeBoolean('isAdmin', { description: 'Admins see and change the chats of all users.' }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: viewerRef,
    description: 'Who the server takes the caller for.',
    resolve: (_root, _args, { viewer }) => viewer,
  }),
);
