/** Reads a share. The token is sent in the body: URLs are logged. */

export interface SharedMessage {
  name: string;
  text: string;
  data: unknown;
  createdAt: string;
  depth: number;
}

/** A path of a share: the one that opens first, or that of another branch. */
export interface SharedBranch {
  key: string;
  name: string | null;
  messageCount: number;
  /** The key of an earlier branch; null for none. */
  forkOf: string | null;
  /** The number of messages that both have. */
  forkPlace: number;
}

export interface SharedPart {
  title: string | null;
  sharedBy: string | null;
  sharedAt: string;
  messageCount: number;
  branches: SharedBranch[];
  messages: {
    edges: { node: SharedMessage }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

const MESSAGES_AT_ONCE = 100;

const DOCUMENT = `query Shared($token: String!, $branch: String, $first: Int!, $after: String) {
  shared(token: $token, branch: $branch) {
    title
    sharedBy
    sharedAt
    messageCount
    branches { key name messageCount forkOf forkPlace }
    messages(first: $first, after: $after) {
      edges { node { name text data createdAt depth } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

/**
 * @param branch the key of a branch; null for the path that opens first
 * @param after the end of the messages before; null for the first ones
 * @returns null for a token that is invalid, expired or revoked
 * @throws Error with a text for the reader
 */
export async function readShare(
  token: string,
  { branch, after }: { branch: string | null; after: string | null },
  signal: AbortSignal,
): Promise<SharedPart | null> {
  const body = JSON.stringify({ query: DOCUMENT, variables: { token, branch, first: MESSAGES_AT_ONCE, after } });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/graphql', { method: 'POST', headers, body, signal });
  const { data, errors } = (await response.json()) as {
    data?: { shared: SharedPart | null };
    errors?: { message: string }[];
  };
  if (data === undefined || errors !== undefined) throw new Error(errors?.[0]?.message ?? `HTTP ${response.status}`);
  return data.shared;
}
