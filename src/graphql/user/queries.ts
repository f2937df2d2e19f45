import { isPossibleId } from '../../conversation/bounds.js';
import type { UserSummary } from '../../conversation/reads.js';
import { badUserInput } from '../bad-user-input.js';
import { builder } from '../builder.js';
import { countedConnectionRef, EMPTY_PAGE } from '../pages/connection.js';
import { decodeUserCursor, encodeUserCursor } from '../pages/cursors.js';
import { readPage } from '../pages/page-arguments.js';

export const userRef = builder.objectRef<UserSummary>('User').implement({
  description: 'A user with at least one chat.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The user id in tokens and in Chat.userId.' }),
    chatCount: t.exposeInt('chatCount', { description: 'Their chats.' }),
    messageCount: t.int({
      description: 'All messages of these chats, on every branch.',
      resolve: ({ id }, _args, { loaders }) => loaders.userMessageCount.load(id),
    }),
    lastActiveAt: t.expose('lastActiveAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the newest change to one of these chats, by any user. Currently never null.',
    }),
  }),
});

const userConnection = countedConnectionRef('User', userRef);

builder.queryField('users', (t) =>
  t.field({
    audit: null,
    type: userConnection,
    description:
      'Admins only: users with at least one chat, newest change first. Reads all chats: meant for people, not ' +
      'for programs that poll.',
    args: {
      search: t.arg.string({
        description: 'Only users whose id contains this text, case-sensitive; surrounding spaces are ignored.',
      }),
      ...t.arg.connectionArgs(),
    },
    resolve: async (_root, { search, ...args }, { reads, viewer }) => {
      if (!viewer.isAdmin) throw badUserInput('users: only an admin may list users');
      const page = readPage(args, decodeUserCursor);
      const text = search?.trim() ?? '';
      if (text !== '' && !isPossibleId(text)) {
        return { page: EMPTY_PAGE, cursorOf: encodeUserCursor, totalCount: 0 };
      }
      const found = await reads.userPage(text, page);
      return { page: found, cursorOf: encodeUserCursor, totalCount: () => reads.userCount(text) };
    },
  }),
);
