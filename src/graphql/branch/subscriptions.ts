import { followHead, type HeadUpdate } from '../../events/head-updates.js';
import { isPossibleId } from '../../conversation/bounds.js';
import { NotFoundError } from '../../conversation/errors.js';
import { builder } from '../builder.js';
import { CHAIN_SIZE, listSize } from '../list-size.js';
import { found, messageOrNull } from '../references.js';
import { branchRef, messageRef } from '../refs.js';
import { asOfNow, followLog, refused } from '../subscribe.js';
import { appended, savedBeside } from './appended.js';

const branchHeadUpdate = builder.objectRef<HeadUpdate>('BranchHeadUpdate').implement({
  description: 'The head of a branch: as it is now, or where it went.',
  fields: (t) => ({
    seq: t.exposeInt('seq', { description: 'The event this comes from: pass it as `after` to go on from here.' }),
    branch: t.field({
      type: branchRef,
      description: 'The branch as it is now. Updates from before a branch was deleted are not told with it.',
      resolve: async ({ chatId, branchId: id }, _args, { loaders }) =>
        found(await loaders.branch.load({ chatId, id }), 'The branch'),
    }),
    previousHeadId: t.exposeID('previousHeadId', {
      nullable: true,
      description:
        'The head before; null for an empty branch. In an update that tells how it is now, that is the head itself.',
    }),
    head: t.field({
      type: messageRef,
      nullable: true,
      description: 'The head that the branch went to; null when it is empty.',
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
        'When a message was saved with it beside others, as an edit is: all versions of it, in the order of saving; else none.',
      resolve: (update, _args, context) => savedBeside(update, context),
    }),
  }),
});

builder.subscriptionField('branchHead', (t) =>
  t.field({
    type: branchHeadUpdate,
    description: `The head of a branch (of the active one by default): as it is now, then every change, in order.
With \`after\`, every change since that event instead of the present state first. An edit is one update. A branch that is renamed is
followed on; the end of one that is deleted is an error of code NOT_FOUND.`,
    args: {
      chatId: t.arg.id({ required: true, description: 'The id of the chat.' }),
      branch: t.arg.string({ description: 'The name of the branch; whichever is active by default.' }),
      after: t.arg.int({ description: 'The seq of the last update that the client has seen.' }),
    },
    subscribe: (_root, { chatId, branch, after }, context) =>
      followLog(context, { chatId, after: after ?? null }, (stream, isResumed) => {
        const branchName = branch ?? null;
        if (branchName !== null && !isPossibleId(branchName)) throw NotFoundError.branch(branchName, chatId);
        return followHead(context.live.log, stream, { chatId, branchName, isResumed });
      }),
    // What has to be looked up is a part of the answer: it waits for its turn, and has its bounds.
    resolve: async (update, args, context) => {
      await asOfNow(update, args, context);
      return update.tell(context.reads).catch(refused);
    },
  }),
);
