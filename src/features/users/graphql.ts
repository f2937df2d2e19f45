import { isPossibleId } from '../../conversation/bounds.js';
import type { UserPosition } from '../../conversation/reads.js';
import { badUserInput } from '../../graphql/bad-user-input.js';
import { builder } from '../../graphql/builder.js';
import { NAME } from '../../graphql/stated-limits.js';
import { countedConnectionRef, EMPTY_PAGE } from '../../graphql/pages/connection.js';
import { decodeTimed, writeCursor } from '../../graphql/pages/cursors.js';
import { userRef } from '../../graphql/refs.js';
import { readPage } from '../../graphql/pages/page-arguments.js';

builder.objectType(userRef, {
  description: 'A user with at least one chat.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The user id in tokens and in Chat.userId.' }),
    chatCount: t.exposeInt('chatCount', { description: 'Their chats.' }),
    messageCount: t.int({
      description: 'All messages of these chats, on every branch.',
      resolve: ({ id }, _args, { loaders, reads }) =>
        loaders.of('messageCountsOfUsers', (ids: readonly string[]) => reads.userMessageCounts(ids)).load(id),
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
        description: `Only users whose id contains this text, case-sensitive; surrounding spaces are ignored. ${NAME}`,
      }),
      ...t.arg.connectionArgs(),
    },
    resolve: async (_root, { search, ...args }, { reads, viewer }) => {
      if (!viewer.isAdmin) throw badUserInput('users: only an admin may list users');
      const page = readPage(args, decodeCursor);
      const text = search?.trim() ?? '';
      if (text !== '' && !isPossibleId(text)) {
        return { page: EMPTY_PAGE, cursorOf: encodeCursor, totalCount: 0 };
      }
      const found = await reads.userPage(text, page);
      return { page: found, cursorOf: encodeCursor, totalCount: () => reads.userCount(text) };
    },
  }),
);

function encodeCursor({ lastActiveAt, id }: UserPosition): string {
  return writeCursor('user', `${lastActiveAt}:${id}`);
}

function decodeCursor(cursor: string, argument: string): UserPosition {
  const { time, id } = decodeTimed('user', cursor, argument);
  return { lastActiveAt: time, id };
}
