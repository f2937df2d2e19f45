import { brandWithType } from '@pothos/core';
import { isPossibleId } from '../../conversation/bounds.js';
import { builder } from '../builder.js';
import { resolveId, visibleChat } from '../loading/visible-chat.js';
import { messageRef } from '../refs.js';
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
      const { typename, id } = decoded;
      const isPart = typename === 'Message' || typename === 'Branch' || typename === 'Checkpoint';
      if (!isPart && typename !== 'Chat') return null;
      const node = isPart ? await resolveId(context, typename, id) : await visibleChat(context, id);
      if (node !== null) brandWithType(node, typename as never);
      return node;
    },
  }),
);

builder.queryField('message', (t) =>
  t.field({
    audit: 'chat.read',
    type: messageRef,
    nullable: true,
    description: "One message by id; null when it does not exist or is not the viewer's.",
    args: { id: t.arg.id({ required: true, description: 'The id of the message.' }) },
    resolve: (_root, { id }, context) => resolveId(context, 'Message', id),
  }),
);
