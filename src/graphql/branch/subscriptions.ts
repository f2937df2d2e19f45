import { followHead, type HeadUpdate } from '../../events/head-updates.js';
import { isPossibleId } from '../../conversation/bounds.js';
import { NotFoundError } from '../../conversation/errors.js';
import { builder } from '../builder.js';
import { NAME } from '../stated-limits.js';
import { CHAIN_SIZE, listSize } from '../limits/list-size.js';
import { found, messageOrNull } from '../answers/references.js';
import { branchRef, messageRef } from '../refs.js';
import { asOfNow, followLog, refused } from '../subscribe.js';
import type { Message } from '../../conversation/model.js';
import type { Context } from '../context.js';
import { wholeList } from '../limits/object-budget.js';

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
      branch: t.arg.string({
        description: `The name of the branch; by default the active branch at each time. ${NAME}`,
      }),
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

/**
 * The messages between the previous head and the new one, root first; none when the new head is not below the previous
 * one.
 */
async function appended(update: HeadUpdate, context: Context): Promise<Message[]> {
  const { loaders } = context;
  const whole = wholeList(context);
  const { chatId, previousHeadId, headId, saved } = update;
  if (headId === null || headId === previousHeadId) return [];
  // Mostly these are the saved messages.
  if (saved.firstSeq <= saved.lastSeq) {
    const messages = await loaders.messageRange.load({ chatId, ...saved });
    if (messages[0]?.parentId === previousHeadId && messages.at(-1)?.id === headId) return messages;
  }
  const [previous, head] = await Promise.all([
    messageOrNull(chatId, previousHeadId, context),
    messageOrNull(chatId, headId, context),
  ]);
  if (head === null || (previousHeadId !== null && previous === null)) return [];
  const path = { chatId, headMessageId: headId, messageCount: head.depth + 1 };
  if (previous === null) return (await loaders.pathPage.load(path, whole)).rows;
  // One message first: the path may be long, and lead elsewhere.
  const at = await loaders.pathPage.load(path, { ...whole, first: 1, after: previous.depth - 1 });
  if (at.rows[0]?.id !== previousHeadId) return [];
  return (await loaders.pathPage.load(path, { ...whole, after: previous.depth })).rows;
}

/** The first of the messages saved with an update, and its siblings; none when it has no siblings. */
async function savedBeside({ chatId, saved }: HeadUpdate, context: Context): Promise<Message[]> {
  const { loaders } = context;
  const { firstSeq, lastSeq } = saved;
  if (firstSeq > lastSeq) return [];
  const [first] = await loaders.messageRange.load({ chatId, firstSeq, lastSeq: firstSeq });
  if (first === undefined) return [];
  const { rows } = await loaders.childPage.load({ chatId, parentId: first.parentId }, wholeList(context));
  return rows.length > 1 ? rows : [];
}
