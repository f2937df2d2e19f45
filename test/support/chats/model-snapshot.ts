/** The complete readable state of a chat according to the model, in the form of `serverState`. */
import type { ConversationModel } from './conversation-model.js';
import { names, type serverState } from './snapshot.js';

export function modelState(model: ConversationModel, chatId: string): ReturnType<typeof serverState> {
  return {
    version: model.events.length,
    messageCount: model.messages.length,
    active: model.active,
    branchCount: model.branches.length,
    branches: model.branches.map(({ name, head }) => {
      const chain = model.path(head);
      return {
        name,
        isActive: name === model.active,
        messageCount: chain.length,
        head,
        chain,
        tail: chain.slice(-2),
        page: chain.slice(-3),
        pageInfo: { hasPreviousPage: chain.length > 3, hasNextPage: false },
        totalCount: chain.length,
      };
    }),
    checkpointCount: model.checkpoints.length,
    checkpoints: model.checkpoints,
    roots: model.children(null),
    latestLeaf: model.messages.at(-1)?.id ?? null,
    graph: {
      nodes: model.messages.map(({ id, parentId, name, text }) => ({
        id,
        parentId,
        role: name,
        // The texts are ASCII: a character is a code unit.
        content: text.length > 50 ? `${text.slice(0, 50)}...` : text,
        depth: model.path(id).length - 1,
      })),
      branches: names(model.branches),
      checkpoints: names(model.checkpoints),
    },
    seqs: model.events.map((_, n) => n + 1),
    events: model.namedEvents,
    messages: model.messages.map(({ id, parentId, name, text }, n) => {
      const siblings = model.children(parentId);
      const children = model.children(id);
      return {
        id,
        chatId,
        parentId,
        parent: parentId,
        children,
        childCount: children.length,
        name,
        type: 'message',
        text,
        depth: model.path(id).length - 1,
        seq: n + 1,
        hasChildren: children.length > 0,
        chain: model.path(id),
        siblings,
        siblingIndex: siblings.indexOf(id),
        siblingCount: siblings.length,
        latestLeaf: model.latestLeaf(id),
        headOf: names(model.branches.filter((branch) => branch.head === id)),
        branches: names(model.branches.filter((branch) => model.path(branch.head).includes(id))),
        checkpoints: names(model.checkpoints.filter((checkpoint) => checkpoint.messageId === id)),
      };
    }),
  };
}
