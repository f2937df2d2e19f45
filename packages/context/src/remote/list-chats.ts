import { toListOptions } from '../store/asked-options.js';
import { checkCount } from '../counts.js';
import type { ChatData, ListChatsOptions } from '../store/store-data.js';
import { toStoredJson } from '../store/stored-json.js';
import type { Ask } from './graphql-client.js';
import { LIST_CHATS } from './operations.js';
import { toChatData, type ChatRow } from './rows.js';

/** The largest page of a list. */
const PAGE_SIZE = 1000;

interface ChatPage {
  edges: { node: ChatRow }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Reads chats, newest update first, page by page. */
export async function listChats(ask: Ask, options: ListChatsOptions): Promise<ChatData[]> {
  const { userId, includeShared = false, metadata, limit, offset = 0 } = toListOptions(options);
  const wanted = checkCount(offset, 'offset', 0) + (limit === undefined ? Infinity : checkCount(limit, 'limit', 0));
  const equals = toStoredJson(metadata?.value, 'metadata.value');
  const filter = { userId, includeShared, ...(metadata && { metadata: [{ key: metadata.key, equals }] }) };
  const chats: ChatRow[] = [];
  let after: string | null = null;
  // At least one request, so that an invalid filter fails also with a limit of 0.
  for (let hasMore = true; hasMore; hasMore &&= chats.length < wanted) {
    const first = Math.min(PAGE_SIZE, wanted - chats.length);
    const { edges, pageInfo }: ChatPage = await ask<ChatPage>('chats', LIST_CHATS, { filter, first, after });
    chats.push(...edges.map((edge) => edge.node));
    after = pageInfo.endCursor;
    hasMore = pageInfo.hasNextPage;
  }
  return chats.slice(offset).map(toChatData);
}
