/** Configures the normalized cache of urql for Parley. */
import { gql, type SubscriptionForwarder } from '@urql/core';
import type { Cache, CacheExchangeOpts, DataFields, KeyGenerator, UpdateResolver } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { introspection } from '../generated/introspection.js';

const byNodeId: KeyGenerator = ({ nodeId }) => (nodeId as string | undefined) ?? null;
const noKey: KeyGenerator = () => null;

const keys = Object.fromEntries(
  introspection.__schema.types.flatMap(({ kind, name, fields }) =>
    kind === 'OBJECT' ? [[name, fields?.some((field) => field.name === 'nodeId') ? byNodeId : noKey] as const] : [],
  ),
);

/** For `cacheExchange(cacheOptions)`: the schema, keys, the merging of pages, and updates after changes. */
export const cacheOptions: CacheExchangeOpts = {
  schema: introspection,
  keys: {
    ...keys,
    // A key lets `learn` add edges to lists. Do not select the cursors of edges then: they differ by list.
    MessageEdge: ({ node }) => (node as { nodeId?: string } | null)?.nodeId ?? null,
  },
  resolvers: {
    Query: { chats: relayPagination() },
    Branch: { messages: relayPagination() },
    Message: { path: relayPagination() },
  },
  updates: {
    Branch: {
      // A refetched newest page may start later: keeping older pages would leave a gap.
      messages(_parent, page, cache, { parentKey }) {
        if (page['before']) return;
        for (const { fieldName, arguments: older } of cache.inspectFields(parentKey)) {
          if (fieldName === 'messages' && older?.['before']) cache.invalidate(parentKey, fieldName, older);
        }
      },
    },
    Mutation: {
      saveMessages: ({ saveMessages }, _args, cache) => learn(cache, saveMessages),
      editMessage: ({ editMessage }, _args, cache) => learn(cache, editMessage),
      ...removal('deleteChat', 'Chat'),
      ...removal('deleteBranch', 'Branch'),
      ...removal('deleteCheckpoint', 'Checkpoint'),
      ...removal('discardDraft', 'Draft'),
      ...removal('revokeShare', 'Share'),
      ...removal('revokeAccessToken', 'AccessToken'),
      ...removal('removeMember', 'ChatMember'),
    },
    Subscription: {
      chatEvents: ({ chatEvents }, _args, cache) => learn(cache, chatEvents),
      branchHead: ({ branchHead }, _args, cache) => learn(cache, branchHead),
      chatChanges: ({ chatChanges }, _args, cache) => {
        if ((chatChanges as Changed).kind === 'REMOVED') forget(cache, 'Chat', chatChanges, 'chatNodeId');
      },
    },
  },
};

/** The part of a graphql-ws client that is used. */
export interface SubscribingSocket {
  subscribe(
    request: { query: string; variables?: Record<string, unknown> | undefined },
    sink: { next(value: object): void; error(error: unknown): void; complete(): void },
  ): () => void;
}

/**
 * For `subscriptionExchange({ forwardSubscription: forwardSubscription(socket) })`. Completion is not forwarded: urql
 * would write the last result again, which may be outdated. A ChatDeleted event reports the end.
 * @param socket a client of graphql-ws
 */
export function forwardSubscription(socket: SubscribingSocket): SubscriptionForwarder {
  return ({ query, variables }) => ({
    subscribe: ({ next, error }) => ({
      unsubscribe: socket.subscribe(
        { query: query ?? '', variables: variables as Record<string, unknown> | undefined },
        { next: (result) => next(result), error, complete() {} },
      ),
    }),
  });
}

/** The fields of a payload or an event that change the cache. */
interface Changed {
  branch?: { nodeId: string } | null;
  messages?: readonly SavedMessage[];
  appended?: readonly SavedMessage[];
  kind?: string;
}

interface SavedMessage {
  nodeId: string;
  parentId: string | null;
}

const EDGE = gql`
  fragment _ on MessageEdge {
    node {
      nodeId
    }
  }
`;

/** Appends new messages to their branch. */
function learn(cache: Cache, answer: unknown): void {
  const { branch, messages, appended = [] } = (answer ?? {}) as Changed;
  if (!branch) return;
  const key = { __typename: 'Branch', nodeId: branch.nodeId };
  for (const { fieldName, fieldKey, arguments: page } of cache.inspectFields(key)) {
    if (fieldName !== 'messages' || page?.['before'] || page?.['around']) continue;
    const list = cache.resolve(key, fieldKey) as string;
    const edges = [...(cache.resolve(list, 'edges') as string[])];
    for (const message of messages ?? appended) {
      const last = edges.at(-1);
      const lastId = last === undefined ? null : cache.resolve(cache.resolve(last, 'node') as string, 'id');
      if (lastId !== message.parentId) continue;
      const edge = { __typename: 'MessageEdge', node: { __typename: 'Message', nodeId: message.nodeId } };
      cache.writeFragment(EDGE, edge);
      edges.push(cache.keyOfEntity(edge) as string);
    }
    cache.link(list, 'edges', edges);
  }
}

/** The update after a mutation that removes an object. */
function removal(mutation: string, typename: string): Record<string, UpdateResolver> {
  return { [mutation]: (result, _args, cache) => forget(cache, typename, result[mutation], 'deletedNodeId') };
}

function forget(cache: Cache, __typename: string, answer: unknown, field: string): void {
  const nodeId = (answer as DataFields | null)?.[field] as string | undefined;
  if (nodeId) cache.invalidate({ __typename, nodeId });
}
