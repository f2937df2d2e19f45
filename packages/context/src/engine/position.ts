import { ContextError, invalid } from '../errors.js';
import { branchNotFound, type ContextStore } from '../store/context-store.js';
import { checkKnown } from '../store/known-fields.js';
import type { BranchData, ChatData } from '../store/store-data.js';

export interface ContextEngineOptions {
  store: ContextStore;
  /** The chat, which is created when it is missing. */
  chatId: string;
  /** The owner of the chat. */
  userId: string;
  /** The name of the branch. @default the active branch at the first request */
  branch?: string | undefined;
  /** Merged into the chat's metadata at the first request, by RFC 7396 (JSON Merge Patch). */
  metadata?: Record<string, unknown> | undefined;
}

/** The position of an engine: its chat, and its branch with the head of the last request. */
export class Position {
  chat: ChatData | null = null;
  #branch: BranchData | null = null;

  constructor(private readonly options: ContextEngineOptions) {}

  /** The name of the branch; 'main' before the first request finds the active one. */
  get branchName(): string {
    return this.#branch?.name ?? this.options.branch ?? 'main';
  }

  /** undefined before the first request. */
  get branchId(): string | undefined {
    return this.#branch?.id;
  }

  get headMessageId(): string | null {
    return this.#branch?.headMessageId ?? null;
  }

  /** The branch; the first call reads it, and creates a missing chat. */
  async begin(): Promise<BranchData> {
    if (this.#branch !== null) return this.#branch;
    const { store, chatId, userId, metadata } = this.options;
    // Before the chat is created: a missing branch must not leave an empty chat.
    if (this.branchName !== 'main') await this.#lookUp();
    return this.#enter(await store.upsertChat({ id: chatId, userId, ...(metadata && { metadata }) }));
  }

  /** The branch; null for a missing chat, which is not created. */
  async find(): Promise<BranchData | null> {
    if (this.#branch !== null) return this.#branch;
    const chat = await this.options.store.getChat(this.options.chatId);
    return chat == null ? null : this.#enter(chat);
  }

  /** Reads the branch again, because other writers can have moved its head. */
  async refresh(): Promise<BranchData> {
    if (this.#branch === null) return this.begin();
    this.#branch = await this.#lookUp();
    return this.#branch;
  }

  /** Reads the branch again; null for a missing chat, which is not created. */
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
    const { store, chatId, branch: requested } = this.options;
    const name = this.#branch?.name ?? requested;
    if (name === undefined) {
      // A store of your own can leave the first branch to the engine.
      const active = (await store.getActiveBranch(chatId)) as BranchData | null | undefined;
      return active ?? store.createBranch({ chatId, headMessageId: null, name: 'main', isActive: true });
    }
    const branch = await store.getBranch(chatId, name);
    const own = this.#branch?.id;
    if (branch != null && (own === undefined || branch.id === own)) return branch;
    // The branch can have been renamed, and another one can have its name.
    const renamed = own === undefined ? undefined : (await store.listBranches(chatId)).find(({ id }) => id === own);
    if (renamed === undefined) throw branchNotFound(name, chatId);
    return renamed;
  }

  #checkOwner({ userId }: ChatData): void {
    const { chatId } = this.options;
    // The same error as for a chat that the user cannot access.
    if (userId !== this.options.userId) throw new ContextError('ALREADY_EXISTS', `Chat "${chatId}" already exists`);
  }
}

/** Arguments are unchecked when called from JavaScript. */
export function checkOptions(options: ContextEngineOptions): void {
  const { store, chatId, userId } = checkKnown(options, ['store', 'chatId', 'userId', 'branch', 'metadata']);
  if (typeof (store as Partial<ContextStore> | undefined)?.upsertChat !== 'function') {
    throw invalid('store must be a ContextStore', 'store');
  }
  for (const [path, value] of Object.entries({ chatId, userId })) {
    if (typeof value !== 'string' || value === '') throw invalid(`${path} must be a text that is not empty`, path);
  }
}
