import { isPossibleId } from '../../conversation/bounds.js';
import { roleOf } from '../../conversation/access/ownership.js';
import { checkpointConnection } from '../checkpoint/type.js';
import { branchConnection } from '../branch/type.js';
import { builder } from '../builder.js';
import { NAME } from '../stated-limits.js';
import type { Chat } from '../../conversation/model.js';
import { encodeChatCursor } from '../pages/cursors.js';
import { countedConnectionRef, loadNumbered } from '../pages/connection.js';
import { eventFilter, loadEvents } from '../event/filter.js';
import { chatEventConnection } from '../event/type.js';
import { chatRole } from '../chat-role.js';
import { messageConnection } from '../message/type.js';
import { branchRef, chatRef, checkpointRef, messageRef } from '../refs.js';
import { wholeList } from '../limits/object-budget.js';
import { headOf } from '../answers/references.js';
import { fromJson } from '../answers/saved-json.js';
import { chatGraphRef } from './graph.js';
import { chatOutlineRef } from './outline.js';

builder.node(chatRef, {
  id: { resolve: (chat) => chat.id },
  description: 'A conversation: a graph of immutable messages, with branches and checkpoints pointing into it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Chosen by the client that created it, or generated.' }),
    userId: t.exposeID('userId', { description: 'Owner of the chat.' }),
    title: t.exposeString('title', { nullable: true, description: 'Title for lists; null without a title.' }),
    metadata: t.field({
      type: 'JSON',
      description: 'A JSON object; {} by default.',
      resolve: (chat, _args, context) => fromJson(chat, chat.metadata, context, (value) => value),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
    version: t.exposeInt('version', {
      description: 'The seq of the newest event of this chat; it grows by one with every event.',
    }),
    viewerRole: t.field({
      type: chatRole,
      description: "The viewer's role; OWNER for admins.",
      // The members of a payload may be older than the lock.
      resolve: (chat, _args, { viewer }) => roleOf(viewer, chat) ?? 'READER',
    }),
    activeBranch: t.field({
      type: branchRef,
      description: 'The one branch that is active; every chat has exactly one.',
      resolve: (chat, _args, { loaders }) => loaders.activeBranch.load(chat.id),
    }),
    branch: t.field({
      type: branchRef,
      nullable: true,
      description: 'The branch with this name; null when there is none.',
      args: { name: t.arg.string({ required: true, description: `The name of the branch. ${NAME}` }) },
      resolve: (chat, { name }, { loaders }) =>
        isPossibleId(name) ? loaders.branchByName.load({ chatId: chat.id, name }) : null,
    }),
    branches: t.field({
      type: branchConnection,
      description: 'Oldest first.',
      args: t.arg.connectionArgs(),
      resolve: (chat, args, { loaders }) =>
        loadNumbered({ kind: 'branch', of: chat.id }, args, (page) => loaders.branchPage.load(chat.id, page)),
    }),
    checkpoint: t.field({
      type: checkpointRef,
      nullable: true,
      description: 'The checkpoint with this name; null when there is none.',
      args: { name: t.arg.string({ required: true, description: `The name of the checkpoint. ${NAME}` }) },
      resolve: (chat, { name }, { loaders }) =>
        isPossibleId(name) ? loaders.checkpointByName.load({ chatId: chat.id, name }) : null,
    }),
    checkpoints: t.field({
      type: checkpointConnection,
      description: 'Newest first.',
      args: t.arg.connectionArgs(),
      resolve: (chat, args, { loaders }) =>
        loadNumbered({ kind: 'checkpoint', of: chat.id }, args, (page) => loaders.checkpointPage.load(chat.id, page)),
    }),
    message: t.field({
      type: messageRef,
      nullable: true,
      description: 'The message with this id; null when it is not in this chat.',
      args: { id: t.arg.id({ required: true, description: 'The id of the message.' }) },
      resolve: (chat, { id }, { loaders }) => (isPossibleId(id) ? loaders.message.load({ chatId: chat.id, id }) : null),
    }),
    roots: t.field({
      type: [messageRef],
      description: 'The messages without a parent, in the order of saving.',
      resolve: async (chat, _args, context) =>
        (await context.loaders.childPage.load({ chatId: chat.id, parentId: null }, wholeList(context))).rows,
    }),
    messageCount: t.int({
      description: 'All messages of the graph, on every branch.',
      resolve: (chat, _args, { loaders }) => loaders.messageCount.load(chat.id),
    }),
    messages: t.field({
      type: messageConnection,
      description: 'All messages of the graph, on every branch, in the order of saving.',
      args: t.arg.connectionArgs(),
      resolve: (chat, args, { loaders }) =>
        loadNumbered({ kind: 'message', of: chat.id }, args, (page) => loaders.messagePage.load(chat.id, page)),
    }),
    lastMessage: t.field({
      extensions: { isPartial: true },
      type: messageRef,
      nullable: true,
      description: 'The newest message on the active branch, for lists of chats; null while that branch is empty.',
      resolve: async (chat, args, context, info) =>
        headOf(await context.loaders.activeBranch.load(chat.id), args, context, info),
    }),
    latestLeaf: t.field({
      type: messageRef,
      nullable: true,
      description:
        'The message saved last on any branch, which is a leaf; null in an empty chat. It need not be on the active branch, which clients show.',
      // The newest message has no children.
      resolve: (chat, _args, { loaders }) => loaders.newestMessage.load(chat.id),
    }),
    graph: t.field({
      type: chatGraphRef,
      description: 'The whole graph in one compact answer, for drawing.',
      resolve: (chat) => chat,
    }),
    outline: t.field({
      type: chatOutlineRef,
      description:
        'The graph with every run of messages without a fork merged into one segment: as many segments as forks ' +
        'and leaves, for any number of messages.',
      resolve: (chat) => chat,
    }),
    events: t.field({
      type: chatEventConnection,
      description: 'The log of this chat, oldest first: every change, its user and its time.',
      args: {
        filter: t.arg({ type: eventFilter, description: 'Events to list: all by default.' }),
        ...t.arg.connectionArgs(),
      },
      resolve: (chat, { filter, ...args }, context) =>
        loadNumbered({ kind: 'event', of: chat.id }, args, (page) => loadEvents(chat, page, filter, context)),
    }),
  }),
});

export const chatConnection = countedConnectionRef('Chat', chatRef);

/** A field of payloads that have a chat. */
export const chatEdge = {
  type: chatConnection.edge,
  description: 'The chat as an edge of lists of chats, for caches that insert it.',
  resolve: ({ chat }: { chat: Chat }) => ({ cursor: encodeChatCursor(chat), node: chat }),
};
