/** Reads of chats that a store checks or converts: lists, searches, comparisons and graphs. */
import { newestMerges } from '../messages/source-messages.js';
import { toPathLength, toPlace, toChatsSearch, toSearch, toListOptions } from '../store/asked-options.js';
import {
  toBranchInfo,
  toCheckpointInfo,
  type GraphData,
  type MessageData,
  type SourcePathData,
  type ComparisonData,
  type PlaceData,
  type SearchChatsOptions,
  type SearchOptions,
  type SearchResult,
  type ChatData,
  type ListChatsOptions,
} from '../store/store-data.js';
import { GET_GRAPH, GET_MERGES, GET_SOURCE_PATHS, COMPARE, SEARCH, SEARCH_CHATS, LIST_CHATS } from './operations.js';
import {
  toBranchData,
  toCheckpointData,
  toGraphNode,
  toMessageData,
  type BranchRow,
  type CheckpointRow,
  type GraphNodeRow,
  type MessageRow,
  toChatData,
  type ChatRow,
} from './rows.js';
import type { ServerCalls } from './server-calls.js';
import { checkCount } from '../counts.js';
import { toStoredJson } from '../store/stored-json.js';
import type { Ask } from './graphql-client.js';

/** See ContextStore.getGraph. */
export async function getGraph(calls: ServerCalls, chatId: string): Promise<GraphData> {
  type Found = { graph: { nodes: GraphNodeRow[]; branches: BranchRow[]; checkpoints: CheckpointRow[] } };
  const { graph } = await calls.ofChat<Found>(GET_GRAPH, { chatId });
  return {
    nodes: graph.nodes.map(toGraphNode),
    branches: graph.branches.map((branch) => toBranchInfo(toBranchData(branch, chatId))),
    checkpoints: graph.checkpoints.map((each) => toCheckpointInfo(toCheckpointData(each, chatId))),
  };
}

/** See ContextStore.getSourcePaths. A message with sources is the first one of a segment. */
export async function getSourcePaths(
  calls: ServerCalls,
  messages: readonly MessageData[],
  length: number,
): Promise<SourcePathData[]> {
  toPathLength(length);
  const [first] = messages;
  if (first === undefined) return [];
  const { chatId } = first;
  type Found = { outline: { segments: { firstId: string; sourceIds: string[] }[] } };
  const { outline } = await calls.ofChat<Found>(GET_MERGES, { chatId });
  const merged = outline.segments.filter(({ sourceIds }) => sourceIds.length > 0);
  const merges = newestMerges(messages, new Map(merged.map(({ firstId, sourceIds }) => [firstId, sourceIds])));
  const paths = merges.map(async ({ messageId }) => {
    type Sources = { sources: { id: string; chain: MessageRow[] }[] };
    const { sources } = await calls.ofMessage<Sources>(GET_SOURCE_PATHS, messageId, { length });
    return sources.map(({ id: sourceId, chain }) => ({
      messageId,
      sourceId,
      path: chain.map((message) => toMessageData(message, chatId)),
    }));
  });
  return (await Promise.all(paths)).flat();
}

type ComparisonRow = Omit<ComparisonData, 'base' | 'head' | 'commonAncestor'> & {
  base: MessageRow;
  head: MessageRow;
  commonAncestor: MessageRow | null;
};

/** See ContextStore.compare. */
export async function compare(
  calls: ServerCalls,
  chatId: string,
  base: PlaceData,
  head: PlaceData,
): Promise<ComparisonData | null> {
  const places = { base: toPlace(base, 'base'), head: toPlace(head, 'head') };
  const { compare: row } = await calls.ofChat<{ compare: ComparisonRow | null }>(COMPARE, { chatId, ...places });
  if (row === null) return null;
  return {
    ...row,
    base: toMessageData(row.base, chatId),
    head: toMessageData(row.head, chatId),
    commonAncestor: row.commonAncestor && toMessageData(row.commonAncestor, chatId),
  };
}

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
