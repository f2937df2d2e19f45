import { followHead, type HeadUpdate } from '../../events/head-updates.js';
import { isPossibleId } from '../../conversation/bounds.js';
import { NotFoundError } from '../../conversation/errors.js';
import { builder } from '../builder.js';
import { CHAIN_SIZE, listSize } from '../limits/list-size.js';
import { found, messageOrNull } from '../answers/references.js';
import { branchRef, messageRef } from '../refs.js';
import { asOfNow, followLog, refused } from '../subscribe.js';
import { appended, savedBeside } from './appended.js';

const branchHeadUpdate = builder.objectRef<HeadUpdate>('BranchHeadUpdate').implement({
  description: 'The current head of a branch, or a move of the head.',
  fields: (t) => ({
    seq: t.exposeInt('seq', { description: 'The event of the update: pass it as `after` to continue from here.' }),
    branch: t.field({
      type: branchRef,
      description: 'The branch as it is now. Updates from before the deletion of a branch are left out.',
      resolve: async ({ chatId, branchId: id }, _args, { loaders }) =>
        found(await loaders.branch.load({ chatId, id }), 'The branch'),
    }),
    previousHeadId: t.exposeID('previousHeadId', {
      nullable: true,
      description:
        'The previous head; null for an empty branch. In an update with the current head, the current head itself.',
    }),
    head: t.field({
      type: messageRef,
      nullable: true,
      description: 'The new head of the branch; null when the branch is empty.',
      resolve: ({ chatId, headId }, _args, context) => messageOrNull(chatId, headId, context),
    }),
    appended: t.field({
      ...listSize(CHAIN_SIZE),
      type: [messageRef],
      description: 'The messages between the previous head and this one, root first; empty when it moved elsewhere.',
      resolve: (update, _args, context) => appended(update, context),
    }),
    siblings: t.field({
      ...listSize(CHAIN_SIZE),
      type: [messageRef],
      description:
        'All versions of a message saved with this move as a sibling of others, such as an edit, in the order of saving; otherwise empty.',
      resolve: (update, _args, context) => savedBeside(update, context),
    }),
  }),
});

builder.subscriptionField('branchHead', (t) =>
  t.field({
    audit: 'chat.followed',
    type: branchHeadUpdate,
    description: `The head of a branch (of the active one by default): the current one, then every change, in order.
With \`after\`, every change since that event instead of the current head first. An edit is one update. A renamed branch is
still followed; the deletion of the branch ends the subscription with an error of code NOT_FOUND.`,
    args: {
      chatId: t.arg.id({ required: true, description: 'The id of the chat.' }),
      branch: t.arg.string({ description: 'The name of the branch; by default the active branch at each time.' }),
      after: t.arg.int({ description: 'The seq of the last update that the client received.' }),
    },
    subscribe: (_root, { chatId, branch, after }, context) =>
      followLog(context, { chatId, after: after ?? null }, (stream, isResumed) => {
        const branchName = branch ?? null;
        if (branchName !== null && !isPossibleId(branchName)) throw NotFoundError.branch(branchName, chatId);
        return followHead(context.live.log, stream, { chatId, branchName, isResumed });
      }),
    // The lookups are part of the answer: they wait for its turn and count against its limits.
    resolve: async (update, args, context) => {
      await asOfNow(update, args, context);
      return update.read(context).catch(refused);
    },
  }),
);
