import { ContextStore } from '../store/context-store.js';
import { toRemovableOwner } from '../store/asked-options.js';
import type {
  DraftData,
  DraftStanding,
  DraftUpdate,
  FollowDraftOptions,
  NewAnswerData,
  NewDraftData,
  StartedAnswer,
} from '../store/draft-data.js';
import type {
  BranchData,
  ChatData,
  ChatUpdates,
  CheckpointData,
  DeleteChatOptions,
  GraphData,
  ListChatsOptions,
  MessageData,
  NewBranchData,
  NewChatData,
  NewCheckpointData,
  NewMessageData,
  SavedMessages,
  SaveOptions,
  SearchResult,
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
  toStoredMessages,
  toStoredUpdates,
} from '../store/stored-json.js';
import { activateBranch } from '../store/branch-by-id.js';
import type { ChatFile, OpenRoute } from '@parley/transport/chat-files';
import type { FileData, FileOfMessage, ReadFileOptions } from '../file-data.js';
import { readFile, signFiles } from './files.js';
import { followDraft } from './follow-draft.js';
import { createGraphQLClient, type AskAll, type Follow, type GraphQLClientOptions } from './graphql-client.js';
import { compare, getGraph, getSourcePaths, listChats, searchChats, searchMessages } from './chat-reads.js';
import * as operations from './operations.js';
import { exportChats, importChats, type ExportOptions, type ImportOptions, type ImportTotals } from './transfer.js';
import {
  toBranchData,
  toChatData,
  toCheckpointData,
  toDraftData,
  toMessageData,
  type BranchRow,
  type ChatRow,
  type CheckpointRow,
  type DraftRow,
  type MessageRow,
} from './rows.js';
import { ServerCalls } from './server-calls.js';
import { toPlace, toPosition } from './positions.js';
import { saveAndStartDraft } from './start-answer.js';

/** Conversations on a running server, over GraphQL. It needs only fetch. */
export class RemoteStore extends ContextStore {
  readonly #calls: ServerCalls;
  readonly #askAll: AskAll;
  readonly #follow: Follow;
  readonly #open: OpenRoute;
  readonly #url: string | URL;

  constructor(options: GraphQLClientOptions) {
    super();
    const { ask, askAll, follow, open } = createGraphQLClient(options);
    this.#calls = new ServerCalls(ask);
    this.#askAll = askAll;
    this.#follow = follow;
    this.#open = open;
    this.#url = options.url;
  }

  /**
   * Exports chats as a file of any format that the server writes.
   * @throws ContextError NOT_FOUND for a missing chat
   */
  exportChats(options: ExportOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return exportChats(this.#open, options);
  }

  /**
   * Imports a file of any format that the server reads.
   * @throws ContextError UNAVAILABLE when the server stops before the end: the reported chats are imported, and importing the file
   *   again adds the rest
   */
  importChats(file: ChatFile, options: ImportOptions = {}): Promise<ImportTotals> {
    return importChats(this.#open, file, options);
  }

  override async createChat(chat: NewChatData): Promise<ChatData> {
    return this.#calls.changeChat(operations.CREATE_CHAT, toStoredChat(chat));
  }

  override async upsertChat(chat: NewChatData): Promise<ChatData> {
    return this.#calls.changeChat(operations.UPSERT_CHAT, toStoredChat(chat));
  }

  override async updateChat(chatId: string, updates: ChatUpdates): Promise<ChatData> {
    return this.#calls.changeChat(operations.UPDATE_CHAT, { chatId, ...toStoredUpdates(updates) });
  }

  override async getChat(chatId: string): Promise<ChatData | null> {
    const chat = await this.#calls.ask<ChatRow | null>('chat', operations.GET_CHAT, { chatId });
    return chat === null ? null : toChatData(chat);
  }

  override async listChats(options: ListChatsOptions = {}): Promise<ChatData[]> {
    return listChats(this.#calls.ask, options);
  }

  override async deleteChat(chatId: string, options: DeleteChatOptions = {}): Promise<boolean> {
    const userId = toRemovableOwner(options);
    if (userId !== undefined && (await this.getChat(chatId))?.userId !== userId) return false;
    return this.#calls.remove(operations.DELETE_CHAT, { chatId, permanently: true });
  }

  override async saveMessages(
    chatId: string,
    messages: readonly NewMessageData[],
    options: SaveOptions = {},
  ): Promise<SavedMessages> {
    const input = { chatId, messages: toStoredMessages(messages), ...toPlace(toSaveOptions(options)) };
    return this.#calls.save(operations.SAVE_MESSAGES, input);
  }

  override async getMessage(id: string): Promise<MessageData | null> {
    type Found = MessageRow & { chat: { id: string } };
    const found = await this.#calls.ask<Found | null>('message', operations.GET_MESSAGE, { id });
    if (found === null) return null;
    const { chat, ...message } = found;
    return toMessageData(message, chat.id);
  }

  override async getMessageChain(headMessageId: string): Promise<MessageData[]> {
    type Found = { chat: { id: string }; chain: MessageRow[] };
    const { chat, chain } = await this.#calls.ofMessage<Found>(operations.GET_CHAIN, headMessageId);
    return chain.map((message) => toMessageData(message, chat.id));
  }

  override async hasChildren(messageId: string): Promise<boolean> {
    return (await this.#calls.ofMessage<{ hasChildren: boolean }>(operations.HAS_CHILDREN, messageId)).hasChildren;
  }

  override async createBranch(branch: NewBranchData): Promise<BranchData> {
    const { chatId, headMessageId, name, isActive } = toStoredBranch(branch);
    const input = { chatId, at: toPosition(headMessageId), branchName: name };
    return this.#calls.changeBranch(isActive ? operations.REWIND : operations.BTW, input);
  }

  override setActiveBranch(chatId: string, branch: string): Promise<BranchData> {
    const activate = (name: string) => this.#calls.changeBranch(operations.SWITCH_BRANCH, { chatId, name });
    return activateBranch(this, { chatId, branch }, activate);
  }

  override renameBranch(chatId: string, name: string, newName: string): Promise<BranchData> {
    return this.#calls.changeBranch(operations.RENAME_BRANCH, { chatId, name, newName });
  }

  override deleteBranch(chatId: string, name: string): Promise<boolean> {
    return this.#calls.remove(operations.DELETE_BRANCH, { chatId, name });
  }

  override async getBranch(chatId: string, name: string): Promise<BranchData | null> {
    type Found = { branch: BranchRow | null };
    const chat = await this.#calls.ask<Found | null>('chat', operations.GET_BRANCH, { chatId, name });
    return chat?.branch == null ? null : toBranchData(chat.branch, chatId);
  }

  override async getActiveBranch(chatId: string): Promise<BranchData> {
    const { activeBranch } = await this.#calls.ofChat<{ activeBranch: BranchRow }>(operations.GET_ACTIVE_BRANCH, {
      chatId,
    });
    return toBranchData(activeBranch, chatId);
  }

  override async listBranches(chatId: string): Promise<BranchData[]> {
    const { graph } = await this.#calls.ofChat<{ graph: { branches: BranchRow[] } }>(operations.LIST_BRANCHES, {
      chatId,
    });
    return graph.branches.map((branch) => toBranchData(branch, chatId));
  }

  override async createCheckpoint(checkpoint: NewCheckpointData): Promise<CheckpointData> {
    type Payload = { checkpoint: CheckpointRow };
    const payload = await this.#calls.change<Payload>(operations.CREATE_CHECKPOINT, toStoredCheckpoint(checkpoint));
    return toCheckpointData(payload.checkpoint, checkpoint.chatId);
  }

  override async getCheckpoint(chatId: string, name: string): Promise<CheckpointData | null> {
    type Found = { checkpoint: CheckpointRow | null };
    const chat = await this.#calls.ask<Found | null>('chat', operations.GET_CHECKPOINT, { chatId, name });
    return chat?.checkpoint == null ? null : toCheckpointData(chat.checkpoint, chatId);
  }

  override async listCheckpoints(chatId: string): Promise<CheckpointData[]> {
    type Found = { graph: { checkpoints: CheckpointRow[] } };
    const { graph } = await this.#calls.ofChat<Found>(operations.LIST_CHECKPOINTS, { chatId });
    return graph.checkpoints.map((checkpoint) => toCheckpointData(checkpoint, chatId));
  }

  override deleteCheckpoint(chatId: string, name: string): Promise<boolean> {
    return this.#calls.remove(operations.DELETE_CHECKPOINT, { chatId, name });
  }

  override searchMessages(...asked: Parameters<ContextStore['searchMessages']>): Promise<SearchResult[]> {
    return searchMessages(this.#calls, ...asked);
  }

  override searchChats(...asked: Parameters<ContextStore['searchChats']>): Promise<SearchResult[]> {
    return searchChats(this.#calls, ...asked);
  }

  override compare(...places: Parameters<ContextStore['compare']>): ReturnType<ContextStore['compare']> {
    return compare(this.#calls, ...places);
  }

  override getSourcePaths(
    ...asked: Parameters<ContextStore['getSourcePaths']>
  ): ReturnType<ContextStore['getSourcePaths']> {
    return getSourcePaths(this.#calls, ...asked);
  }

  override getGraph(chatId: string): Promise<GraphData> {
    return getGraph(this.#calls, chatId);
  }

  override async startDraft(chatId: string, given: NewDraftData = {}): Promise<DraftData> {
    const input = { chatId, ...toPlace(toStoredDraft(given)) };
    const { draft } = await this.#calls.change<{ draft: DraftRow }>(operations.START_DRAFT, input);
    return toDraftData(draft, chatId);
  }

  override saveAndStartDraft(chatId: string, answer: NewAnswerData): Promise<StartedAnswer> {
    return saveAndStartDraft(this.#askAll, chatId, answer, (id) => this.discardDraft(chatId, id));
  }

  override async appendToDraft(
    chatId: string,
    id: string,
    offset: number,
    chunks: readonly unknown[],
  ): Promise<DraftStanding> {
    const input = { chatId, id, offset, chunks: toStoredChunks(chunks) };
    return (await this.#calls.change<{ draft: DraftStanding }>(operations.APPEND_TO_DRAFT, input)).draft;
  }

  override async finishDraft(chatId: string, id: string, given?: NewMessageData['content']): Promise<SavedMessages> {
    const content = given === undefined ? {} : { content: toStoredContent(given, 'content') };
    return this.#calls.save(operations.FINISH_DRAFT, { chatId, id, ...content });
  }

  override async stopDraft(chatId: string, id: string): Promise<DraftStanding> {
    return (await this.#calls.change<{ draft: DraftStanding }>(operations.STOP_DRAFT, { chatId, id })).draft;
  }

  override discardDraft(chatId: string, id: string): Promise<boolean> {
    return this.#calls.remove(operations.DISCARD_DRAFT, { chatId, id });
  }

  override async listDrafts(chatId: string): Promise<DraftData[]> {
    type Found = { drafts: { edges: { node: DraftRow }[] } };
    const { drafts } = await this.#calls.ofChat<Found>(operations.LIST_DRAFTS, { chatId });
    return drafts.edges.map(({ node }) => toDraftData(node, chatId));
  }

  override async *followDraft(
    chatId: string,
    id: string,
    options: FollowDraftOptions = {},
  ): AsyncGenerator<DraftUpdate, void> {
    const { signal = new AbortController().signal, ...place } = toFollowing(options);
    yield* followDraft(this.#follow, { chatId, id, ...place }, signal);
  }

  override readFile(file: FileOfMessage, { maxBytes = Infinity }: ReadFileOptions = {}): Promise<FileData | null> {
    return readFile(this.#open, file, maxBytes);
  }

  override signFiles(files: readonly FileOfMessage[]): Promise<(string | null)[]> {
    return signFiles(this.#open, this.#url, files);
  }
}
