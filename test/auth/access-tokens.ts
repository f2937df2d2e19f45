/** Calls of a server with access tokens, for tests. */
import type { FormattedExecutionResult } from 'graphql';
import { startListening, type ListeningServer } from '../support/server/listening-server.js';
import { AUTH, bearer } from '../support/server/tokens.js';

export type Headers = Record<string, string>;

export interface TokenServer extends ListeningServer {
  origin: string;
  /** The result of a document. */
  as(headers: Headers, query: string, variables?: object): Promise<FormattedExecutionResult>;
  /** The response to a request of another route. */
  route(headers: Headers, path: string, init?: RequestInit): Promise<Response>;
  /** The headers of a new access token, and its id. */
  token(of: Headers, input?: object): Promise<{ id: string; headers: Headers }>;
}

export const CREATE = `mutation ($input: CreateAccessTokenInput!) {
  createAccessToken(input: $input) {
    __typename
    ... on AccessTokenPayload { accessToken { id name scopes chatId token createdAt lastUsedAt expiresAt } }
    ... on InvalidInputError { path message }
    ... on Error { message }
  }
}`;

/** A server with chats `one` and `two` of alice, and `other` of bob. */
export async function startWithChats(options: Parameters<typeof startListening>[0] = {}): Promise<TokenServer> {
  const server = await startListening({ auth: AUTH, ...options });
  const { origin } = new URL(server.url);
  const as: TokenServer['as'] = (headers, query, variables) => server.ask(query, variables, headers);
  for (const [userId, chatId] of [
    ['alice', 'one'],
    ['alice', 'two'],
    ['bob', 'other'],
  ] as const) {
    await as(
      await bearer(userId),
      `mutation { createChat(input: { id: "${chatId}" }) { __typename }
        saveMessages(input: { chatId: "${chatId}", messages: [{ id: "${chatId}-1", name: "user", content: { text: "words in ${chatId}" } }] }) { __typename } }`,
    );
  }
  return {
    ...server,
    origin,
    as,
    route: (headers, path, init = {}) =>
      fetch(`${origin}${path}`, { ...init, headers: { ...init.headers, ...headers } }),
    token: async (of, input = {}) => {
      const { data, errors } = await as(of, CREATE, { input: { name: 'script', ...input } });
      if (errors !== undefined) throw new Error(JSON.stringify(errors));
      const { accessToken } = data!['createAccessToken'] as { accessToken: { id: string; token: string } };
      return { id: accessToken.id, headers: { authorization: `Bearer ${accessToken.token}` } };
    },
  };
}
