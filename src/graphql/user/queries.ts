import { isPossibleId } from '../../conversation/bounds.js';
import { onlyChatOf } from '../../conversation/members/ownership.js';
import type { UserSummary } from '../../conversation/reads.js';
import { isMonth, type MonthlyUsage } from '../../conversation/saving/monthly-usage.js';
import { badUserInput } from '../bad-user-input.js';
import { builder } from '../builder.js';
import { connectionRef, countedConnectionRef, EMPTY_PAGE } from '../pages/connection.js';
import { decodeUsageCursor, decodeUserCursor, encodeUsageCursor, encodeUserCursor } from '../pages/cursors.js';
import { readPage } from '../pages/page-arguments.js';
import { modelUsageRef } from '../usage.js';

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

const monthlyUsageRef = builder.objectRef<MonthlyUsage>('MonthlyUsage').implement({
  description: 'The tokens of one user, month and model.',
  fields: (t) => ({
    month: t.exposeString('month', { description: 'The month of saving in UTC, such as 2026-11.' }),
    userId: t.exposeID('userId', { description: 'The owner of the chats at that time.' }),
    usage: t.field({
      type: modelUsageRef,
      description: 'The sums of the model.',
      resolve: ({ model, ...sums }) => ({ ...sums, model: model === '' ? null : model }),
    }),
  }),
});

const monthlyUsageConnection = connectionRef('MonthlyUsage', monthlyUsageRef);

builder.queryField('monthlyUsage', (t) =>
  t.field({
    audit: null,
    type: monthlyUsageConnection,
    description:
      "The tokens that saved messages state in the viewer's chats (an admin's: in everyone's, or those of userId), by " +
      'month, user and model, in this order. Imported and forked messages do not count; messages of deleted chats do.',
    args: {
      from: t.arg.string({ description: 'The first month, such as 2026-01.' }),
      to: t.arg.string({ description: 'The last month, inclusive.' }),
      userId: t.arg.id({ description: 'Only this user; for admins.' }),
      ...t.arg.connectionArgs(),
    },
    resolve: async (_root, { from, to, userId, ...args }, { reads, viewer }) => {
      if (userId != null && userId !== viewer.userId && !viewer.isAdmin) {
        throw badUserInput('userId: only an admin may read the usage of another user');
      }
      for (const [name, month] of Object.entries({ from, to })) {
        if (month != null && !isMonth(month)) throw badUserInput(`${name} must be a month such as 2026-11`);
      }
      const page = readPage(args, decodeUsageCursor);
      const scope = userId ?? (viewer.isAdmin ? null : viewer.userId);
      // A token for one chat does not show the sums of others.
      const isEmpty = onlyChatOf(viewer) !== null || (scope !== null && !isPossibleId(scope));
      const filter = { from: from ?? null, to: to ?? null, userId: scope };
      return { page: isEmpty ? EMPTY_PAGE : await reads.usagePage(filter, page), cursorOf: encodeUsageCursor };
    },
  }),
);
