import { ContextError, DraftOffsetError, type ContextErrorCode } from '../errors.js';
import { isRecord } from '../record.js';
import { chatNotFound, ContextStore, messageNotFound } from '../store/context-store.js';
import { toListOptions, toRemovableOwner, toSearch } from '../store/asked-options.js';
import { checkCount } from '../store/counts.js';
import type {
  DraftData,
  DraftStanding,
  DraftUpdate,
  FollowDraftOptions,
  NewAnswerData,
  NewDraftData,
  StartedAnswer,
} from '../store/draft-data.js';
import {
  toBranchInfo,
  toCheckpointInfo,
  type BranchData,
  type ChatData,
  type ChatUpdates,
  type CheckpointData,
  type DeleteChatOptions,
  type GraphData,
  type ListChatsOptions,
  type MessageData,
  type NewBranchData,
  type NewChatData,
  type NewCheckpointData,
  type NewMessageData,
  type SavedMessages,
  type SaveOptions,
  type SearchOptions,
  type SearchResult,
} from '../store/store-data.js';
import {
  toFollowing,
  toSaveOptions,
  toStoredBranch,
  toStoredChat,
  toStoredCheckpoint,
  toStoredChunks,
  toStoredContent,
  toStoredDraft,
  toStoredJson,
  toStoredMessages,
  toStoredUpdates,
} from '../store/stored-json.js';
import type { ChatFile, OpenRoute } from '@parley/transport/chat-files';
import { followDraft } from './follow-draft.js';
import {
  createGraphQLClient,
  type Ask,
  type AskAll,
  type Follow,
  type GraphQLClientOptions,
} from './graphql-client.js';
import * as operations from './operations.js';
import { exportChats, importChats, type ExportOptions, type ImportOptions, type ImportTotals } from './transfer.js';
import {
  toBranchData,
  toChatData,
  toCheckpointData,
  toDraftData,
  toGraphNode,
  toMessageData,
  type BranchRow,
  type ChatRow,
  type CheckpointRow,
  type DraftRow,
  type GraphNodeRow,
  type MessageRow,
} from './rows.js';

/** What a mutation answers: its payload, or why nothing was written. */
type Outcome<Payload> =
  | Payload
  | {
      code: Exclude<ContextErrorCode, 'UNAVAILABLE' | 'INTERNAL'>;
      message: string;
      path?: string | null;
      length?: number;
    };

/** The largest page of a list. */
const PAGE_SIZE = 1000;

/** Conversations on a running server, over GraphQL: for an agent anywhere, with nothing but fetch. */
export class RemoteStore extends ContextStore {
  readonly #ask: Ask;
  readonly #askAll: AskAll;
  readonly #follow: Follow;
  readonly #open: OpenRoute;

  constructor(options: GraphQLClientOptions) {
    super();
    const { ask, askAll, follow, open } = createGraphQLClient(options);
    this.#ask = ask;
    this.#askAll = askAll;
    this.#follow = follow;
    this.#open = open;
  }

  /**
   * Takes chats away, as a file of any format that the server writes.
   * @throws ContextError NOT_FOUND when there is no such chat
   */
  exportChats(options: ExportOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return exportChats(this.#open, options);
  }

  /**
   * Brings a file of any format that the server reads.
   * @throws ContextError UNAVAILABLE when the server stops before its end: what was told is imported, and the same file again adds
   *   the rest
   */
  importChats(file: ChatFile, options: ImportOptions = {}): Promise<ImportTotals> {
    return importChats(this.#open, file, options);
  }

  override createChat(chat: NewChatData): Promise<ChatData> {
    return this.#changeChat(operations.CREATE_CHAT, () => toStoredChat(chat));
  }

  override upsertChat(chat: NewChatData): Promise<ChatData> {
    return this.#changeChat(operations.UPSERT_CHAT, () => toStoredChat(chat));
  }

  override updateChat(chatId: string, updates: ChatUpdates): Promise<ChatData> {
    return this.#changeChat(operations.UPDATE_CHAT, () => ({ id: chatId, ...toStoredUpdates(updates) }));
  }

  override async getChat(chatId: string): Promise<ChatData | null> {
    const chat = await this.#ask<ChatRow | null>('chat', operations.GET_CHAT, { chatId });
    return chat === null ? null : toChatData(chat);
  }

  override async listChats(options: ListChatsOptions = {}): Promise<ChatData[]> {
    const { userId, metadata, limit, offset = 0 } = toListOptions(options);
    const wanted = checkCount(offset, 'offset', 0) + (limit === undefined ? Infinity : checkCount(limit, 'limit', 0));
    const equals = toStoredJson(metadata?.value, 'metadata.value');
    const filter = { userId, ...(metadata && { metadata: [{ key: metadata.key, equals }] }) };
    const chats: ChatRow[] = [];
    let after: string | null = null;
    // At least once, so that what is wrong with the filter is told also when nothing is wanted.
    for (let hasMore = true; hasMore; hasMore &&= chats.length < wanted) {
      const first = Math.min(PAGE_SIZE, wanted - chats.length);
      const { edges, pageInfo }: ChatPage = await this.#chatPage({ filter, first, after });
      chats.push(...edges.map((edge) => edge.node));
      after = pageInfo.endCursor;
      hasMore = pageInfo.hasNextPage;
    }
    return chats.slice(offset).map(toChatData);
  }

  override async deleteChat(chatId: string, options: DeleteChatOptions = {}): Promise<boolean> {
    const userId = toRemovableOwner(options);
    if (userId !== undefined && (await this.getChat(chatId))?.userId !== userId) return false;
    return this.#remove(operations.DELETE_CHAT, { id: chatId });
  }

  override async saveMessages(
    chatId: string,
    messages: readonly NewMessageData[],
    options: SaveOptions = {},
  ): Promise<SavedMessages> {
    const input = { chatId, messages: toStoredMessages(messages), ...toSaveOptions(options) };
    return toSaved(await this.#change<Saved>(operations.SAVE_MESSAGES, input), chatId);
  }

  override async getMessage(id: string): Promise<MessageData | null> {
    type Found = MessageRow & { chat: { id: string } };
    const message = await this.#ask<Found | null>('message', operations.GET_MESSAGE, { id });
    return message === null ? null : toMessageData(message, message.chat.id);
  }

  override async getMessageChain(headMessageId: string): Promise<MessageData[]> {
    type Found = { chat: { id: string }; chain: MessageRow[] };
    const { chat, chain } = await this.#ofMessage<Found>(operations.GET_CHAIN, headMessageId);
    return chain.map((message) => toMessageData(message, chat.id));
  }

  override async hasChildren(messageId: string): Promise<boolean> {
    return (await this.#ofMessage<{ hasChildren: boolean }>(operations.HAS_CHILDREN, messageId)).hasChildren;
  }

  override async createBranch(asked: NewBranchData): Promise<BranchData> {
    const { chatId, headMessageId, name, isActive } = toStoredBranch(asked);
    const input = { chatId, messageId: headMessageId, branchName: name };
    return this.#changeBranch(isActive ? operations.REWIND : operations.BTW, input);
  }

  override setActiveBranch(chatId: string, name: string): Promise<BranchData> {
    return this.#changeBranch(operations.SWITCH_BRANCH, { chatId, name });
  }

  override renameBranch(chatId: string, name: string, newName: string): Promise<BranchData> {
    return this.#changeBranch(operations.RENAME_BRANCH, { chatId, name, newName });
  }

  override deleteBranch(chatId: string, name: string): Promise<boolean> {
    return this.#remove(operations.DELETE_BRANCH, { chatId, name });
  }

  override async getBranch(chatId: string, name: string): Promise<BranchData | null> {
    type Found = { branch: BranchRow | null };
    const chat = await this.#ask<Found | null>('chat', operations.GET_BRANCH, { chatId, name });
    return chat?.branch == null ? null : toBranchData(chat.branch, chatId);
  }

  override async getActiveBranch(chatId: string): Promise<BranchData> {
    const { activeBranch } = await this.#ofChat<{ activeBranch: BranchRow }>(operations.GET_ACTIVE_BRANCH, { chatId });
    return toBranchData(activeBranch, chatId);
  }

  override async listBranches(chatId: string): Promise<BranchData[]> {
    const { graph } = await this.#ofChat<{ graph: { branches: BranchRow[] } }>(operations.LIST_BRANCHES, { chatId });
    return graph.branches.map((branch) => toBranchData(branch, chatId));
  }

  override async createCheckpoint(checkpoint: NewCheckpointData): Promise<CheckpointData> {
    type Payload = { checkpoint: CheckpointRow };
    const payload = await this.#change<Payload>(operations.CREATE_CHECKPOINT, toStoredCheckpoint(checkpoint));
    return toCheckpointData(payload.checkpoint, checkpoint.chatId);
  }

  override async getCheckpoint(chatId: string, name: string): Promise<CheckpointData | null> {
    type Found = { checkpoint: CheckpointRow | null };
    const chat = await this.#ask<Found | null>('chat', operations.GET_CHECKPOINT, { chatId, name });
    return chat?.checkpoint == null ? null : toCheckpointData(chat.checkpoint, chatId);
  }

  override async listCheckpoints(chatId: string): Promise<CheckpointData[]> {
    type Found = { graph: { checkpoints: CheckpointRow[] } };
    const { graph } = await this.#ofChat<Found>(operations.LIST_CHECKPOINTS, { chatId });
    return graph.checkpoints.map((checkpoint) => toCheckpointData(checkpoint, chatId));
  }

  override deleteCheckpoint(chatId: string, name: string): Promise<boolean> {
    return this.#remove(operations.DELETE_CHECKPOINT, { chatId, name });
  }

  override async searchMessages(chatId: string, query: string, options: SearchOptions = {}): Promise<SearchResult[]> {
    type Found = { search: { edges: { node: { rank: number; snippet: string; message: MessageRow } }[] } };
    const variables = { chatId, query, ...toSearch(options) };
    const { search } = await this.#ofChat<Found>(operations.SEARCH, variables);
    return search.edges.map(({ node: { message, rank, snippet } }) => ({
      message: toMessageData(message, chatId),
      rank,
      snippet,
    }));
  }

  override async getGraph(chatId: string): Promise<GraphData> {
    type Found = { graph: { nodes: GraphNodeRow[]; branches: BranchRow[]; checkpoints: CheckpointRow[] } };
    const { graph } = await this.#ofChat<Found>(operations.GET_GRAPH, { chatId });
    return {
      nodes: graph.nodes.map(toGraphNode),
      branches: graph.branches.map((branch) => toBranchInfo(toBranchData(branch, chatId))),
      checkpoints: graph.checkpoints.map((each) => toCheckpointInfo(toCheckpointData(each, chatId))),
    };
  }

  override async startDraft(chatId: string, asked: NewDraftData = {}): Promise<DraftData> {
    const input = { chatId, ...toStoredDraft(asked) };
    const { draft } = await this.#change<{ draft: DraftRow }>(operations.START_DRAFT, input);
    return toDraftData(draft, chatId);
  }

  override async saveAndStartDraft(
    chatId: string,
    { userId, message, place, draft: asked }: NewAnswerData,
  ): Promise<StartedAnswer> {
    const save = { chatId, messages: toStoredMessages([message]), ...toSaveOptions({ ...place, onConflict: 'FORK' }) };
    const draft = { chatId, ...toStoredDraft({ ...asked, parentId: message.id }) };
    type Started = { draft: DraftRow & { parent: { id: string; chain: MessageRow[] } } };
    type Results = { chat?: Outcome<object>; saved: Outcome<Saved>; draft: Outcome<Started> };
    const chat = userId === undefined ? { id: chatId } : toStoredChat({ id: chatId, userId });
    const variables = { chat, isNew: userId !== undefined, save, draft };
    const results = await this.#askAll<Results>(operations.SAVE_AND_START_DRAFT, variables);
    if (results.chat !== undefined) payloadOf(results.chat);
    const saved = toSaved(payloadOf(results.saved), chatId);
    // A refused draft is started again, or refused again, by itself.
    const started = isRecord(results.draft) && 'draft' in results.draft ? results.draft.draft : null;
    if (saved.messages[0]?.id === message.id && started !== null) {
      const path = started.parent.chain.map((each) => toMessageData(each, chatId));
      return { saved, draft: toDraftData(started, chatId), path };
    }
    // It was started after the message that was edited.
    if (started !== null) await this.discardDraft(chatId, asked.id);
    return { saved, draft: null, path: [] };
  }

  override async appendToDraft(
    chatId: string,
    id: string,
    offset: number,
    chunks: readonly unknown[],
  ): Promise<DraftStanding> {
    const input = { chatId, id, offset, chunks: toStoredChunks(chunks) };
    return (await this.#change<{ draft: DraftStanding }>(operations.APPEND_TO_DRAFT, input)).draft;
  }

  override async finishDraft(chatId: string, id: string, asked?: NewMessageData['content']): Promise<SavedMessages> {
    const content = asked === undefined ? {} : { content: toStoredContent(asked, 'content') };
    return toSaved(await this.#change<Saved>(operations.FINISH_DRAFT, { chatId, id, ...content }), chatId);
  }

  override async stopDraft(chatId: string, id: string): Promise<DraftStanding> {
    return (await this.#change<{ draft: DraftStanding }>(operations.STOP_DRAFT, { chatId, id })).draft;
  }

  override discardDraft(chatId: string, id: string): Promise<boolean> {
    return this.#remove(operations.DISCARD_DRAFT, { chatId, id });
  }

  override async listDrafts(chatId: string): Promise<DraftData[]> {
    const { drafts } = await this.#ofChat<{ drafts: DraftRow[] }>(operations.LIST_DRAFTS, { chatId });
    return drafts.map((draft) => toDraftData(draft, chatId));
  }

  override async *followDraft(
    chatId: string,
    id: string,
    options: FollowDraftOptions = {},
  ): AsyncGenerator<DraftUpdate, void> {
    const { signal = new AbortController().signal, ...place } = toFollowing(options);
    yield* followDraft(this.#follow, { chatId, id, ...place }, signal);
  }

  #chatPage(variables: Record<string, unknown>): Promise<ChatPage> {
    return this.#ask<ChatPage>('chats', operations.LIST_CHATS, variables);
  }

  async #changeChat(mutation: string, input: () => object): Promise<ChatData> {
    return toChatData((await this.#change<{ chat: ChatRow }>(mutation, input())).chat);
  }

  async #changeBranch(mutation: string, input: { chatId: string; [field: string]: unknown }): Promise<BranchData> {
    return toBranchData((await this.#change<{ branch: BranchRow }>(mutation, input)).branch, input.chatId);
  }

  async #change<Payload extends object>(mutation: string, input: object): Promise<Payload> {
    return payloadOf(await this.#ask<Outcome<Payload>>('result', mutation, { input }));
  }

  /** Whether there was something to remove. */
  async #remove(mutation: string, input: object): Promise<boolean> {
    try {
      await this.#change(mutation, input);
      return true;
    } catch (error) {
      if (error instanceof ContextError && error.code === 'NOT_FOUND') return false;
      throw error;
    }
  }

  async #ofChat<Found>(query: string, variables: { chatId: string }): Promise<Found> {
    const chat = await this.#ask<Found | null>('chat', query, variables);
    if (chat === null) throw chatNotFound(variables.chatId);
    return chat;
  }

  async #ofMessage<Found>(query: string, id: string): Promise<Found> {
    const message = await this.#ask<Found | null>('message', query, { id });
    if (message === null) throw messageNotFound(id);
    return message;
  }
}

interface ChatPage {
  edges: { node: ChatRow }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

interface Saved {
  branch: BranchRow;
  messages: MessageRow[];
  branched: boolean;
}

/** @throws ContextError with the reason of a mutation that has written nothing */
function payloadOf<Payload extends object>(result: Outcome<Payload>): Payload {
  if (!isRecord(result)) throw new ContextError('INTERNAL', 'The server returned no result of a mutation');
  if (!('code' in result)) return result;
  const { code, message, path = null, length } = result;
  throw length === undefined ? new ContextError(code, message, path) : new DraftOffsetError(message, length);
}

function toSaved({ branch, messages, branched }: Saved, chatId: string): SavedMessages {
  return {
    branch: toBranchData(branch, chatId),
    messages: messages.map((message) => toMessageData(message, chatId)),
    branched,
  };
}
