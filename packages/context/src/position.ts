import { ContextError } from './errors.js';
import { branchNotFound, type ContextStore } from './store/context-store.js';
import type { BranchData, ChatData } from './store/store-data.js';

export interface ContextEngineOptions {
  store: ContextStore;
  /** The chat to work on, made when there is none. */
  chatId: string;
  /** Whose chat it is. */
  userId: string;
  /** The branch to work on. @default the one that is active when the engine begins */
  branch?: string | undefined;
  /** Put into the chat's metadata when the engine begins, by RFC 7396 (JSON Merge Patch). */
  metadata?: Record<string, unknown> | undefined;
}

/** Where an engine is: its chat, and its branch with the head that it last saw. */
export class Position {
  chat: ChatData | null = null;
  #branch: BranchData | null = null;

  constructor(private readonly options: ContextEngineOptions) {}

  /** The name of the branch; 'main' until it was looked up which is active. */
  get branchName(): string {
    return this.#branch?.name ?? this.options.branch ?? 'main';
  }

  /** undefined until it was looked up. */
  get branchId(): string | undefined {
    return this.#branch?.id;
  }

  get headMessageId(): string | null {
    return this.#branch?.headMessageId ?? null;
  }

  /** The branch, which is looked up, and its chat made, when it is the first time. */
  async begin(): Promise<BranchData> {
    if (this.#branch !== null) return this.#branch;
    const { store, chatId, userId, metadata } = this.options;
    // Before the chat is made: a branch that is not there shall leave none behind.
    if (this.branchName !== 'main') await this.#lookUp();
    return this.#enter(await store.upsertChat({ id: chatId, userId, ...(metadata && { metadata }) }));
  }

  /** The branch, unless its chat is not there: then null, and none is made. */
  async find(): Promise<BranchData | null> {
    if (this.#branch !== null) return this.#branch;
    const chat = await this.options.store.getChat(this.options.chatId);
    return chat === null ? null : this.#enter(chat);
  }

  /** The branch as it is now: others may have gone on. */
  async refresh(): Promise<BranchData> {
    if (this.#branch === null) return this.begin();
    this.#branch = await this.#lookUp();
    return this.#branch;
  }

  /** The branch as it is now, unless its chat is not there: then null, and none is made. */
  async current(): Promise<BranchData | null> {
    return this.#branch === null ? this.find() : this.refresh();
  }

  moveTo(branch: BranchData): void {
    this.#branch = branch;
  }

  async #enter(chat: ChatData): Promise<BranchData> {
    const { store, chatId, metadata } = this.options;
    this.#checkOwner(chat);
    const branch = await this.#lookUp();
    this.chat = metadata ? await store.updateChat(chatId, { metadataPatch: metadata }) : chat;
    this.#branch = branch;
    return branch;
  }

  async #lookUp(): Promise<BranchData> {
    const { store, chatId, branch: asked } = this.options;
    const name = this.#branch?.name ?? asked;
    if (name === undefined) return store.getActiveBranch(chatId);
    const branch = await store.getBranch(chatId, name);
    const own = this.#branch?.id;
    if (branch !== null && (own === undefined || branch.id === own)) return branch;
    // Its own may be called otherwise by now, and another one as it was.
    const renamed = own === undefined ? undefined : (await store.listBranches(chatId)).find(({ id }) => id === own);
    if (renamed === undefined) throw branchNotFound(name, chatId);
    return renamed;
  }

  #checkOwner({ userId }: ChatData): void {
    const { chatId } = this.options;
    // The same answer as for a user who may not see it.
    if (userId !== this.options.userId) throw new ContextError('ALREADY_EXISTS', `Chat "${chatId}" already exists`);
  }
}
