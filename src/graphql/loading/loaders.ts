import { scopeKey, type ChatScoped } from '../../conversation/chat-scoped.js';
import type {
  Branch,
  Chat,
  ChatEvent,
  Checkpoint,
  GraphRow,
  Message,
  SourceMessage,
} from '../../conversation/model.js';
import type { Segment, SegmentColumn, Span } from '../../conversation/outline.js';
import type { PageRequest, Slice } from '../../conversation/paging.js';
import type { JsonList, JsonMember } from '../../conversation/json-lists.js';
import type {
  ChainKey,
  ChildKey,
  ConversationReads,
  EventFilter,
  EventKey,
  GraphKey,
  HitSlice,
  OutlineKey,
  LeafWalks,
  NameKey,
  PairKey,
  SummaryKey,
  ParentKey,
  PathKey,
  PlaceKey,
  Search,
  SeqKey,
  SeqRange,
} from '../../conversation/reads.js';
import { DerivedValues } from './derived-values.js';
import { LoadSchedule } from './load-schedule.js';
import { Loader, type LoaderOptions, type Read } from './loader.js';

const BY_SCOPE: LoaderOptions<ChatScoped> = { keyOf: scopeKey };
/** Objects as keys: equal objects are one key. */
const BY_VALUE: LoaderOptions<unknown> = { keyOf: (key) => JSON.stringify(key) };

/** A loader for everything that a list could read row by row: one batch per tick, each key once per operation. */
export class Loaders {
  readonly chat: Loader<string, Chat | null>;

  // Keyed by chat and id, for references in stored rows.
  readonly message: ScopedLoader<Message | null>;
  readonly branch: ScopedLoader<Branch | null>;
  readonly checkpoint: ScopedLoader<Checkpoint | null>;

  /** In any chat, for ids from clients: see resolveId. */
  readonly byId: {
    readonly Message: Loader<string, Message | null>;
    readonly Branch: Loader<string, Branch | null>;
    readonly Checkpoint: Loader<string, Checkpoint | null>;
  };

  // Keyed by chat id.
  readonly activeBranch: Loader<string, Branch>;
  readonly messageCount: Loader<string, number>;
  readonly newestMessage: Loader<string, Message | null>;
  readonly graph: Loader<string, GraphRow[]>;
  readonly sourcesOfChat: Loader<string, ReadonlyMap<number, readonly string[]>>;
  readonly outline: Loader<string, Span[]>;
  readonly segments: Loader<OutlineKey, Segment[]>;
  readonly segmentsJson: PageLoader<OutlineKey, JsonList, readonly JsonMember<SegmentColumn>[]>;
  readonly graphJson: PageLoader<GraphKey, JsonList, readonly JsonMember[]>;
  readonly branchPage: PageLoader<string, Slice<Branch>>;
  readonly checkpointPage: PageLoader<string, Slice<Checkpoint>>;
  readonly messagePage: PageLoader<string, Slice<Message>>;
  readonly eventPage: PageLoader<string, Slice<ChatEvent>>;
  readonly filteredEventPage: PageLoader<EventKey, Slice<ChatEvent>, EventsAsked>;
  readonly hitPage: PageLoader<string, HitSlice, Search>;
  readonly branchByName: Loader<NameKey, Branch | null>;
  readonly checkpointByName: Loader<NameKey, Checkpoint | null>;
  readonly messageRange: Loader<SeqRange, Message[]>;
  readonly eventAt: Loader<SeqKey, ChatEvent | null>;

  // Keyed by message.
  readonly author: ScopedLoader<string | null>;
  readonly contentHash: ScopedLoader<string | null>;
  readonly sources: Loader<SeqKey, SourceMessage[]>;
  /** The ids of sources by the ids of messages. */
  readonly sourcesInRange: Loader<SeqRange, ReadonlyMap<string, readonly string[]>>;
  readonly sourceHashes: Loader<SeqKey, (string | null)[]>;
  readonly drawnOnPage: PageLoader<SeqKey, Slice<Message>>;
  readonly latestLeaf: ScopedLoader<Message>;
  readonly headOf: PageLoader<ChatScoped, Branch[], number>;
  readonly checkpointsAt: PageLoader<ChatScoped, Checkpoint[], number>;
  readonly branchesThrough: Loader<ChatScoped & Pick<Message, 'depth'>, Branch[]>;

  readonly childCount: Loader<ParentKey, number>;
  readonly child: Loader<ChildKey, Message | null>;
  readonly childPage: PageLoader<ParentKey, Slice<Message>>;
  readonly pathPage: PageLoader<PathKey, Slice<Message>>;
  readonly placeOnPath: Loader<PlaceKey, number | null>;
  readonly commonAncestor: Loader<PairKey, Message | null>;
  readonly newestSummary: Loader<SummaryKey, Message | null>;
  readonly chain: Loader<ChainKey, Message[]>;
  readonly chainJson: PageLoader<ChainKey, JsonList, readonly JsonMember[]>;

  /** Schedules the batches. */
  readonly schedule = new LoadSchedule();

  /** Values that are made of loaded rows. */
  readonly derived = new DerivedValues();

  /** @param from current reads, looked up at each read */
  constructor(from: { readonly reads: ConversationReads }) {
    const loader = <K, T>(read: Read<K, T>, options?: LoaderOptions<K>) => new Loader(this.schedule, read, options);
    const scoped = <T>(read: Read<ChatScoped, T>): ScopedLoader<T> => loader(read, BY_SCOPE);
    const byValue = <K, T>(read: Read<K, T>) => loader(read, BY_VALUE);
    const pages = <K, T, P = PageRequest<number>>(read: (keys: readonly K[], page: P) => Promise<T[]>) =>
      new PageLoader<K, T, P>((page) => byValue((keys) => read(keys, page)));

    this.chat = loader(async (ids) => {
      const found = await from.reads.chats(ids);
      for (const each of found) if (each?.activeBranch) this.activeBranch.prime(each.chat.id, each.activeBranch);
      return found.map((each) => each?.chat ?? null);
    });
    this.message = scoped((keys) => from.reads.messages(keys));
    this.author = scoped((keys) => from.reads.messageColumn(keys, 'createdBy'));
    this.contentHash = scoped((keys) => from.reads.messageColumn(keys, 'contentHash'));
    this.sources = byValue((keys) => from.reads.sources(keys));
    this.sourcesInRange = byValue((ranges) => from.reads.sourcesInRanges(ranges));
    this.sourceHashes = byValue((keys) => from.reads.sourceHashes(keys));
    this.drawnOnPage = pages((keys, page) => from.reads.drawnOnPages(keys, page));
    this.branch = scoped((keys) => from.reads.branches(keys));
    this.checkpoint = scoped((keys) => from.reads.checkpoints(keys));
    this.byId = {
      Message: loader(async (ids) => primed(this.message, await from.reads.messagesById(ids))),
      Branch: loader(async (ids) => primed(this.branch, await from.reads.branchesById(ids))),
      Checkpoint: loader(async (ids) => primed(this.checkpoint, await from.reads.checkpointsById(ids))),
    };
    this.activeBranch = loader((chatIds) => from.reads.activeBranches(chatIds));
    this.messageCount = loader((chatIds) => from.reads.messageCounts(chatIds));
    this.newestMessage = loader((chatIds) => from.reads.newestMessages(chatIds));
    this.graph = loader((chatIds) => from.reads.graphs(chatIds));
    this.sourcesOfChat = loader((chatIds) => from.reads.sourcesOfChats(chatIds));
    this.outline = loader((chatIds) => from.reads.outlines(chatIds));
    const bySpans = <T>(read: Read<OutlineKey, T>) => loader(read, { keyOf: ({ chatId }) => chatId });
    const segmentsJson = onlyOne((key: OutlineKey, members: readonly JsonMember<SegmentColumn>[]) =>
      from.reads.segmentsJson(key, members),
    );
    this.segments = bySpans((keys) => from.reads.segments(keys));
    this.segmentsJson = new PageLoader((members) => bySpans((keys) => segmentsJson(keys, members)));
    this.branchPage = pages((chatIds, page) => from.reads.branchPages(chatIds, page));
    this.checkpointPage = pages((chatIds, page) => from.reads.checkpointPages(chatIds, page));
    this.messagePage = pages((chatIds, page) => from.reads.messagePages(chatIds, page));
    this.eventPage = pages((chatIds, page) => from.reads.eventPages(chatIds, page));
    this.filteredEventPage = pages((keys, asked) => from.reads.filteredEventPages(keys, asked));
    this.hitPage = pages((chatIds, search) => from.reads.hitPages(chatIds, search));
    this.branchByName = byValue((keys) => from.reads.branchesByName(keys));
    this.checkpointByName = byValue((keys) => from.reads.checkpointsByName(keys));
    this.eventAt = byValue((keys) => from.reads.eventsAt(keys));
    this.messageRange = byValue((ranges) => from.reads.messageRanges(ranges));
    const walked: LeafWalks = new Map();
    let walks: Promise<unknown> = Promise.resolve();
    this.latestLeaf = scoped((messages) => {
      // Batches run one after the other, so that none repeats the path of another.
      const leaves = walks.then(() => from.reads.latestLeaves(messages, walked));
      walks = leaves.catch(() => {});
      return leaves;
    });
    const atMessages = <T>(read: (messages: readonly ChatScoped[], atMost: number) => Promise<T[]>) =>
      new PageLoader((atMost: number) => scoped((messages) => read(messages, atMost)));
    this.headOf = atMessages((messages, atMost) => from.reads.branchesAt(messages, atMost));
    this.checkpointsAt = atMessages((messages, atMost) => from.reads.checkpointsAt(messages, atMost));
    // All at once: one walk finds them all.
    this.branchesThrough = loader(
      (messages: readonly (ChatScoped & Pick<Message, 'depth'>)[]) => from.reads.branchesThrough(messages),
      {
        ...BY_SCOPE,
        maxBatch: Infinity,
      },
    );
    this.childCount = byValue((parents) => from.reads.childCounts(parents));
    this.child = byValue((keys) => from.reads.children(keys));
    this.childPage = pages((parents, page) => from.reads.childPages(parents, page));
    this.pathPage = pages((heads, page) => from.reads.pathPages(heads, page));
    this.placeOnPath = byValue((keys) => from.reads.placesOnPaths(keys));
    this.commonAncestor = byValue((pairs) => from.reads.commonAncestors(pairs));
    this.newestSummary = byValue((keys) => from.reads.newestSummaries(keys));
    this.chain = byValue((ends) => from.reads.chains(ends));
    this.chainJson = pages(onlyOne((end, members) => from.reads.chainJson(end, members)));
    this.graphJson = pages(onlyOne((key, members) => from.reads.graphJson(key, members)));
  }

  /** The loader of a feature's read, by a name of its own. */
  ofFeature<K, T>(name: string, read: Read<K, T>, options?: LoaderOptions<K>): Loader<K, T> {
    return this.derived.get(undefined, name, () => new Loader(this.schedule, read, options));
  }
}

/** A page of a filtered log. */
interface EventsAsked {
  page: PageRequest<number>;
  filter: EventFilter;
}

/** Reads only rows of the key's chat. */
type ScopedLoader<T> = Loader<ChatScoped, T>;

/** Adds rows found by id alone to the scoped loader, which need not read them again. */
function primed<T extends ChatScoped>(loader: ScopedLoader<T | null>, rows: (T | null)[]): (T | null)[] {
  for (const row of rows) if (row !== null) loader.prime(row, row);
  return rows;
}

/** For several lists at once the rows are read: one statement for all. */
function onlyOne<K, Members>(
  read: (key: K, members: Members) => Promise<JsonList>,
): (keys: readonly K[], members: Members) => Promise<JsonList[]> {
  return async ([first, ...others], members) =>
    first === undefined || others.length > 0 ? [null, ...others.map(() => null)] : [await read(first, members)];
}

/** One loader for each page request: fields with equal arguments are loaded together. */
class PageLoader<K, S, P = PageRequest<number>> {
  readonly #byPage = new Map<string, Loader<K, S>>();

  constructor(private readonly loaderOf: (page: P) => Loader<K, S>) {}

  load(key: K, page: P): Promise<S> {
    const name = JSON.stringify(page);
    let loader = this.#byPage.get(name);
    if (loader === undefined) {
      loader = this.loaderOf(page);
      this.#byPage.set(name, loader);
    }
    return loader.load(key);
  }
}
