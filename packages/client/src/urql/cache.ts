/** What urql's normalized cache has to know of Parley's graph. */
import { gql } from '@urql/core';
import type { SubscriptionForwarder } from '@urql/core';
import type { Cache, CacheExchangeOpts, DataFields, KeyGenerator } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { introspection } from '../generated/introspection.js';

const byNodeId: KeyGenerator = ({ nodeId }) => (nodeId as string | undefined) ?? null;
const noKey: KeyGenerator = () => null;

const keys = Object.fromEntries(
  introspection.__schema.types.flatMap(({ kind, name, fields }) =>
    kind === 'OBJECT' ? [[name, fields?.some((field) => field.name === 'nodeId') ? byNodeId : noKey] as const] : [],
  ),
);

/** For `cacheExchange(cacheOptions)`: unions and what may be null, keys, how pages are put together, and what a change changes. */
export const cacheOptions: CacheExchangeOpts = {
  schema: introspection as unknown as NonNullable<CacheExchangeOpts['schema']>,
  keys: {
    ...keys,
    // So that one can be put into a list. Do not select cursors of edges then: they are of one list each.
    MessageEdge: ({ node }) => (node as { nodeId?: string } | null)?.nodeId ?? null,
  },
  resolvers: {
    Query: { chats: relayPagination() },
    Branch: { messages: relayPagination() },
    Message: { path: relayPagination() },
  },
  updates: {
    Branch: {
      // The newest page, asked for anew, may begin further on: older ones would leave a gap.
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
      deleteBranch: ({ deleteBranch }, _args, cache) => forget(cache, 'Branch', deleteBranch, 'deletedBranchNodeId'),
      deleteCheckpoint: ({ deleteCheckpoint }, _args, cache) =>
        forget(cache, 'Checkpoint', deleteCheckpoint, 'deletedCheckpointNodeId'),
      deleteChat: ({ deleteChat }, _args, cache) => forget(cache, 'Chat', deleteChat, 'deletedChatNodeId'),
    },
    Subscription: {
      chatEvents: ({ chatEvents }, _args, cache) => learn(cache, chatEvents),
      branchHead: ({ branchHead }, _args, cache) => learn(cache, branchHead),
      chatChanges: ({ chatChanges }, _args, cache) => {
        if ((chatChanges as Told).kind === 'REMOVED') forget(cache, 'Chat', chatChanges, 'chatNodeId');
      },
    },
  },
};

/** What is read of a client of graphql-ws. */
export interface SubscribingSocket {
  subscribe(
    request: { query: string; variables?: Record<string, unknown> | undefined },
    sink: { next(value: object): void; error(error: unknown): void; complete(): void },
  ): () => void;
}

/**
 * For `subscriptionExchange({ forwardSubscription: forwardSubscription(socket) })`. At its end urql would write the last answer
 * of a subscription again, which is old by then; that it has ended is told by ChatDeleted.
 * @param socket of graphql-ws
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

/** What is read of a payload, and of what a subscription tells. */
interface Told {
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

/** Puts new messages behind the others of their branch. */
function learn(cache: Cache, answer: unknown): void {
  const { branch, messages, appended = [] } = (answer ?? {}) as Told;
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

function forget(cache: Cache, __typename: string, answer: unknown, field: string): void {
  const nodeId = (answer as DataFields | null)?.[field] as string | undefined;
  if (nodeId) cache.invalidate({ __typename, nodeId });
}
