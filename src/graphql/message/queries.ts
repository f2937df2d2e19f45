import { isPossibleId } from '../../conversation/bounds.js';
import type { Message } from '../../conversation/model.js';
import { builder } from '../builder.js';
import { ofVisibleChat } from '../chat/visible-chat.js';
import type { Context } from '../context.js';
import { messageRef } from '../refs.js';

builder.queryField('message', (t) =>
  t.field({
    type: messageRef,
    nullable: true,
    description: "One message by id; null when it does not exist or is not the viewer's.",
    args: { id: t.arg.id({ required: true, description: 'The id of the message.' }) },
    resolve: (_root, { id }, context) => visibleMessage(context, id),
  }),
);

/** The message with this id, if the viewer may know of it. */
export async function visibleMessage(context: Context, id: string): Promise<Message | null> {
  const message = isPossibleId(id) ? await context.loaders.message.load(id) : null;
  return ofVisibleChat(context, message, id);
}
