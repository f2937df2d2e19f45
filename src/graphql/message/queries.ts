import { builder } from '../builder.js';
import { resolveId } from '../loading/visible-chat.js';
import { messageRef } from '../refs.js';

builder.queryField('message', (t) =>
  t.field({
    audit: 'chat.read',
    type: messageRef,
    nullable: true,
    description: "One message by id; null when it does not exist or is not the viewer's.",
    args: { id: t.arg.id({ required: true, description: 'The id of the message.' }) },
    resolve: (_root, { id }, context) => resolveId(context, 'Message', id),
  }),
);
