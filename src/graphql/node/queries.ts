import { brandWithType } from '@pothos/core';
import { isPossibleId } from '../../conversation/bounds.js';
import { builder } from '../builder.js';
import { resolveId, visibleChat } from '../loading/visible-chat.js';
import type { Context } from '../context.js';
import { decodeNodeId } from './node-id.js';

builder.queryField('node', (t) =>
  t.field({
    audit: 'chat.read',
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description: "Any object by its nodeId; null when it does not exist or is not the viewer's.",
    args: { nodeId: t.arg.id({ required: true, description: 'The nodeId of the object.' }) },
    resolve: async (_root, { nodeId }, context) => {
      const decoded = decodeNodeId(nodeId);
      if (decoded === null || !isPossibleId(decoded.id)) return null;
      const node = await load(context, decoded.typename, decoded.id);
      if (node !== null) brandWithType(node, decoded.typename as never);
      return node;
    },
  }),
);

async function load(context: Context, typename: string, id: string): Promise<object | null> {
  switch (typename) {
    case 'Chat':
      return visibleChat(context, id);
    case 'Message':
    case 'Branch':
    case 'Checkpoint':
      return resolveId(context, typename, id);
    default:
      return null;
  }
}
