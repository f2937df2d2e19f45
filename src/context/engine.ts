import pLimit from 'p-limit';
import { ContextError, invalid } from './errors.js';
import { isFragment, isMessageFragment, type ContextFragment } from './fragments/fragment.js';
import { readFragment } from './fragments/fragment-tree.js';
import { messageCodec } from './messages/codec.js';
import { checkMessage, decodePending, encodePending, WaitingMessage } from './messages/pending-message.js';
import type { ContextRenderer } from './renderers/context-renderer.js';
import { branchNotFound, checkpointNotFound, type ContextStore } from './store/context-store.js';
import {
  toBranchInfo,
  toCheckpointInfo,
  type BranchData,
  type BranchInfo,
  type ChatData,
  type CheckpointInfo,
  type MessageData,
} from './store/store-data.js';

export interface ContextEngineOptions {
  store: ContextStore;
  /** The chat to work on, made when there is none. */
  chatId: string;
  /** Whose chat it is. */
  userId: string;
  /** The branch to work on. @default the one that is active when the engine begins */
  branch?: string;
  /** Put into the chat's metadata when the engine begins, by RFC 7396 (JSON Merge Patch). */
  metadata?: Record<string, unknown>;
}

export interface ResolveOptions {
  /** How the fragments are written. */
  renderer: ContextRenderer;
}

/** What a model is called with. */
export interface ResolveResult {
  /** The fragments, rendered. */
  systemPrompt: string;
  /** Those of the branch, root first, and those that are pending, as their codecs decode them. */
  messages: unknown[];
}

export interface SaveResult {
  /** The branch that now ends in the last message: a new one, when a message was an edit of one in the chat. */
  branch: BranchInfo;
  /** As saved, in the order in which they were set. */
  messages: MessageData[];
  /** Whether the branch is new. */
  branched: boolean;
}

/**
 * Gathers what a model is told: fragments for the system prompt, which stay in memory, and messages, which save() puts into
 * the graph.
 *
 * An engine works on one branch. Others may write to it at the same time: saving appends to whatever is there, and resolving
 * reads the head anew. Its own calls take turns, in the order in which they were made.
 *
 * Methods reject with a ContextError. Whatever fails has written nothing and left the pending messages as they were.
 */
export class ContextEngine {
  readonly chatId: string;
  readonly userId: string;
  readonly #store: ContextStore;
  readonly #metadata: Record<string, unknown> | undefined;
  readonly #turn = pLimit(1);
  readonly #fragments: ContextFragment[] = [];
  #pending: readonly WaitingMessage[] = [];
  #branchName: string | undefined;
  #chat: ChatData | null = null;
  #branch: BranchData | null = null;

  /** @throws ContextError when chatId or userId is empty */
  constructor({ store, chatId, userId, branch, metadata }: ContextEngineOptions) {
    if (chatId === '') throw invalid('chatId must not be empty', 'chatId');
    if (userId === '') throw invalid('userId must not be empty', 'userId');
    this.#store = store;
    this.chatId = chatId;
    this.userId = userId;
    this.#branchName = branch;
    this.#metadata = metadata;
  }

  /** The name of the branch that the engine works on; 'main' until it has looked which is active. */
  get branch(): string {
    return this.#branchName ?? 'main';
  }

  /** The head of the branch when the engine last looked; null while the branch is empty, and before the first look. */
  get headMessageId(): string | null {
    return this.#branch?.headMessageId ?? null;
  }

  /** The chat when the engine last looked; null before the first look. */
  get chat(): ChatData | null {
    return this.#chat;
  }

  /** What goes into the system prompt. */
  get fragments(): readonly ContextFragment[] {
    return this.#fragments;
  }

  /** The messages that are not saved yet. */
  get pendingMessages(): readonly ContextFragment[] {
    return this.#pending.map(({ fragment }) => fragment);
  }

  /**
   * Takes fragments: messages wait for save(), all others are for the system prompt.
   * @throws ContextError that names the fragment and the reason; then none of them is taken
   */
  set(...fragments: ContextFragment[]): this {
    fragments.forEach((fragment, index) => checkFragment(fragment, index));
    const messages = fragments.filter(isMessageFragment).map((fragment) => new WaitingMessage(fragment));
    this.#pending = [...this.#pending, ...messages];
    this.#fragments.push(...fragments.filter((fragment) => !isMessageFragment(fragment)));
    return this;
  }

  /** What a model is called with: the rendered fragments, and the messages of the branch with the pending ones behind. */
  resolve({ renderer }: ResolveOptions): Promise<ResolveResult> {
    return this.#inTurn(async () => {
      const systemPrompt = renderer.render(this.#fragments);
      const { headMessageId } = await this.#refresh();
      const path = headMessageId === null ? [] : await this.#store.getMessageChain(headMessageId);
      const pending = this.#pending;
      const decoded = decodePending(path, pending);
      for (const [index, { id, isFirst }] of decoded.entries()) {
        const first = isFirst ? pending[index] : undefined;
        // The first assistant message keeps the id with which a model has seen it.
        if (first !== undefined) first.id = id;
      }
      const saved = path.map(({ data }) => messageCodec(data).decode());
      return { systemPrompt, messages: [...saved, ...decoded.map((each) => each.message)] };
    });
  }

  /**
   * Puts the pending messages into the graph, all or nothing, each behind the one before it, and the first at the end of the
   * branch. One whose id is in the chat already is another version of that message: it goes beside it, under a new id, on a
   * new branch, on which the engine goes on. Sent again with the same content, it is recognised and not written twice.
   */
  save(): Promise<SaveResult> {
    return this.#inTurn(async () => {
      const branch = await this.#begin();
      const pending = this.#pending;
      const messages = encodePending(pending.filter(({ fragment }) => fragment.persist !== false));
      const saved =
        messages.length === 0
          ? { branch, messages: [], branched: false }
          : await this.#store.saveMessages(this.chatId, messages, { branch: branch.name });
      this.#drop(pending);
      this.#goOn(saved.branch);
      return { ...saved, branch: toBranchInfo(saved.branch) };
    });
  }

  /**
   * Goes back to a message: a new active branch that ends there, on which the engine goes on. Nothing is deleted, but what was
   * pending when it was called was meant for the old branch, and is dropped.
   */
  rewind(messageId: string): Promise<BranchInfo> {
    return this.#leave(() => this.#newBranch(messageId, true));
  }

  /** A new branch at the head, for a question by the way. The engine stays where it is, and keeps what is pending. */
  btw(): Promise<BranchInfo> {
    return this.#inTurn(async () => {
      const { headMessageId } = await this.#refresh();
      if (headMessageId === null) throw invalid('Cannot create btw branch: no messages in conversation');
      return toBranchInfo(await this.#newBranch(headMessageId, false));
    });
  }

  /** Makes another branch the active one, on which the engine goes on. What was pending is dropped, as by rewind. */
  switchBranch(name: string): Promise<BranchInfo> {
    return this.#leave(() => this.#store.setActiveBranch(this.chatId, name));
  }

  /** Names the head, to come back to it. A checkpoint of this name is moved. */
  checkpoint(name: string): Promise<CheckpointInfo> {
    return this.#inTurn(async () => {
      const { headMessageId: messageId } = await this.#refresh();
      if (messageId === null) throw invalid('Cannot create checkpoint: no messages in conversation');
      return toCheckpointInfo(await this.#store.createCheckpoint({ chatId: this.chatId, name, messageId }));
    });
  }

  /** Goes back to a checkpoint, as rewind does to a message. */
  restore(name: string): Promise<BranchInfo> {
    return this.#leave(async () => {
      const checkpoint = await this.#store.getCheckpoint(this.chatId, name);
      if (checkpoint === null) throw checkpointNotFound(name, this.chatId);
      return this.#newBranch(checkpoint.messageId, true);
    });
  }

  /** Changes the chat's title, and its metadata by RFC 7396 (JSON Merge Patch): null removes a member. */
  updateChat({ title, metadata }: { title?: string | null; metadata?: Record<string, unknown> }): Promise<ChatData> {
    return this.#inTurn(async () => {
      await this.#begin();
      const updates = { ...(title !== undefined && { title }), ...(metadata && { metadataPatch: metadata }) };
      this.#chat = await this.#store.updateChat(this.chatId, updates);
      return this.#chat;
    });
  }

  /**
   * An engine with the same fragments and a chat of its own, without messages: for a side task that needs to know the same and
   * shall leave no trace in this conversation.
   * @param options in place of the same store, the same user, and a new chat
   */
  fork(options: Partial<ContextEngineOptions> = {}): ContextEngine {
    return new ContextEngine({
      store: this.#store,
      chatId: crypto.randomUUID(),
      userId: this.userId,
      ...options,
    }).set(...this.#fragments);
  }

  /** Runs a call when those before it are over. */
  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    return this.#turn(call);
  }

  /** The branch; the chat is made, and the branch looked up, when it is the first time. */
  async #begin(): Promise<BranchData> {
    if (this.#branch !== null) return this.#branch;
    const { chatId, userId } = this;
    // Before the chat is made: a branch that is not there shall leave none behind.
    if (this.branch !== 'main') await this.#lookUp(this.branch);
    const chat = await this.#store.upsertChat({
      id: chatId,
      userId,
      ...(this.#metadata && { metadata: this.#metadata }),
    });
    // The same answer as for a user who may not see it.
    if (chat.userId !== userId) throw new ContextError('ALREADY_EXISTS', `Chat "${chatId}" already exists`);
    this.#chat = this.#metadata ? await this.#store.updateChat(chatId, { metadataPatch: this.#metadata }) : chat;
    const branch = await this.#lookUp(this.#branchName);
    this.#goOn(branch);
    return branch;
  }

  /** The branch as it is now: others may have gone on. */
  async #refresh(): Promise<BranchData> {
    if (this.#branch === null) return this.#begin();
    this.#branch = await this.#lookUp(this.#branch.name);
    return this.#branch;
  }

  async #lookUp(name: string | undefined): Promise<BranchData> {
    if (name === undefined) return this.#store.getActiveBranch(this.chatId);
    const branch = await this.#store.getBranch(this.chatId, name);
    if (branch === null) throw branchNotFound(name, this.chatId);
    return branch;
  }

  #newBranch(headMessageId: string, isActive: boolean): Promise<BranchData> {
    return this.#store.createBranch({ chatId: this.chatId, headMessageId, isActive });
  }

  /** Goes over to the branch that a call answers, without what is pending now. */
  #leave(call: () => Promise<BranchData>): Promise<BranchInfo> {
    const pending = this.#pending;
    return this.#inTurn(async () => {
      await this.#begin();
      const branch = await call();
      this.#drop(pending);
      this.#goOn(branch);
      return toBranchInfo(branch);
    });
  }

  #goOn(branch: BranchData): void {
    this.#branch = branch;
    this.#branchName = branch.name;
  }

  /** Takes messages from those that are pending; what was set in the meantime stays. */
  #drop(messages: readonly WaitingMessage[]): void {
    const dropped = new Set(messages);
    this.#pending = this.#pending.filter((each) => !dropped.has(each));
  }
}

function checkFragment(fragment: ContextFragment, index: number): void {
  const path = String(index);
  // Plain JavaScript may give anything.
  if (isFragment(fragment) && isMessageFragment(fragment)) checkMessage(fragment, path);
  else readFragment(fragment, path);
}
