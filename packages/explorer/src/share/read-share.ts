/** Reads a share. The token is sent in the body: URLs are logged. */

export interface SharedMessage {
  name: string;
  text: string;
  data: unknown;
  createdAt: string;
  depth: number;
}

export interface SharedPart {
  title: string | null;
  sharedAt: string;
  messageCount: number;
  messages: {
    edges: { node: SharedMessage }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

const MESSAGES_AT_ONCE = 100;

const DOCUMENT = `query Shared($token: String!, $first: Int!, $after: String) {
  shared(token: $token) {
    title
    sharedAt
    messageCount
    messages(first: $first, after: $after) {
      edges { node { name text data createdAt depth } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

/**
 * @param after the end of the messages before; null for the first ones
 * @returns null for a token that is invalid, expired or revoked
 * @throws Error with a text for the reader
 */
export async function readShare(
  token: string,
  after: string | null,
  signal: AbortSignal,
  first: number = MESSAGES_AT_ONCE,
): Promise<SharedPart | null> {
  const body = JSON.stringify({ query: DOCUMENT, variables: { token, first, after } });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/graphql', { method: 'POST', headers, body, signal });
  const { data, errors } = (await response.json()) as {
    data?: { shared: SharedPart | null };
    errors?: { message: string }[];
  };
  if (data === undefined || errors !== undefined) throw new Error(errors?.[0]?.message ?? `HTTP ${response.status}`);
  return data.shared;
}
