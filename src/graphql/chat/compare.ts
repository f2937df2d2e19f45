import { differences, firstOwnDepth, type Comparison } from '../../conversation/comparison.js';
import type { Message } from '../../conversation/model.js';
import { builder } from '../builder.js';
import { loadPath } from '../message/path.js';
import { messageConnection } from '../message/type.js';
import { chatRef, messageRef } from '../refs.js';
import { messagesAt, placeInput } from './place.js';

const comparisonStatus = builder.enumType('ComparisonStatus', {
  description: 'How the path of the head differs from the path of the base.',
  values: {
    IDENTICAL: { description: 'Base and head are the same message.' },
    AHEAD: { description: 'The head continues the base.' },
    BEHIND: { description: 'The base continues the head.' },
    DIVERGED: { description: 'Each has messages that the other lacks.' },
  } as const,
});

const comparisonRef = builder.objectRef<Comparison>('Comparison').implement({
  description: 'The differences of two paths of a chat, from the root to the base and to the head.',
  fields: (t) => ({
    status: t.field({
      type: comparisonStatus,
      description: 'Whether one path continues the other.',
      resolve: (comparison) => differences(comparison).status,
    }),
    base: t.expose('base', { type: messageRef, description: 'The message of the base.' }),
    head: t.expose('head', { type: messageRef, description: 'The message of the head.' }),
    commonAncestor: t.expose('commonAncestor', {
      type: messageRef,
      nullable: true,
      description: 'The newest message of both paths; null when they have different roots.',
    }),
    aheadBy: t.int({
      description: "Number of messages after the common ancestor on the head's path.",
      resolve: (comparison) => differences(comparison).aheadBy,
    }),
    behindBy: t.int({
      description: "Number of messages after the common ancestor on the base's path.",
      resolve: (comparison) => differences(comparison).behindBy,
    }),
    ahead: t.field({
      type: messageConnection,
      description: "The messages after the common ancestor on the head's path, oldest first.",
      args: t.arg.connectionArgs(),
      resolve: (comparison, args, context) => loadPath(ownPath(comparison, comparison.head), args, context),
    }),
    behind: t.field({
      type: messageConnection,
      description: "The messages after the common ancestor on the base's path, oldest first.",
      args: t.arg.connectionArgs(),
      resolve: (comparison, args, context) => loadPath(ownPath(comparison, comparison.base), args, context),
    }),
  }),
});

const ownPath = (comparison: Comparison, { chatId, id, depth }: Message) => ({
  chatId,
  headMessageId: id,
  messageCount: depth + 1,
  fromDepth: firstOwnDepth(comparison),
});

builder.objectField(chatRef, 'compare', (t) =>
  t.field({
    type: comparisonRef,
    nullable: true,
    description:
      'Compares the paths to two messages. The cost does not grow with their lengths. Null if a place is missing.',
    args: {
      base: t.arg({ type: placeInput, required: true, description: 'The end of the path that is compared to.' }),
      head: t.arg({ type: placeInput, required: true, description: 'The end of the path that is compared.' }),
    },
    resolve: async ({ id: chatId }, args, context) => {
      const [base, head] = await messagesAt(chatId, [args.base, args.head], context);
      if (base == null || head == null) return null;
      const pair = { chatId, baseId: base.id, headId: head.id };
      return { base, head, commonAncestor: await context.loaders.commonAncestor.load(pair) };
    },
  }),
);
