import { builder } from '../builder.js';
import { chatEventRef } from '../refs.js';
import { asOfNow, followLog } from '../subscribe.js';

builder.subscriptionField('chatEvents', (t) =>
  t.field({
    audit: 'chat.followed',
    type: chatEventRef,
    description:
      'The events of a chat: all since `after` (none when absent), then new ones as they happen, without gaps.',
    args: {
      chatId: t.arg.id({ required: true, description: 'The id of the chat.' }),
      after: t.arg.int({ description: 'The seq of the last event that the client received.' }),
    },
    subscribe: (_root, { chatId, after }, context) =>
      followLog(context, { chatId, after: after ?? null }, (stream) => stream),
    resolve: asOfNow,
  }),
);
