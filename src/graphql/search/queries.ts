import { builder } from '../builder.js';
import { chatRef } from '../refs.js';
import { find } from './find.js';
import { searchArguments, searchHitConnection } from './type.js';

const searchFilter = builder.inputType('SearchFilter', {
  description: 'Which messages to look through.',
  fields: (t) => ({
    chatId: t.id({ description: 'Only the messages of this chat.' }),
    userId: t.id({ description: 'Admins only: only messages in the chats of this user.' }),
    names: t.stringList({ description: 'Keep only messages with one of these names, such as user or assistant.' }),
    createdAfter: t.field({ type: 'DateTime', description: 'Only messages saved later; not at this time itself.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Only messages saved earlier; not at this time itself.' }),
  }),
});

builder.queryField('search', (t) =>
  t.field({
    type: searchHitConnection,
    description:
      'Full-text search over every message, on any branch, that the viewer may read; best match first. Of more than ' +
      '1,000 matches those are found that were saved last.',
    args: {
      query: t.arg.string({ required: true, description: searchArguments.query }),
      filter: t.arg({ type: searchFilter, description: 'Which messages: all that the viewer may read by default.' }),
      first: t.arg.int({ description: searchArguments.first }),
      after: t.arg.string({ description: searchArguments.after }),
    },
    resolve: (_root, { filter, ...args }, context) =>
      find(context, args, { ...filter, chatId: filter?.chatId ?? null, names: filter?.names ?? null }),
  }),
);

builder.objectField(chatRef, 'search', (t) =>
  t.field({
    type: searchHitConnection,
    description: 'The same among the messages of this chat.',
    args: {
      query: t.arg.string({ required: true, description: searchArguments.query }),
      names: t.arg.stringList({
        description: 'Keep only messages with one of these names, such as user or assistant.',
      }),
      first: t.arg.int({ description: searchArguments.first }),
      after: t.arg.string({ description: searchArguments.after }),
    },
    resolve: (chat, { names, ...args }, context) => find(context, args, { chatId: chat.id, names: names ?? null }),
  }),
);
