import { ContextError, ContextStore, type DraftUpdate, type FollowDraftOptions } from '@parley/context';
import { openContextStore } from './open-context-store.js';
import { checkStoreOptions, type OpenContextStoreOptions } from './store-options.js';

/** The arguments of a method of stores. */
type Given<Name extends keyof ContextStore> = Parameters<ContextStore[Name]>;

/** A store that opens its database at the first call. A failed opening is repeated by the next call. */
export abstract class OpeningStore extends ContextStore {
  #opened: Promise<ContextStore> | undefined;
  #isClosed = false;

  /** @throws ContextError for a wrong option */
  constructor(private readonly options: OpenContextStoreOptions) {
    super();
    checkStoreOptions(options);
  }

  override async createChat(...given: Given<'createChat'>) {
    return (await this.#store()).createChat(...given);
  }
  override async upsertChat(...given: Given<'upsertChat'>) {
    return (await this.#store()).upsertChat(...given);
  }
  override async getChat(...given: Given<'getChat'>) {
    return (await this.#store()).getChat(...given);
  }
  override async updateChat(...given: Given<'updateChat'>) {
    return (await this.#store()).updateChat(...given);
  }
  override async listChats(...given: Given<'listChats'>) {
    return (await this.#store()).listChats(...given);
  }
  override async deleteChat(...given: Given<'deleteChat'>) {
    return (await this.#store()).deleteChat(...given);
  }
  override async saveMessages(...given: Given<'saveMessages'>) {
    return (await this.#store()).saveMessages(...given);
  }
  override async addMessage(...given: Given<'addMessage'>) {
    return (await this.#store()).addMessage(...given);
  }
  override async getMessage(...given: Given<'getMessage'>) {
    return (await this.#store()).getMessage(...given);
  }
  override async getMessageChain(...given: Given<'getMessageChain'>) {
    return (await this.#store()).getMessageChain(...given);
  }
  override async readFile(...given: Given<'readFile'>) {
    return (await this.#store()).readFile(...given);
  }
  override async hasChildren(...given: Given<'hasChildren'>) {
    return (await this.#store()).hasChildren(...given);
  }
  override async getMessages(...given: Given<'getMessages'>) {
    return (await this.#store()).getMessages(...given);
  }
  override async createBranch(...given: Given<'createBranch'>) {
    return (await this.#store()).createBranch(...given);
  }
  override async getBranch(...given: Given<'getBranch'>) {
    return (await this.#store()).getBranch(...given);
  }
  override async getActiveBranch(...given: Given<'getActiveBranch'>) {
    return (await this.#store()).getActiveBranch(...given);
  }
  override async setActiveBranch(...given: Given<'setActiveBranch'>) {
    return (await this.#store()).setActiveBranch(...given);
  }
  override async renameBranch(...given: Given<'renameBranch'>) {
    return (await this.#store()).renameBranch(...given);
  }
  override async deleteBranch(...given: Given<'deleteBranch'>) {
    return (await this.#store()).deleteBranch(...given);
  }
  override async listBranches(...given: Given<'listBranches'>) {
    return (await this.#store()).listBranches(...given);
  }
  override async createCheckpoint(...given: Given<'createCheckpoint'>) {
    return (await this.#store()).createCheckpoint(...given);
  }
  override async getCheckpoint(...given: Given<'getCheckpoint'>) {
    return (await this.#store()).getCheckpoint(...given);
  }
  override async listCheckpoints(...given: Given<'listCheckpoints'>) {
    return (await this.#store()).listCheckpoints(...given);
  }
  override async deleteCheckpoint(...given: Given<'deleteCheckpoint'>) {
    return (await this.#store()).deleteCheckpoint(...given);
  }
  override async searchMessages(...given: Given<'searchMessages'>) {
    return (await this.#store()).searchMessages(...given);
  }
  override async compare(...given: Given<'compare'>) {
    return (await this.#store()).compare(...given);
  }
  override async getSourcePaths(...given: Given<'getSourcePaths'>) {
    return (await this.#store()).getSourcePaths(...given);
  }
  override async getGraph(...given: Given<'getGraph'>) {
    return (await this.#store()).getGraph(...given);
  }
  override async startDraft(...given: Given<'startDraft'>) {
    return (await this.#store()).startDraft(...given);
  }
  override async saveAndStartDraft(...given: Given<'saveAndStartDraft'>) {
    return (await this.#store()).saveAndStartDraft(...given);
  }
  override async appendToDraft(...given: Given<'appendToDraft'>) {
    return (await this.#store()).appendToDraft(...given);
  }
  override async finishDraft(...given: Given<'finishDraft'>) {
    return (await this.#store()).finishDraft(...given);
  }
  override async stopDraft(...given: Given<'stopDraft'>) {
    return (await this.#store()).stopDraft(...given);
  }
  override async discardDraft(...given: Given<'discardDraft'>) {
    return (await this.#store()).discardDraft(...given);
  }
  override async listDrafts(...given: Given<'listDrafts'>) {
    return (await this.#store()).listDrafts(...given);
  }
  override async *followDraft(
    chatId: string,
    id: string,
    options?: FollowDraftOptions,
  ): AsyncGenerator<DraftUpdate, void> {
    yield* (await this.#store()).followDraft(chatId, id, options);
  }

  override async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#opened?.catch(() => undefined))?.close();
  }

  async #store(): Promise<ContextStore> {
    if (this.#isClosed) throw new ContextError('UNAVAILABLE', 'The store is closed');
    return (this.#opened ??= openContextStore(this.options).catch((cause: unknown) => {
      this.#opened = undefined;
      if (cause instanceof ContextError) throw cause;
      throw new ContextError('UNAVAILABLE', cause instanceof Error ? cause.message : String(cause), null, { cause });
    }));
  }
}
