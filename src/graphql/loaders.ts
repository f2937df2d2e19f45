import DataLoader from 'dataloader';
import type { Branch, Chat, ChatEvent, Checkpoint, Message } from '../conversation/model.js';
import type { PageRequest, Slice } from '../conversation/paging.js';
import type {
  ChainKey,
  ConversationReads,
  GraphRow,
  GraphKey,
  HitSlice,
  JsonList,
  JsonMember,
  NameKey,
  ParentKey,
  PathKey,
  Search,
  SeqRange,
} from '../conversation/reads.js';

/** One loader for everything that a list could ask for row by row: one batch a tick, each key once an operation. */
export class Loaders {
  readonly chat: DataLoader<string, Chat | null>;
  readonly message: DataLoader<string, Message | null>;
  readonly branch: DataLoader<string, Branch | null>;
  readonly checkpoint: DataLoader<string, Checkpoint | null>;

  // Of a chat, by its id.
  readonly activeBranch: DataLoader<string, Branch>;
  readonly messageCount: DataLoader<string, number>;
  readonly newestMessage: DataLoader<string, Message | null>;
  readonly graph: DataLoader<string, GraphRow[]>;
  readonly graphJson: PageLoader<GraphKey, JsonList, readonly JsonMember[]>;
  readonly branchPage: PageLoader<string, Slice<Branch>>;
  readonly checkpointPage: PageLoader<string, Slice<Checkpoint>>;
  readonly eventPage: PageLoader<string, Slice<ChatEvent>>;
  readonly hitPage: PageLoader<string, HitSlice, Search>;
  readonly branchByName: DataLoader<NameKey, Branch | null, string>;
  readonly checkpointByName: DataLoader<NameKey, Checkpoint | null, string>;
  readonly messageRange: DataLoader<SeqRange, Message[], string>;

  // Of a message, by its id.
  readonly latestLeaf: DataLoader<string, Message>;
  readonly headOf: PageLoader<string, Branch[], number>;
  readonly checkpointsAt: PageLoader<string, Checkpoint[], number>;
  readonly branchesThrough: DataLoader<Pick<Message, 'id' | 'chatId' | 'depth'>, Branch[], string>;

  readonly childCount: DataLoader<ParentKey, number, string>;
  readonly childPage: PageLoader<ParentKey, Slice<Message>>;
  readonly pathPage: PageLoader<PathKey, Slice<Message>>;
  readonly chain: DataLoader<ChainKey, Message[], string>;
  readonly chainJson: PageLoader<ChainKey, JsonList, readonly JsonMember[]>;

  /** @param from what they read with, which is looked up when something is read */
  constructor(from: { readonly reads: ConversationReads }) {
    this.chat = new DataLoader(async (ids) => {
      const found = await from.reads.chats(ids);
      for (const each of found) if (each?.activeBranch) this.activeBranch.prime(each.chat.id, each.activeBranch);
      return found.map((each) => each?.chat ?? null);
    });
    this.message = new DataLoader((ids) => from.reads.messages(ids));
    this.branch = new DataLoader((ids) => from.reads.branches(ids));
    this.checkpoint = new DataLoader((ids) => from.reads.checkpoints(ids));
    this.activeBranch = new DataLoader((chatIds) => from.reads.activeBranches(chatIds));
    this.messageCount = new DataLoader((chatIds) => from.reads.messageCounts(chatIds));
    this.newestMessage = new DataLoader((chatIds) => from.reads.newestMessages(chatIds));
    this.graph = new DataLoader((chatIds) => from.reads.graphs(chatIds));
    this.branchPage = new PageLoader((chatIds, page) => from.reads.branchPages(chatIds, page));
    this.checkpointPage = new PageLoader((chatIds, page) => from.reads.checkpointPages(chatIds, page));
    this.eventPage = new PageLoader((chatIds, page) => from.reads.eventPages(chatIds, page));
    this.hitPage = new PageLoader((chatIds, search) => from.reads.hitPages(chatIds, search));
    this.branchByName = loaderByValue((keys) => from.reads.branchesByName(keys));
    this.checkpointByName = loaderByValue((keys) => from.reads.checkpointsByName(keys));
    this.messageRange = loaderByValue((ranges) => from.reads.messageRanges(ranges));
    this.latestLeaf = new DataLoader((ids) => from.reads.latestLeaves(ids));
    this.headOf = new PageLoader((ids, atMost) => from.reads.branchesAt(ids, atMost));
    this.checkpointsAt = new PageLoader((ids, atMost) => from.reads.checkpointsAt(ids, atMost));
    this.branchesThrough = new DataLoader((messages) => from.reads.branchesThrough(messages), {
      cacheKeyFn: (message) => message.id,
    });
    this.childCount = loaderByValue((parents) => from.reads.childCounts(parents));
    this.childPage = new PageLoader((parents, page) => from.reads.childPages(parents, page));
    this.pathPage = new PageLoader((heads, page) => from.reads.pathPages(heads, page));
    this.chain = loaderByValue((ends) => from.reads.chains(ends));
    this.chainJson = new PageLoader(onlyOne((end, members) => from.reads.chainJson(end, members)));
    this.graphJson = new PageLoader(onlyOne((key, members) => from.reads.graphJson(key, members)));
  }
}

/** A loader whose keys are objects: equal ones are one. */
function loaderByValue<K, T>(read: (keys: readonly K[]) => Promise<T[]>): DataLoader<K, T, string> {
  return new DataLoader(read, { cacheKeyFn: (key) => JSON.stringify(key) });
}

/** Of several lists at once the rows are read: that is one statement for all of them. */
function onlyOne<K>(
  read: (key: K, members: readonly JsonMember[]) => Promise<JsonList>,
): (keys: readonly K[], members: readonly JsonMember[]) => Promise<JsonList[]> {
  return async ([first, ...others], members) =>
    first === undefined || others.length > 0 ? [null, ...others.map(() => null)] : [await read(first, members)];
}

/** A loader for each page that is asked for: fields with the same arguments are loaded together. */
class PageLoader<K, S, P = PageRequest<number>> {
  readonly #byPage = new Map<string, DataLoader<K, S, string>>();

  constructor(private readonly read: (keys: readonly K[], page: P) => Promise<S[]>) {}

  load(key: K, page: P): Promise<S> {
    const name = JSON.stringify(page);
    let loader = this.#byPage.get(name);
    if (loader === undefined) {
      loader = loaderByValue((keys) => this.read(keys, page));
      this.#byPage.set(name, loader);
    }
    return loader.load(key);
  }
}
