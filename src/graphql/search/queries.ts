import { builder } from '../builder.js';
import { chatRef } from '../refs.js';
import { find } from './find.js';
import { searchArguments, searchHitConnection } from './type.js';

const searchFilter = builder.inputType('SearchFilter', {
  description: 'Messages to search.',
  fields: (t) => ({
    chatId: t.id({ description: 'Only the messages of this chat.' }),
    userId: t.id({ description: 'Admins only: only messages in the chats of this user.' }),
    includeShared: t.boolean({
      required: true,
      defaultValue: false,
      description:
        'Also search chats of other users of which the viewer is a member, or with userId that user: the 1,000 that changed ' +
        'last. Not needed with chatId alone.',
    }),
    names: t.stringList({ description: 'Only messages with one of these names, such as user or assistant.' }),
    createdAfter: t.field({ type: 'DateTime', description: 'Only messages saved after this time, exclusive.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Only messages saved before this time, exclusive.' }),
  }),
});

builder.queryField('search', (t) =>
  t.field({
    audit: null,
    type: searchHitConnection,
    description:
      "Full-text search over all messages, on any branch, of the viewer's chats (an admin's: everyone's); best match " +
      'first. Of more than 1,000 matches, the newest are found.',
    args: {
      query: t.arg.string({ required: true, description: searchArguments.query }),
      filter: t.arg({
        type: searchFilter,
        description: "Messages to search: by default all of the viewer's own chats.",
      }),
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
    description: 'Full-text search over the messages of this chat.',
    args: {
      query: t.arg.string({ required: true, description: searchArguments.query }),
      names: t.arg.stringList({
        description: 'Only messages with one of these names, such as user or assistant.',
      }),
      first: t.arg.int({ description: searchArguments.first }),
      after: t.arg.string({ description: searchArguments.after }),
    },
    resolve: (chat, { names, ...args }, context) => find(context, args, { chatId: chat.id, names: names ?? null }),
  }),
);
