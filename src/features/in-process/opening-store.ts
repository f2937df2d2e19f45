import { ContextError, ContextStore, type DraftUpdate, type FollowDraftOptions } from '@parley/context';
import { openContextStore } from './open-context-store.js';
import { checkStoreOptions, type OpenContextStoreOptions } from './store-options.js';

/** The names of the methods of stores that return a promise. */
type Promising = {
  [Name in keyof ContextStore]: ContextStore[Name] extends (...given: never[]) => Promise<unknown> ? Name : never;
}[keyof ContextStore];

const FORWARDED = {
  createChat: true,
  upsertChat: true,
  getChat: true,
  updateChat: true,
  listChats: true,
  deleteChat: true,
  saveMessages: true,
  addMessage: true,
  getMessage: true,
  getMessageChain: true,
  getMessages: true,
  hasChildren: true,
  readFile: true,
  signFiles: true,
  createBranch: true,
  getBranch: true,
  getActiveBranch: true,
  setActiveBranch: true,
  updateBranchHead: true,
  renameBranch: true,
  deleteBranch: true,
  listBranches: true,
  createCheckpoint: true,
  getCheckpoint: true,
  listCheckpoints: true,
  deleteCheckpoint: true,
  searchMessages: true,
  searchChats: true,
  compare: true,
  getSourcePaths: true,
  getGraph: true,
  startDraft: true,
  saveAndStartDraft: true,
  appendToDraft: true,
  finishDraft: true,
  stopDraft: true,
  discardDraft: true,
  listDrafts: true,
} satisfies Record<Exclude<Promising, 'close'>, true>;

/** A class without abstract methods: OpeningStore defines them from FORWARDED. */
const Forwarding = ContextStore as unknown as new () => Pick<ContextStore, keyof typeof FORWARDED>;

/** A store that opens its database at the first call. A failed opening is repeated by the next call. */
export abstract class OpeningStore extends Forwarding {
  #opened: Promise<ContextStore> | undefined;
  #isClosed = false;

  static {
    for (const name of Object.keys(FORWARDED) as (keyof typeof FORWARDED)[]) {
      const forward = async function (this: OpeningStore, ...given: unknown[]): Promise<unknown> {
        const store = await this.#store();
        return (store[name] as (...given: unknown[]) => Promise<unknown>)(...given);
      };
      Object.defineProperty(this.prototype, name, { value: forward, configurable: true, writable: true });
    }
  }

  /** @throws ContextError for a wrong option */
  constructor(private readonly options: OpenContextStoreOptions) {
    super();
    checkStoreOptions(options);
  }

  async *followDraft(chatId: string, id: string, options?: FollowDraftOptions): AsyncGenerator<DraftUpdate, void> {
    yield* (await this.#store()).followDraft(chatId, id, options);
  }

  async close(): Promise<void> {
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
