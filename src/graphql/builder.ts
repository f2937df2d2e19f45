/** The builder of the schema: plugins and options, no types. */
import SchemaBuilder from '@pothos/core';
import ErrorsPlugin from '@pothos/plugin-errors';
import RelayPlugin from '@pothos/plugin-relay';
import type { Context } from './context.js';
import { decodeNodeId, encodeNodeId } from './node-id.js';

export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    /** Milliseconds since 1970. */
    DateTime: { Input: number; Output: number };
    JSON: { Input: unknown; Output: unknown };
  };
}>({
  plugins: [ErrorsPlugin, RelayPlugin],
  defaultFieldNullability: false,
  // Each result union lists its own errors; what it does not list is a bug and goes to the top level, masked.
  errors: { defaultTypes: [], directResult: true },
  relay: {
    idFieldName: 'nodeId',
    cursorType: 'String',
    clientMutationId: 'omit',
    // Query.node is a field of our own, in node.ts.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    encodeGlobalID: encodeNodeId,
    decodeGlobalID: (nodeId) => decodeNodeId(nodeId) ?? { typename: '', id: '' },
    edgesFieldOptions: { nullable: false },
    nodeFieldOptions: { nullable: false },
    nodeTypeOptions: { description: 'An object that can be fetched again by its opaque, globally unique nodeId.' },
    idFieldOptions: {
      description: 'Opaque and globally unique. The plain id that the client chose is `id` on each type.',
    },
    pageInfoTypeOptions: { description: 'Where a page stands among its neighbours (Relay cursor connections).' },
    hasNextPageFieldOptions: { description: 'Whether the list goes on behind the last element of the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether the list has elements before the first one of the page.' },
    startCursorFieldOptions: { description: 'The cursor of the first element; null on an empty page.' },
    endCursorFieldOptions: { description: 'The cursor of the last element; null on an empty page.' },
    firstArgOptions: {
      description: 'How many elements, from the start or behind `after`: 20 by default, 1,000 at most.',
    },
    afterArgOptions: { description: 'Only elements behind this cursor of the same list.' },
    lastArgOptions: {
      description: 'How many, from the end or before `before`: 1,000 at most. Not together with `first`.',
    },
    beforeArgOptions: { description: 'Only elements before this cursor of the same list.' },
  },
});

builder.queryType({ description: 'What can be read.' });
builder.mutationType({
  description: 'What can be changed. Each answers a union of its payload and the failures it can have.',
});
builder.subscriptionType({ description: 'What can be followed as it happens: see docs/subscriptions.md.' });
