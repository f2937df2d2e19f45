/** Shares of the hostile user: operations contain their names, because tokens are random. */
import { VIEWER } from '../../support/chats/large-chats.js';
import { bearer } from '../../support/server/tokens.js';
import { startWatched } from './server.js';

/** Tokens by name. */
export type Shares = ReadonlyMap<string, string>;

export interface SharedEnd {
  chatId: string;
  /** The last message of the shared path. */
  messageId: string;
}

const CREATE = `mutation Share($input: CreateShareInput!) {
  createShare(input: $input) { ... on SharePayload { share { token } } }
}`;

/** Creates shares of a database, with a server of its own: a smaller heap could refuse long ones. */
export async function sharesOn(databaseUrl: string, ends: ReadonlyMap<string, SharedEnd>): Promise<Shares> {
  const server = await startWatched(databaseUrl);
  try {
    return await createShares(server.url, ends);
  } finally {
    await server.stop();
  }
}

/** @throws Error if one is refused */
async function createShares(url: string, ends: ReadonlyMap<string, SharedEnd>): Promise<Shares> {
  const headers = { 'content-type': 'application/json', ...(await bearer(VIEWER.userId)) };
  const shares = new Map<string, string>();
  for (const [name, { chatId, messageId }] of ends) {
    const input = { chatId, place: { messageId }, includeReasoning: true, includeTools: true };
    const body = JSON.stringify({ query: CREATE, variables: { input } });
    const response = await (await fetch(url, { method: 'POST', headers, body })).text();
    const token = /parley_share_[\w-]+/.exec(response)?.[0];
    if (token === undefined) throw new Error(`${name} was refused: ${response.slice(0, 300)}`);
    shares.set(name, token);
  }
  return shares;
}

/** Replaces the names of shares in a request by their tokens. */
export function withTokens(request: string, shares: Shares): string {
  return request.replace(/share-[a-z]+-\d+/g, (name) => shares.get(name) ?? name);
}
