/** What Apollo Client's cache has to know of Parley's graph. */
import type { ApolloCache, InMemoryCacheConfig, Reference, StoreObject } from '@apollo/client/cache';
import { relayStylePagination } from '@apollo/client/utilities';
import { possibleTypes } from '../generated/possible-types.js';

const keyFields = ['nodeId'];
/** One answer takes the place of the one before. */
const replaced = { merge: false } as const;

/** For `new InMemoryCache(cacheOptions)`: what types are of an interface or a union, their keys, and how pages are put together. */
export const cacheOptions: InMemoryCacheConfig = {
  possibleTypes,
  typePolicies: {
    ...Object.fromEntries(possibleTypes.Node.map((type) => [type, { keyFields }])),
    Query: { fields: { chats: relayStylePagination(['filter']) } },
    Subscription: { fields: { branchHead: replaced, chatChanges: replaced, chatEvents: replaced } },
    Branch: { keyFields, fields: { messages: relayStylePagination(['around']) } },
    Message: { keyFields, fields: { path: relayStylePagination(['around']) } },
  },
};

/** What is read of a mutation's payload, and of what a subscription tells. */
interface Told {
  branch?: StoreObject | null;
  /** Those that a mutation has saved. */
  messages?: readonly SavedMessage[];
  /** Those that a head has moved to. */
  appended?: readonly SavedMessage[];
  kind?: string;
  chatNodeId?: string;
  deletedChatNodeId?: string;
  deletedBranchNodeId?: string;
  deletedCheckpointNodeId?: string;
}

interface SavedMessage extends StoreObject {
  parentId?: string | null;
}

interface Thread {
  edges: { __typename: string; node: Reference }[];
}

/**
 * Puts new messages behind the others of their branch, and takes out what was deleted: what no policy can say. It is for the
 * `update` of each mutation, and for each answer of a subscription.
 * @param data the whole answer, whatever it is of
 */
export function learn(cache: ApolloCache, data: unknown): void {
  for (const told of Object.values((data ?? {}) as Record<string, Told | null>)) {
    if (told === null) continue;
    if (told.branch) append(cache, told.branch, told.messages ?? told.appended ?? []);
    const gone = told.deletedChatNodeId ?? told.deletedBranchNodeId ?? told.deletedCheckpointNodeId;
    if (told.kind === 'REMOVED') forget(cache, told.chatNodeId);
    else if (gone !== undefined) forget(cache, gone);
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
  for (const __typename of ['Chat', 'Branch', 'Checkpoint']) {
    const id = cache.identify({ __typename, nodeId });
    if (id !== undefined) cache.evict({ id });
  }
}
