/** Configures the cache of Apollo Client for Parley. */
import type { ApolloCache, InMemoryCacheConfig, Reference, StoreObject } from '@apollo/client/cache';
import { relayStylePagination } from '@apollo/client/utilities';
import { possibleTypes } from '../generated/possible-types.js';

const keyFields = ['nodeId'];
/** A new result replaces the previous one. */
const replaced = { merge: false } as const;

/** For `new InMemoryCache(cacheOptions)`: possible types, keys, and the merging of pages. */
export const cacheOptions: InMemoryCacheConfig = {
  possibleTypes,
  typePolicies: {
    ...Object.fromEntries(possibleTypes.Node.map((type) => [type, { keyFields }])),
    // Messages give equal contents different names.
    File: { keyFields: false },
    Query: { fields: { chats: relayStylePagination(['filter']) } },
    Subscription: { fields: { branchHead: replaced, chatChanges: replaced, chatEvents: replaced } },
    Branch: { keyFields, fields: { messages: relayStylePagination(['around']) } },
    Message: { keyFields, fields: { path: relayStylePagination(['around']) } },
  },
};

/** The fields of a mutation's payload or a subscription's event that change the cache. */
interface Changed {
  branch?: StoreObject | null;
  /** The messages that a mutation has saved. */
  messages?: readonly SavedMessage[];
  /** The messages that the head has moved to. */
  appended?: readonly SavedMessage[];
  kind?: string;
  chatNodeId?: string;
  deletedNodeId?: string;
}

interface SavedMessage extends StoreObject {
  parentId?: string | null;
}

interface Thread {
  edges: { __typename: string; node: Reference }[];
}

/**
 * Appends new messages to their branch, and evicts deleted objects, which no type policy can do. Call it in each mutation's
 * `update`, and with each result of a subscription.
 * @param data the complete result of any operation
 */
export function learn(cache: ApolloCache, data: unknown): void {
  for (const change of Object.values((data ?? {}) as Record<string, Changed | null>)) {
    if (change === null) continue;
    if (change.branch) append(cache, change.branch, change.messages ?? change.appended ?? []);
    if (change.kind === 'REMOVED') forget(cache, change.chatNodeId);
    else if (change.deletedNodeId !== undefined) forget(cache, change.deletedNodeId);
  }
}

function append(cache: ApolloCache, branch: StoreObject, messages: readonly SavedMessage[]): void {
  const id = cache.identify(branch);
  if (id === undefined) return;
  cache.modify<{ messages: Thread }>({
    id,
    fields: {
      messages(thread, { readField, toReference }) {
        const list = thread as Thread;
        const edges = [...list.edges];
        for (const message of messages) {
          const last = edges.at(-1);
          const node = toReference(message);
          if (node === undefined || (last ? readField('id', last.node) : null) !== message.parentId) continue;
          edges.push({ __typename: 'MessageEdge', node });
        }
        return { ...list, edges };
      },
    },
  });
}

function forget(cache: ApolloCache, nodeId: string | undefined): void {
  for (const __typename of possibleTypes.Node) {
    const id = cache.identify({ __typename, nodeId });
    if (id !== undefined) cache.evict({ id });
  }
}
