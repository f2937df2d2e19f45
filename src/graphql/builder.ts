/** The builder of the schema: plugins and options, no types. */
import SchemaBuilder from '@pothos/core';
import ErrorsPlugin from '@pothos/plugin-errors';
import RelayPlugin from '@pothos/plugin-relay';
import type { Context } from './context.js';
import { decodeNodeId, encodeNodeId } from './node/node-id.js';
import './root-field-options.js';

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
  // Each result union lists its errors; an unlisted error is a bug and becomes a masked top-level error.
  errors: { defaultTypes: [], directResult: true },
  relay: {
    idFieldName: 'nodeId',
    cursorType: 'String',
    clientMutationId: 'omit',
    // Query.node is defined in node.ts.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    encodeGlobalID: encodeNodeId,
    decodeGlobalID: (nodeId) => decodeNodeId(nodeId) ?? { typename: '', id: '' },
    edgesFieldOptions: { nullable: false },
    nodeFieldOptions: { nullable: false },
    nodeTypeOptions: { description: 'An object that can be fetched again by its opaque, globally unique nodeId.' },
    idFieldOptions: {
      description: 'Opaque and globally unique. The plain id, where a type has one, is `id`.',
    },
    pageInfoTypeOptions: { description: 'Position of a page in its list (Relay cursor connections).' },
    hasNextPageFieldOptions: { description: 'Whether elements follow after the last element of the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether elements precede the first element of the page.' },
    startCursorFieldOptions: { description: 'The cursor of the first element; null on an empty page.' },
    endCursorFieldOptions: { description: 'The cursor of the last element; null on an empty page.' },
    firstArgOptions: {
      description: 'Number of elements from the start, or after `after`: 20 by default, 1,000 at most.',
    },
    afterArgOptions: { description: 'Only elements after this cursor of the same list.' },
    lastArgOptions: {
      description:
        'Number of elements from the end, or before `before`: 1,000 at most. Cannot be combined with `first`.',
    },
    beforeArgOptions: { description: 'Only elements before this cursor of the same list.' },
  },
});

export type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

builder.queryType({ description: 'All reads.' });
builder.mutationType({
  description: 'All changes. Each returns a union of its payload and its expected failures.',
});
builder.subscriptionType({ description: 'Live updates: see docs/subscriptions.md.' });
