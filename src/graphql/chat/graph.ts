import { BYTES_PER_MESSAGE } from '../../limits/content-budget.js';
import type { Chat, GraphRow } from '../../conversation/model.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';
import { isoTime } from '../answers/iso-time.js';
import { listSize } from '../limits/list-size.js';
import { takeJson, takeRows, type WriteJson } from '../answers/plain-lists.js';
import { plain, plainLoaded } from '../answers/plain-members.js';
import { branchRef, checkpointRef } from '../refs.js';
import { countedBefore, wholeList } from '../limits/object-budget.js';

interface GraphNode extends GraphRow {
  chatId: string;
}

const graphNodeRef = builder.objectRef<GraphNode>('GraphNode').implement({
  description: 'Summary of a message.',
  fields: (t) => ({
    id: t.exposeID('id', {
      ...plain((node: GraphNode) => JSON.stringify(node.id), 'id'),
      description: "The message's id.",
    }),
    parentId: t.exposeID('parentId', {
      ...plain((node: GraphNode) => JSON.stringify(node.parentId), 'parentId'),
      nullable: true,
      description: "Its parent's id; null for a root.",
    }),
    role: t.exposeString('name', {
      ...plain((node: GraphNode) => JSON.stringify(node.name), 'name'),
      description: "The message's name.",
    }),
    content: t.exposeString('preview', {
      ...plain((node: GraphNode) => JSON.stringify(node.preview), 'preview'),
      description: 'The first 50 characters of its text; longer text ends in an ellipsis. Empty for a hidden message.',
    }),
    depth: t.exposeInt('depth', {
      ...plain((node: GraphNode) => String(node.depth), 'depth'),
      description: '0 for a root.',
    }),
    createdAt: t.expose('createdAt', {
      ...plain((node: GraphNode) => `"${isoTime(node.createdAt)}"`, 'createdAt'),
      type: 'DateTime',
      description: 'When it was saved.',
    }),
    sourceIds: t.idList({
      ...plainLoaded(async ([first]: readonly GraphNode[], { loaders }) => {
        // A list has the nodes of one chat.
        const sources = first && (await loaders.sourcesOfChat.load(first.chatId));
        return ({ seq }) => JSON.stringify(sources?.get(seq) ?? []);
      }),
      description: 'The ids of the messages that it draws on besides its parent, in the order given.',
      // All nodes of a chat are read at once, and so are their sources.
      resolve: async ({ chatId, seq }, _args, { loaders }) => [
        ...((await loaders.sourcesOfChat.load(chatId)).get(seq) ?? []),
      ],
    }),
  }),
});

export const everyBranch = {
  ...listSize(100),
  type: [branchRef] as [typeof branchRef],
  description: 'Oldest first.',
  resolve: async (chat: Chat, _args: object, context: Context) =>
    (await context.loaders.branchPage.load(chat.id, wholeList(context))).rows,
};

export const everyCheckpoint = {
  ...listSize(100),
  type: [checkpointRef] as [typeof checkpointRef],
  description: 'Newest first.',
  resolve: async (chat: Chat, _args: object, context: Context) =>
    (await context.loaders.checkpointPage.load(chat.id, wholeList(context))).rows,
};

export const chatGraphRef = builder.objectRef<Chat>('ChatGraph').implement({
  description: 'The whole graph of a chat.',
  fields: (t) => ({
    nodes: t.field({
      ...countedBefore(1000),
      type: [graphNodeRef],
      description: 'In the order of saving.',
      resolve: async (chat, _args, context, info) => {
        const { loaders, budget, content } = context;
        const key = { chatId: chat.id, length: await loaders.messageCount.load(chat.id) };
        budget?.take(key.length, info);
        const write: WriteJson = (members) => loaders.graphJson.load(key, members);
        if (await takeJson(context, key.length, info, write)) return [];
        content?.take(BYTES_PER_MESSAGE * key.length);
        // In place: a graph may have 100,000 nodes.
        const nodes = (await loaders.graph.load(chat.id)).map((node) => Object.assign(node, { chatId: chat.id }));
        return takeRows(context, nodes, info);
      },
    }),
    branches: t.field(everyBranch),
    checkpoints: t.field(everyCheckpoint),
  }),
});
