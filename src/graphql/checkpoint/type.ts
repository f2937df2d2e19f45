import { builder } from '../builder.js';
import { countedConnectionRef } from '../connection.js';
import { chatRef, checkpointRef, messageRef } from '../refs.js';
import { requireLoaded } from '../require-loaded.js';

export const checkpointConnection = countedConnectionRef('Checkpoint', checkpointRef);

builder.node(checkpointRef, {
  id: { resolve: (checkpoint) => checkpoint.id },
  description: 'A named bookmark on a message; its name is unique in its chat.',
  fields: (t) => ({
    id: t.exposeID('id'),
    chat: t.field({
      type: chatRef,
      resolve: async ({ chatId }, _args, { loaders }) => requireLoaded(await loaders.chat.load(chatId), 'chat'),
    }),
    name: t.exposeString('name'),
    message: t.field({
      type: messageRef,
      resolve: async ({ messageId }, _args, { loaders }) =>
        requireLoaded(await loaders.message.load(messageId), 'message'),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the name was last put on a message.' }),
  }),
});
