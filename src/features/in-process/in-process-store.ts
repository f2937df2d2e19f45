import type {
  BranchData,
  ChatData,
  ChatUpdates,
  CheckpointData,
  ContextStore,
  NewBranchData,
  NewChatData,
  NewCheckpointData,
  NewMessageData,
  SavedMessages,
  SaveOptions,
} from '@parley/context';
import {
  activateBranch,
  toSaveOptions,
  toStoredBranch,
  toStoredChat,
  toStoredCheckpoint,
  toStoredMessages,
  toStoredUpdates,
} from '@parley/context/server';
import { deleteBranch, renameBranch } from '../../conversation/branches/branches.js';
import { createChat, updateChat, upsertChat } from '../../conversation/chats.js';
import { createCheckpoint, deleteCheckpoint } from '../../conversation/branches/checkpoints.js';
import { btw, rewind, switchBranch } from '../../conversation/branches/rewind.js';
import { saveMessages } from '../../conversation/saving/save.js';
import type { SaveOutcome } from '../../conversation/saving/save-plan.js';
import type { ConversationStore } from '../../conversation/store.js';
import type { OpenFeature, StoreBase } from '../../feature.js';
import { InProcessReads, type InProcessReadsOptions } from './in-process-reads.js';
import { toBranchData, toChatData, toCheckpointData, toMessageData } from './rows.js';
import { isFound, toContextError } from './store-errors.js';

export interface InProcessStoreOptions extends InProcessReadsOptions {
  store: ConversationStore;
  /** The features in the database. */
  features: readonly Pick<OpenFeature, 'contextStore'>[];
  /** Frees the resources that were opened for the store. @default none are freed */
  close?: () => Promise<void>;
}

/** Conversations in the database of this process, by the same rules as the server's. */
export class InProcessStore extends InProcessReads {
  /** A feature adds it. */
  declare deleteChat: ContextStore['deleteChat'];
  readonly #store: ConversationStore;
  readonly #close: () => Promise<void>;

  constructor({ store, features, close = async () => {}, ...options }: InProcessStoreOptions) {
    super(options);
    this.#store = store;
    this.#close = close;
    const base: StoreBase = {
      ...options,
      store,
      run: (work) => this.run(work),
      requireChat: (id) => this.requireChat(id),
      isFound,
      toError: toContextError,
      toMessage: toMessageData,
      toBranch: toBranchData,
    };
    for (const each of features) Object.assign(this, each.contextStore?.(base));
  }

  override createChat(chat: NewChatData): Promise<ChatData> {
    return this.run(async () => toChatData(await createChat(this.#store, this.viewer, toStoredChat(chat))));
  }

  override upsertChat(chat: NewChatData): Promise<ChatData> {
    return this.run(async () => toChatData((await upsertChat(this.#store, this.viewer, toStoredChat(chat))).chat));
  }

  override updateChat(chatId: string, updates: ChatUpdates): Promise<ChatData> {
    return this.run(async () =>
      toChatData(await updateChat(this.#store, this.viewer, { id: chatId, ...toStoredUpdates(updates) })),
    );
  }

  override saveMessages(
    chatId: string,
    messages: readonly NewMessageData[],
    options: SaveOptions = {},
  ): Promise<SavedMessages> {
    return this.run(async () => {
      const stored = [];
      for (const message of toStoredMessages(messages))
        stored.push(await this.files.withStored({ viewer: this.viewer }, message));
      const request = { chatId, messages: stored, ...toSaveOptions(options) };
      return toSaved(await saveMessages(this.#store, this.viewer, request));
    });
  }

  override createBranch(asked: NewBranchData): Promise<BranchData> {
    return this.run(async () => {
      const { chatId, headMessageId, name, isActive } = toStoredBranch(asked);
      const create = isActive ? rewind : btw;
      const request = { chatId, messageId: headMessageId, branchName: name };
      return toBranchData((await create(this.#store, this.viewer, request)).branch);
    });
  }

  override setActiveBranch(chatId: string, branch: string): Promise<BranchData> {
    return activateBranch(this, { chatId, branch }, (name) =>
      this.run(async () => toBranchData((await switchBranch(this.#store, this.viewer, { chatId, name })).branch)),
    );
  }

  override createCheckpoint(request: NewCheckpointData): Promise<CheckpointData> {
    return this.run(async () =>
      toCheckpointData((await createCheckpoint(this.#store, this.viewer, toStoredCheckpoint(request))).checkpoint),
    );
  }

  override renameBranch(chatId: string, name: string, newName: string): Promise<BranchData> {
    return this.run(async () =>
      toBranchData((await renameBranch(this.#store, this.viewer, { chatId, name, newName })).branch),
    );
  }

  override deleteBranch(chatId: string, name: string): Promise<boolean> {
    return this.run(() => isFound(() => deleteBranch(this.#store, this.viewer, { chatId, name })));
  }

  override deleteCheckpoint(chatId: string, name: string): Promise<boolean> {
    return this.run(() => isFound(() => deleteCheckpoint(this.#store, this.viewer, { chatId, name })));
  }

  override close(): Promise<void> {
    return this.#close();
  }
}

function toSaved({ branch, messages, branched }: SaveOutcome): SavedMessages {
  return { branch: toBranchData(branch), messages: messages.map(toMessageData), branched };
}
