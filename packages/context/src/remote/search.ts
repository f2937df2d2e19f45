import { toChatsSearch, toSearch } from '../store/asked-options.js';
import type { SearchChatsOptions, SearchOptions, SearchResult } from '../store/store-data.js';
import { SEARCH, SEARCH_CHATS } from './operations.js';
import { toMessageData, type MessageRow } from './rows.js';
import type { ServerCalls } from './server-calls.js';

interface Hits<Row> {
  edges: { node: Omit<SearchResult, 'message'> & { message: Row } }[];
}

/** See ContextStore.searchMessages. */
export async function searchMessages(
  calls: ServerCalls,
  chatId: string,
  query: string,
  options: SearchOptions = {},
): Promise<SearchResult[]> {
  const variables = { chatId, query, ...toSearch(options) };
  const { search } = await calls.ofChat<{ search: Hits<MessageRow> }>(SEARCH, variables);
  return search.edges.map(({ node }) => ({ ...node, message: toMessageData(node.message, chatId) }));
}

/** See ContextStore.searchChats. */
export async function searchChats(
  calls: ServerCalls,
  userId: string,
  query: string,
  options: SearchChatsOptions = {},
): Promise<SearchResult[]> {
  const { first, ...among } = toChatsSearch(options);
  type Row = MessageRow & { chat: { id: string } };
  const found = await calls.ask<Hits<Row>>('search', SEARCH_CHATS, { query, first, filter: { userId, ...among } });
  return found.edges.map(({ node }) => {
    const { chat, ...row } = node.message;
    return { ...node, message: toMessageData(row, chat.id) };
  });
}
