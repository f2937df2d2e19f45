import {
  ContextError,
  ContextStore,
  type BranchData,
  type ChatData,
  type ChatUpdates,
  type CheckpointData,
  type DeleteChatOptions,
  type DraftData,
  type DraftStanding,
  type DraftUpdate,
  type FollowDraftOptions,
  type GraphData,
  type ListChatsOptions,
  type MessageData,
  type NewBranchData,
  type NewChatData,
  type NewCheckpointData,
  type NewDraftData,
  type NewMessageData,
  type SavedMessages,
  type SaveOptions,
  type SearchOptions,
  type SearchResult,
} from '@parley/context';
import {
  chatNotFound,
  messageNotFound,
  toListOptions,
  toRemovableOwner,
  toSearch,
  toBranchInfo,
  toCheckpointInfo,
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
} from '@parley/context/server';
import { isPossibleId } from '../conversation/bounds.js';
import { deleteBranch, renameBranch } from '../conversation/branches/branches.js';
import { createChat, deleteChat, updateChat, upsertChat } from '../conversation/chats.js';
import { createCheckpoint, deleteCheckpoint } from '../conversation/branches/checkpoints.js';
import { appendToDraft, discardDraft, stopDraft } from '../conversation/drafts/change-draft.js';
import { draftState, type Draft } from '../conversation/drafts/draft.js';
import { finishDraft } from '../conversation/drafts/finish-draft.js';
import { startDraft } from '../conversation/drafts/start-draft.js';
import type { Chat, Message, Viewer } from '../conversation/model.js';
import { mayAccess } from '../conversation/ownership.js';
import { WHOLE_LIST } from '../conversation/paging.js';
import type { ConversationReads } from '../conversation/reads.js';
import { btw, rewind, switchBranch } from '../conversation/branches/rewind.js';
import { saveMessages } from '../conversation/saving/save.js';
import type { SaveOutcome } from '../conversation/saving/save-plan.js';
import type { ConversationStore } from '../conversation/store.js';
import type { DraftFeeds } from '../events/drafts/draft-feeds.js';
import { followDraft } from './follow-draft.js';
import { listChats } from './list-chats.js';
import { toBranchData, toChatData, toCheckpointData, toDraftData, toGraphNode, toMessageData } from './rows.js';
import { searchChat } from './search-chat.js';
import { asContextErrors, isFound, toContextError } from './store-errors.js';

export interface InProcessStoreOptions {
  store: ConversationStore;
  reads: ConversationReads;
  /** What those follow drafts with who are in this process. */
  drafts: DraftFeeds;
  /** Who reads and writes: what is not theirs is not there. */
  viewer: Viewer;
  /** Frees what was opened for it. @default nothing was */
  close?: () => Promise<void>;
  /** Whether the database is closed. @default it never is */
  isClosed?: () => boolean;
}

/** Conversations in the database of this process, on the same rules as the server's. */
export class InProcessStore extends ContextStore {
  readonly #store: ConversationStore;
  readonly #reads: ConversationReads;
  readonly #drafts: DraftFeeds;
  readonly #viewer: Viewer;
  readonly #close: () => Promise<void>;
  readonly #isClosed: () => boolean;

  constructor({ store, reads, drafts, viewer, close = async () => {}, isClosed = () => false }: InProcessStoreOptions) {
    super();
    this.#store = store;
    this.#reads = reads;
    this.#drafts = drafts;
    this.#viewer = viewer;
    this.#close = close;
    this.#isClosed = isClosed;
  }

  override createChat(chat: NewChatData): Promise<ChatData> {
    return this.#run(async () => toChatData(await createChat(this.#store, this.#viewer, toStoredChat(chat))));
  }

  override upsertChat(chat: NewChatData): Promise<ChatData> {
    return this.#run(async () => toChatData((await upsertChat(this.#store, this.#viewer, toStoredChat(chat))).chat));
  }

  override getChat(chatId: string): Promise<ChatData | null> {
    return this.#run(async () => {
      const chat = await this.#chat(chatId);
      return chat === null ? null : toChatData(chat);
    });
  }

  override updateChat(chatId: string, updates: ChatUpdates): Promise<ChatData> {
    return this.#run(async () =>
      toChatData(await updateChat(this.#store, this.#viewer, { id: chatId, ...toStoredUpdates(updates) })),
    );
  }

  override listChats(options: ListChatsOptions = {}): Promise<ChatData[]> {
    return this.#run(async () => (await listChats(this.#reads, this.#viewer, toListOptions(options))).map(toChatData));
  }

  override deleteChat(chatId: string, options: DeleteChatOptions = {}): Promise<boolean> {
    return this.#run(async () => {
      const userId = toRemovableOwner(options);
      if (userId !== undefined && (await this.#chat(chatId))?.userId !== userId) return false;
      return isFound(() => deleteChat(this.#store, this.#viewer, chatId));
    });
  }

  override saveMessages(
    chatId: string,
    messages: readonly NewMessageData[],
    options: SaveOptions = {},
  ): Promise<SavedMessages> {
    return this.#run(async () => {
      const request = { chatId, messages: toStoredMessages(messages), ...toSaveOptions(options) };
      return toSaved(await saveMessages(this.#store, this.#viewer, request));
    });
  }

  override getMessage(messageId: string): Promise<MessageData | null> {
    return this.#run(async () => {
      const message = await this.#message(messageId);
      return message === null ? null : toMessageData(message);
    });
  }

  override getMessageChain(headMessageId: string): Promise<MessageData[]> {
    return this.#run(async () => {
      const head = await this.#message(headMessageId);
      if (head === null) throw messageNotFound(headMessageId);
      const [chain = []] = await this.#reads.chains([
        { chatId: head.chatId, messageId: headMessageId, length: head.depth + 1 },
      ]);
      return chain.map(toMessageData);
    });
  }

  override hasChildren(messageId: string): Promise<boolean> {
    return this.#run(async () => {
      const message = await this.#message(messageId);
      if (message === null) throw messageNotFound(messageId);
      const [count = 0] = await this.#reads.childCounts([{ chatId: message.chatId, parentId: messageId }]);
      return count > 0;
    });
  }

  override createBranch(asked: NewBranchData): Promise<BranchData> {
    return this.#run(async () => {
      const { chatId, headMessageId, name, isActive } = toStoredBranch(asked);
      const create = isActive ? rewind : btw;
      const request = { chatId, messageId: headMessageId, branchName: name };
      return toBranchData((await create(this.#store, this.#viewer, request)).branch);
    });
  }

  override getBranch(chatId: string, name: string): Promise<BranchData | null> {
    return this.#run(async () => {
      if ((await this.#chat(chatId)) === null || !isPossibleId(name)) return null;
      const [branch] = await this.#reads.branchesByName([{ chatId, name }]);
      return branch == null ? null : toBranchData(branch);
    });
  }

  override getActiveBranch(chatId: string): Promise<BranchData> {
    return this.#run(async () => {
      await this.#requireChat(chatId);
      const [branch] = await this.#reads.activeBranches([chatId]);
      if (branch === undefined) throw chatNotFound(chatId);
      return toBranchData(branch);
    });
  }

  override setActiveBranch(chatId: string, name: string): Promise<BranchData> {
    return this.#run(async () =>
      toBranchData((await switchBranch(this.#store, this.#viewer, { chatId, name })).branch),
    );
  }

  override listBranches(chatId: string): Promise<BranchData[]> {
    return this.#run(async () => {
      await this.#requireChat(chatId);
      return (await this.#reads.branchPages([chatId], WHOLE_LIST)).flatMap(({ rows }) => rows.map(toBranchData));
    });
  }

  override createCheckpoint(request: NewCheckpointData): Promise<CheckpointData> {
    return this.#run(async () =>
      toCheckpointData((await createCheckpoint(this.#store, this.#viewer, toStoredCheckpoint(request))).checkpoint),
    );
  }

  override getCheckpoint(chatId: string, name: string): Promise<CheckpointData | null> {
    return this.#run(async () => {
      if ((await this.#chat(chatId)) === null || !isPossibleId(name)) return null;
      const [checkpoint] = await this.#reads.checkpointsByName([{ chatId, name }]);
      return checkpoint == null ? null : toCheckpointData(checkpoint);
    });
  }

  override listCheckpoints(chatId: string): Promise<CheckpointData[]> {
    return this.#run(async () => {
      await this.#requireChat(chatId);
      return (await this.#reads.checkpointPages([chatId], WHOLE_LIST)).flatMap(({ rows }) =>
        rows.map(toCheckpointData),
      );
    });
  }

  override renameBranch(chatId: string, name: string, newName: string): Promise<BranchData> {
    return this.#run(async () =>
      toBranchData((await renameBranch(this.#store, this.#viewer, { chatId, name, newName })).branch),
    );
  }

  override deleteBranch(chatId: string, name: string): Promise<boolean> {
    return this.#run(() => isFound(() => deleteBranch(this.#store, this.#viewer, { chatId, name })));
  }

  override deleteCheckpoint(chatId: string, name: string): Promise<boolean> {
    return this.#run(() => isFound(() => deleteCheckpoint(this.#store, this.#viewer, { chatId, name })));
  }

  override searchMessages(chatId: string, query: string, options: SearchOptions = {}): Promise<SearchResult[]> {
    return this.#run(async () => {
      const asked = toSearch(options);
      await this.#requireChat(chatId);
      return searchChat(this.#reads, chatId, { query, ...asked });
    });
  }

  override getGraph(chatId: string): Promise<GraphData> {
    return this.#run(async () => {
      await this.#requireChat(chatId);
      const [[nodes = []], branches, checkpoints] = await Promise.all([
        this.#reads.graphs([chatId]),
        this.listBranches(chatId),
        this.listCheckpoints(chatId),
      ]);
      return {
        nodes: nodes.map(toGraphNode),
        branches: branches.map(toBranchInfo),
        checkpoints: checkpoints.map(toCheckpointInfo),
      };
    });
  }

  override startDraft(chatId: string, draft: NewDraftData = {}): Promise<DraftData> {
    return this.#run(async () => {
      const request = { chatId, ...toStoredDraft(draft) };
      return toDraftData(await startDraft(this.#store, this.#viewer, request), this.#store.now());
    });
  }

  override appendToDraft(
    chatId: string,
    id: string,
    offset: number,
    chunks: readonly unknown[],
  ): Promise<DraftStanding> {
    return this.#run(async () => {
      const request = { chatId, id, offset, chunks: toStoredChunks(chunks) };
      return this.#standing(await appendToDraft(this.#store, this.#viewer, request));
    });
  }

  override finishDraft(chatId: string, id: string, asked?: NewMessageData['content']): Promise<SavedMessages> {
    return this.#run(async () => {
      const content = asked && (toStoredContent(asked, 'content') as { text?: string; data?: unknown });
      return toSaved(await finishDraft(this.#store, this.#viewer, { chatId, id, content }));
    });
  }

  override stopDraft(chatId: string, id: string): Promise<DraftStanding> {
    return this.#run(async () => this.#standing(await stopDraft(this.#store, this.#viewer, { chatId, id })));
  }

  override discardDraft(chatId: string, id: string): Promise<boolean> {
    return this.#run(() => isFound(() => discardDraft(this.#store, this.#viewer, { chatId, id })));
  }

  override listDrafts(chatId: string): Promise<DraftData[]> {
    return this.#run(async () => {
      await this.#requireChat(chatId);
      const [drafts = []] = await this.#reads.drafts([chatId]);
      return drafts.map((draft) => toDraftData(draft, this.#store.now()));
    });
  }

  override async *followDraft(
    chatId: string,
    id: string,
    options: FollowDraftOptions = {},
  ): AsyncGenerator<DraftUpdate, void> {
    const { signal, ...place } = await this.#run(async () => toFollowing(options));
    await this.#run(() => this.#requireChat(chatId));
    try {
      yield* followDraft({ drafts: this.#drafts, reads: this.#reads }, { chatId, id, ...place }, signal);
    } catch (error) {
      throw toContextError(error);
    }
  }

  override close(): Promise<void> {
    return this.#close();
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    return asContextErrors(async () => {
      if (this.#isClosed()) throw new ContextError('UNAVAILABLE', 'The store is closed');
      return work();
    });
  }

  #standing(draft: Draft): DraftStanding {
    return { length: draft.length, state: draftState(draft, this.#store.now()) };
  }

  async #chat(id: string): Promise<Chat | null> {
    const [found] = isPossibleId(id) ? await this.#reads.chats([id]) : [];
    return found != null && mayAccess(this.#viewer, found.chat) ? found.chat : null;
  }

  async #requireChat(id: string): Promise<void> {
    if ((await this.#chat(id)) === null) throw chatNotFound(id);
  }

  /** Resolves an id that a caller gives: null unless the viewer may read its chat. */
  async #message(id: string): Promise<Message | null> {
    const [message] = isPossibleId(id) ? await this.#reads.messagesById([id]) : [];
    return message != null && (await this.#chat(message.chatId)) !== null ? message : null;
  }
}

function toSaved({ branch, messages, branched }: SaveOutcome): SavedMessages {
  return { branch: toBranchData(branch), messages: messages.map(toMessageData), branched };
}
