import { builder } from '../builder.js';
import { countedConnectionRef } from '../pages/connection.js';
import { chatOf, messageOf } from '../answers/references.js';
import { chatRef, checkpointRef, messageRef } from '../refs.js';

export const checkpointConnection = countedConnectionRef('Checkpoint', checkpointRef);

builder.node(checkpointRef, {
  id: { resolve: (checkpoint) => checkpoint.id },
  description: 'A named bookmark on a message; its name is unique in its chat.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Assigned by the server.' }),
    chat: t.field({ type: chatRef, description: 'The chat of the checkpoint.', resolve: chatOf }),
    name: t.exposeString('name', { description: 'Unique in its chat.' }),
    message: t.field({ type: messageRef, description: 'The message that it marks.', resolve: messageOf }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the checkpoint was created or last moved.',
    }),
  }),
});
