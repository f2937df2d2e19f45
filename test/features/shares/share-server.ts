/** A server with shares, for tests. */
import { startWithChats, type Headers, type TokenServer } from '../../auth/access-tokens.js';
import { bearer } from '../../support/server/tokens.js';

export const CREATE_SHARE = `mutation ($input: CreateShareInput!) {
  result: createShare(input: $input) {
    __typename
    ... on SharePayload {
      share { id token title contentHash createdAt expiresAt chat { id } message { id } }
    }
    ... on InvalidInputError { path }
    ... on Error { code message }
  }
}`;

export const SHARED = `query ($token: String!, $first: Int, $after: String, $last: Int, $before: String) {
  shared(token: $token) {
    title contentHash sharedAt messageCount
    messages(first: $first, after: $after, last: $last, before: $before) {
      totalCount
      edges { cursor node { ...Shown } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
}
fragment Shown on SharedMessage { name type data text createdAt depth }`;

export interface NewShare {
  id: string;
  token: string;
  title: string | null;
  contentHash: string;
  createdAt: string;
  expiresAt: string | null;
}

export interface ShownMessage {
  name: string;
  type: string;
  data: unknown;
  text: string;
  createdAt: string;
  depth: number;
}

export interface ShownPath {
  title: string | null;
  contentHash: string;
  sharedAt: string;
  messageCount: number;
  messages: {
    totalCount: number;
    edges: { cursor: string; node: ShownMessage }[];
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  };
}

export interface ShareServer extends TokenServer {
  alice: Headers;
  /** The share of a chat of alice, `one` by default. */
  share(input?: object): Promise<NewShare>;
  /** The share as a reader without credentials sees it. */
  shown(token: string, page?: object): Promise<ShownPath | null>;
  /** Appends messages to a branch of alice. */
  save(chatId: string, messages: object[], branch?: string): Promise<void>;
}

/** A server with chats `one` and `two` of alice, and `other` of bob, each with one message. */
export async function startWithShares(options: Parameters<typeof startWithChats>[0] = {}): Promise<ShareServer> {
  const server = await startWithChats(options);
  const alice = await bearer('alice');
  return {
    ...server,
    alice,
    share: async (input = {}) => {
      const answer = await server.as(alice, CREATE_SHARE, { input: { chatId: 'one', ...input } });
      const { share } = (answer.data?.['result'] ?? {}) as { share?: NewShare };
      if (share === undefined) throw new Error(JSON.stringify(answer));
      return share;
    },
    shown: async (token, page = {}) => {
      const { data, errors } = await server.as({}, SHARED, { token, ...page });
      if (errors !== undefined) throw new Error(JSON.stringify(errors));
      return data!['shared'] as ShownPath | null;
    },
    save: async (chatId, messages, branch) => {
      const input = { chatId, messages, ...(branch !== undefined && { branch }) };
      const { data } = await server.as(
        alice,
        'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename ... on Error { message } } }',
        { input },
      );
      const result = data?.['saveMessages'] as { __typename: string };
      if (result.__typename !== 'SaveMessagesPayload') throw new Error(JSON.stringify(result));
    },
  };
}
