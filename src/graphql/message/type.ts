import { firstCharacters } from '../../conversation/text/first-characters.js';
import { messageText, shownText } from '../../conversation/text/message-text.js';
import type { Message } from '../../conversation/model.js';
import { badUserInput } from '../bad-user-input.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';
import { countedConnectionRef, loadConnection, loadNumbered } from '../pages/connection.js';
import { isoTime } from '../answers/iso-time.js';
import { MAX_SOURCES } from '../../conversation/bounds.js';
import { chainSize, listSize } from '../limits/list-size.js';
import { readLimit } from '../pages/page-arguments.js';
import { plain } from '../answers/plain-members.js';
import { chatOf, found, messageOrNull } from '../answers/references.js';
import { chainOf } from './chain.js';
import { loadPath, pathArguments } from './path.js';
import { branchRef, chatRef, checkpointRef, messageRef } from '../refs.js';
import { fromJson } from '../answers/saved-json.js';
import { countedBefore, longestList, wholeList } from '../limits/object-budget.js';

const PREVIEW_LENGTH = 50;
const MAX_PREVIEW_LENGTH = 1000;

export const messageConnection = countedConnectionRef('Message', messageRef);

builder.node(messageRef, {
  id: { resolve: (message) => message.id },
  description: 'One immutable node of the conversation graph.',
  fields: (t) => ({
    id: t.exposeID('id', {
      ...plain((message: Message) => JSON.stringify(message.id), 'id'),
      description: 'Chosen by the client that saved it, or generated; unique on this server.',
    }),
    chat: t.field({ type: chatRef, description: 'The chat of the message.', resolve: chatOf }),
    parent: t.field({
      type: messageRef,
      nullable: true,
      description: 'The previous message; null for a root.',
      resolve: ({ chatId, parentId }, _args, context) => messageOrNull(chatId, parentId, context),
    }),
    parentId: t.exposeID('parentId', {
      ...plain((message: Message) => JSON.stringify(message.parentId), 'parentId'),
      nullable: true,
      description: "The parent's id alone, for clients that build the tree themselves; null for a root.",
    }),
    children: t.field({
      type: messageConnection,
      description: 'The alternatives that follow this message, in the order of saving.',
      args: t.arg.connectionArgs(),
      resolve: ({ chatId, id }, args, { loaders }) =>
        loadConnection(
          { kind: 'child', of: id },
          args,
          (page) => loaders.childPage.load({ chatId, parentId: id }, page),
          (child) => child.siblingIndex,
        ),
    }),
    sources: t.field({
      ...listSize(MAX_SOURCES),
      type: [messageRef],
      description:
        'Messages that this one draws on besides its parent, in the order given: a merge has the heads of other branches.',
      resolve: async ({ chatId, seq }, _args, { loaders }) => {
        const sources = await loaders.sources.load({ chatId, seq });
        return Promise.all(
          sources.map(async ({ id }) => found(await loaders.message.load({ chatId, id }), 'A source')),
        );
      },
    }),
    sourceHashes: t.field({
      type: ['String'],
      nullable: { list: false, items: true },
      description:
        'The contentHash of each source, in the order given, also of those that a fork did not copy; null until computed.',
      resolve: ({ chatId, seq }, _args, { loaders }) => loaders.sourceHashes.load({ chatId, seq }),
    }),
    drawnOnBy: t.field({
      type: messageConnection,
      description: 'The messages that name this one as a source, oldest first.',
      args: t.arg.connectionArgs(),
      resolve: ({ chatId, id, seq }, args, { loaders }) =>
        loadNumbered({ kind: 'drawn-on', of: id }, args, (page) => loaders.drawnOnPage.load({ chatId, seq }, page)),
    }),
    name: t.exposeString('name', {
      ...plain((message: Message) => JSON.stringify(message.name), 'name'),
      description: 'user, assistant, system, tool, or any other name.',
    }),
    type: t.exposeString('type', {
      ...plain((message: Message) => JSON.stringify(message.type), 'type'),
      description: '"message" unless it was saved with another.',
    }),
    data: t.field({
      // Saved as JSON, and checked on saving.
      ...plain((message: Message) => message.data, 'data'),
      type: 'JSON',
      description: 'The saved value, unchanged.',
      resolve: (message, _args, context) => fromJson(message, message.data, context, (value) => value),
    }),
    text: t.string({
      ...plain((message: Message, values) => JSON.stringify(messageText(values.dataOf(message)))),
      description: 'The plain text of data: the string itself, or its text parts joined by a blank line.',
      resolve: (message, _args, context) => fromJson(message, message.data, context, messageText),
    }),
    preview: t.string({
      ...plain((message: Message, values) => JSON.stringify(previewOf(values.dataOf(message), PREVIEW_LENGTH))),
      description:
        'The start of the text; empty for a hidden message, whose data have `metadata.hidden: true`. Graphemes are not ' +
        'split: an emoji of several code points, a letter with its accents.',
      args: { length: t.arg.int({ description: 'Maximum code points: 50 by default, 1 to 1,000.' }) },
      resolve: (message, { length }, context) => {
        const size = length ?? PREVIEW_LENGTH;
        if (size < 1 || size > MAX_PREVIEW_LENGTH) {
          throw badUserInput(`length must be 1 to ${MAX_PREVIEW_LENGTH}, not ${size}`);
        }
        const text = shownTextOf(message, context);
        return text instanceof Promise
          ? text.then((start) => firstCharacters(start, size))
          : firstCharacters(text, size);
      },
    }),
    contentHash: t.string({
      nullable: true,
      description:
        "SHA-256 in hex over the content and the parent's contentHash, in the canonical form of docs/graphs.md. Null " +
        'for a message of an older version until the server has computed it.',
      resolve: (message, _args, { loaders }) => loaders.messageColumn.load(message, 'contentHash'),
    }),
    createdBy: t.id({
      description: 'The id of the user who saved it.',
      resolve: async (message, _args, { loaders }) =>
        found(await loaders.messageColumn.load(message, 'createdBy'), 'The message'),
    }),
    createdAt: t.expose('createdAt', {
      ...plain((message: Message) => `"${isoTime(message.createdAt)}"`, 'createdAt'),
      type: 'DateTime',
      description: 'When it was saved.',
    }),
    depth: t.exposeInt('depth', {
      ...plain((message: Message) => String(message.depth), 'depth'),
      description: "0 for a root, else the parent's depth plus one.",
    }),
    seq: t.exposeInt('seq', {
      ...plain((message: Message) => String(message.seq), 'seq'),
      description: 'The number of this message in its chat, from 1, in the order of saving.',
    }),
    hasChildren: t.boolean({
      description: 'Whether it has children; false for a leaf.',
      resolve: async (message, _args, { loaders }) =>
        (await loaders.childCount.load({ chatId: message.chatId, parentId: message.id })) > 0,
    }),
    chain: t.field({
      ...countedBefore(chainSize),
      type: [messageRef],
      description: 'The path from the root to this message, root first; `limit` keeps the newest messages.',
      args: { limit: t.arg.int({ description: 'Maximum number of messages, the newest. All by default.' }) },
      resolve: async ({ chatId, id, depth }, args, context, info) => {
        const limit = readLimit(args.limit);
        const length = Math.min(limit ?? depth + 1, depth + 1);
        return chainOf({ chatId, messageId: id, length }, context, info);
      },
    }),
    path: t.field({
      type: messageConnection,
      description:
        'The path from the root to this message, root first: shows another version without moving any branch.',
      args: pathArguments,
      resolve: ({ chatId, id, depth }, args, context) =>
        loadPath({ chatId, headMessageId: id, messageCount: depth + 1 }, args, context),
    }),
    siblings: t.field({
      type: [messageRef],
      description: 'The children of the same parent (or all roots), this message included, in the order of saving.',
      resolve: async ({ chatId, parentId }, _args, context) =>
        (await context.loaders.childPage.load({ chatId, parentId }, wholeList(context))).rows,
    }),
    siblingIndex: t.exposeInt('siblingIndex', {
      ...plain((message: Message) => String(message.siblingIndex), 'siblingIndex'),
      description: 'From 0: an arrow control shows siblingIndex + 1 of siblingCount.',
    }),
    siblingCount: t.int({
      description: 'The number of siblings, this message included.',
      resolve: ({ chatId, parentId }, _args, { loaders }) => loaders.childCount.load({ chatId, parentId }),
    }),
    previousSibling: t.field({
      type: messageRef,
      nullable: true,
      description: 'The previous version among its siblings; null for the first.',
      resolve: ({ chatId, parentId, siblingIndex }, _args, { loaders }) =>
        siblingIndex === 0 ? null : loaders.child.load({ chatId, parentId, siblingIndex: siblingIndex - 1 }),
    }),
    nextSibling: t.field({
      type: messageRef,
      nullable: true,
      description: 'The next version among its siblings; null for the last.',
      resolve: ({ chatId, parentId, siblingIndex }, _args, { loaders }) =>
        loaders.child.load({ chatId, parentId, siblingIndex: siblingIndex + 1 }),
    }),
    latestLeaf: t.field({
      type: messageRef,
      description: 'The leaf reached by taking the newest child at every step; itself when it has none.',
      resolve: (message, _args, { loaders }) => loaders.latestLeaf.load(message),
    }),
    headOf: t.field({
      type: [branchRef],
      description: 'The branches whose head is this message.',
      resolve: (message, _args, context) => context.loaders.headOf.load(message, longestList(context)),
    }),
    branches: t.field({
      type: [branchRef],
      description: 'The branches that contain this message, including those whose head it is.',
      resolve: (message, _args, { loaders }) => loaders.branchesThrough.load(message),
    }),
    checkpoints: t.field({
      type: [checkpointRef],
      description: 'The checkpoints on this message.',
      resolve: (message, _args, context) => context.loaders.checkpointsAt.load(message, longestList(context)),
    }),
  }),
});

/** The text that previews of any length show, made once. */
function shownTextOf(message: Message, context: Context): string | Promise<string> {
  return context.loaders.derived.get(message, 'shown text', () =>
    fromJson(message, message.data, context, (value) => {
      const text = shownText(value);
      context.content?.take(text.length);
      return text;
    }),
  );
}

function previewOf(data: unknown, length: number): string {
  return firstCharacters(shownText(data), length);
}
