import type { Branch } from '../../conversation/model.js';
import { isoTime } from '../answers/iso-time.js';
import { plain, plainObject } from '../answers/plain-members.js';
import { builder } from '../builder.js';
import { countedConnectionRef } from '../pages/connection.js';
import { chainSize } from '../limits/list-size.js';
import { countedBefore } from '../limits/object-budget.js';
import { chainOf } from '../message/chain.js';
import { loadPath, pathArguments } from '../message/path.js';
import { messageConnection } from '../message/type.js';
import { readLimit } from '../pages/page-arguments.js';
import { chatOf, HEAD_COLUMNS, headOf, knownHead, messageOrNull } from '../answers/references.js';
import { branchRef, chatRef, messageRef } from '../refs.js';

export const branchConnection = countedConnectionRef('Branch', branchRef);

builder.node(branchRef, {
  id: { resolve: (branch) => branch.id },
  description: 'A named pointer to a head message.',
  fields: (t) => ({
    id: t.exposeID('id', {
      ...plain((branch: Branch) => JSON.stringify(branch.id)),
      description: 'Assigned by the server; it stays when the branch is renamed.',
    }),
    chat: t.field({ type: chatRef, description: 'The chat of the branch.', resolve: chatOf }),
    name: t.exposeString('name', {
      ...plain((branch: Branch) => JSON.stringify(branch.name)),
      description: 'Unique in its chat.',
    }),
    head: t.field({
      ...plainObject(knownHead, HEAD_COLUMNS),
      type: messageRef,
      nullable: true,
      description: 'Null while the branch is empty.',
      resolve: headOf,
    }),
    isActive: t.exposeBoolean('isActive', {
      ...plain((branch: Branch) => String(branch.isActive)),
      description: 'Whether it is the one active branch of its chat.',
    }),
    createdAt: t.expose('createdAt', {
      ...plain((branch: Branch) => `"${isoTime(branch.createdAt)}"`),
      type: 'DateTime',
      description: 'When it was created.',
    }),
    createdBy: t.exposeID('createdBy', {
      ...plain((branch: Branch) => JSON.stringify(branch.createdBy)),
      nullable: true,
      description: 'The user who created it; null for a branch of an older version.',
    }),
    createdAtMessage: t.field({
      type: messageRef,
      nullable: true,
      description: 'The head at its BranchCreated event, at which it branched off; null for a branch that began empty.',
      resolve: async ({ chatId, seq }, _args, context) => {
        const event = await context.loaders.eventAt.load({ chatId, seq });
        return event?.type === 'BranchCreated' ? messageOrNull(chatId, event.payload.headId, context) : null;
      },
    }),
    messageCount: t.exposeInt('messageCount', {
      ...plain((branch: Branch) => String(branch.messageCount)),
      description: 'The length of the path from the root to the head.',
    }),
    messages: t.field({
      type: messageConnection,
      description: 'The path from the root to the head, root first. A page costs the same for any length of the path.',
      args: pathArguments,
      resolve: ({ chatId, headMessageId, messageCount }, args, context) =>
        loadPath({ chatId, headMessageId, messageCount }, args, context),
    }),
    chain: t.field({
      ...countedBefore(chainSize),
      type: [messageRef],
      description: 'The whole path from the root to the head; `limit` keeps the newest messages.',
      args: { limit: t.arg.int({ description: 'Maximum number of messages, the newest. All by default.' }) },
      resolve: async ({ chatId, headMessageId, messageCount }, args, context, info) => {
        const limit = readLimit(args.limit);
        const length = Math.min(limit ?? messageCount, messageCount);
        return headMessageId === null ? [] : chainOf({ chatId, messageId: headMessageId, length }, context, info);
      },
    }),
  }),
});
