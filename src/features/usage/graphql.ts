/** The tokens that messages state: of a path, a chat, and of users by month. */
import { isPossibleId } from '../../conversation/bounds.js';
import { scopeKey, type ChatScoped } from '../../conversation/chat-scoped.js';
import { onlyChatOf } from '../../conversation/access/ownership.js';
import type { ModelUsage } from './message-usage.js';
import { badUserInput } from '../../graphql/bad-user-input.js';
import { builder } from '../../graphql/builder.js';
import { connectionRef, EMPTY_PAGE } from '../../graphql/pages/connection.js';
import { readCursor, writeCursor, wrongCursor } from '../../graphql/pages/cursors.js';
import { readPage } from '../../graphql/pages/page-arguments.js';
import { branchRef, chatRef } from '../../graphql/refs.js';
import { isMonth } from './monthly-usage.js';
import type { MonthlyUsage, UsagePosition } from './statements.js';

const BY_SCOPE = { keyOf: scopeKey };
const tokens = (description: string) => ({ nullable: true, description }) as const;

const modelUsageRef = builder.objectRef<ModelUsage>('ModelUsage').implement({
  description: 'The tokens of one model that messages state in their metadata. A sum is null if no message states it.',
  fields: (t) => ({
    model: t.exposeString('model', {
      nullable: true,
      description: 'Null for messages that state no model; "other" for the models after the first 32.',
    }),
    messages: t.exposeInt('messages', { description: 'Number of messages that state tokens.' }),
    inputTokens: t.exposeFloat('inputTokens', tokens('Tokens of the input, including cached ones.')),
    outputTokens: t.exposeFloat('outputTokens', tokens('Tokens of the output, including reasoning.')),
    reasoningTokens: t.exposeFloat('reasoningTokens', tokens('Tokens of reasoning.')),
    cachedInputTokens: t.exposeFloat('cachedInputTokens', tokens('Tokens of the input that were read from a cache.')),
  }),
});

/** @param stored null for none, or for messages of an older version */
function usageFrom(stored: string | null): readonly ModelUsage[] {
  return stored === null ? [] : (JSON.parse(stored) as ModelUsage[]);
}

builder.objectField(chatRef, 'usage', (t) =>
  t.field({
    type: [modelUsageRef],
    description: 'Tokens by model over all messages of the graph.',
    resolve: ({ usage }) => usageFrom(usage),
  }),
);

builder.objectField(branchRef, 'usage', (t) =>
  t.field({
    type: [modelUsageRef],
    description: 'Tokens by model over the path to the head, in the order of their first message.',
    resolve: async ({ chatId, headMessageId: id }, _args, { loaders, reads }) => {
      const read = (keys: readonly ChatScoped[]) => reads.messageColumn(keys, 'usage');
      return usageFrom(id === null ? null : await loaders.of('usage', read, BY_SCOPE).load({ chatId, id }));
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
      from: t.arg.string({ description: 'The first month, 7 characters such as 2026-01.' }),
      to: t.arg.string({ description: 'The last month, inclusive: 7 characters.' }),
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
      const page = readPage(args, decodeCursor);
      const scope = userId ?? (viewer.isAdmin ? null : viewer.userId);
      // A token for one chat does not show the sums of others.
      const isEmpty = onlyChatOf(viewer) !== null || (scope !== null && !isPossibleId(scope));
      const filter = { from: from ?? null, to: to ?? null, userId: scope };
      return { page: isEmpty ? EMPTY_PAGE : await reads.usagePage(filter, page), cursorOf: encodeCursor };
    },
  }),
);

function encodeCursor({ month, userId, model }: UsagePosition): string {
  return writeCursor('usage', `${month}:${userId.length}:${userId}${model}`);
}

function decodeCursor(cursor: string, argument: string): UsagePosition {
  const match = /^([0-9]{4}-[0-9]{2}):([1-9][0-9]{0,2}):(.+)$/su.exec(readCursor('usage', cursor, argument));
  const [, month, length, names] = match ?? [];
  if (month === undefined || names === undefined) throw wrongCursor(argument);
  const [userId, model] = [names.slice(0, Number(length)), names.slice(Number(length))];
  if (!isPossibleId(userId) || (model !== '' && !isPossibleId(model))) throw wrongCursor(argument);
  return { month, userId, model };
}
