import { brandWithType } from '@pothos/core';
import { builder } from '../builder.js';
import { resolveId } from '../loading/visible-chat.js';
import { messageRef } from '../refs.js';
import { decodeNodeId } from './node-id.js';
import { nodeTypes } from './node-types.js';

builder.queryField('node', (t) =>
  t.field({
    audit: 'chat.read',
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description: "Any object by its nodeId; null when it does not exist or is not the viewer's.",
    args: { nodeId: t.arg.id({ required: true, description: 'The nodeId of the object.' }) },
    resolve: async (_root, { nodeId }, context) => {
      const decoded = decodeNodeId(nodeId);
      const find = decoded === null ? undefined : nodeTypes.get(decoded.typename);
      if (decoded === null || find === undefined) return null;
      const node = await find(context, decoded.id);
      if (node !== null) brandWithType(node, decoded.typename as never);
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
