import { scopeKey, type ChatScoped } from '../../conversation/chat-scoped.js';
import type { JsonList } from '../../conversation/json-lists.js';
import type { Branch, Chat, Checkpoint, Message } from '../../conversation/model.js';
import type { ConversationReads, LeafWalks } from '../../conversation/reads.js';
import { DerivedValues } from './derived-values.js';
import { LoadSchedule } from './load-schedule.js';
import { Loader, type LoaderOptions, type Read } from './loader.js';

/** The read returns only rows of the key's chat. */
const BY_SCOPE: LoaderOptions<ChatScoped> = { keyOf: scopeKey };
/** Objects as keys: equal objects are one key. */
const BY_VALUE: LoaderOptions<unknown> = { keyOf: (key) => JSON.stringify(key) };
const BY_CHAT: LoaderOptions<{ readonly chatId: string }> = { keyOf: ({ chatId }) => chatId };

/** The read of each loader; without options, its keys are ids. */
const READS = {
  message: ['messages', BY_SCOPE],
  branch: ['branches', BY_SCOPE],
  checkpoint: ['checkpoints', BY_SCOPE],
  messageColumn: ['messageColumn', BY_SCOPE],
  headOf: ['branchesAt', BY_SCOPE],
  checkpointsAt: ['checkpointsAt', BY_SCOPE],
  // All at once: one walk finds them all.
  branchesThrough: ['branchesThrough', { ...BY_SCOPE, maxBatch: Infinity }],
  activeBranch: ['activeBranches'],
  messageCount: ['messageCounts'],
  newestMessage: ['newestMessages'],
  graph: ['graphs'],
  sourcesOfChat: ['sourcesOfChats'],
  outline: ['outlines'],
  branchPage: ['branchPages'],
  checkpointPage: ['checkpointPages'],
  messagePage: ['messagePages'],
  eventPage: ['eventPages'],
  hitPage: ['hitPages'],
  segments: ['segments', BY_CHAT],
  filteredEventPage: ['filteredEventPages', BY_VALUE],
  branchByName: ['branchesByName', BY_VALUE],
  checkpointByName: ['checkpointsByName', BY_VALUE],
  messageRange: ['messageRanges', BY_VALUE],
  eventAt: ['eventsAt', BY_VALUE],
  sources: ['sources', BY_VALUE],
  sourcesInRange: ['sourcesInRanges', BY_VALUE],
  sourceHashes: ['sourceHashes', BY_VALUE],
  drawnOnPage: ['drawnOnPages', BY_VALUE],
  childCount: ['childCounts', BY_VALUE],
  child: ['children', BY_VALUE],
  childPage: ['childPages', BY_VALUE],
  pathPage: ['pathPages', BY_VALUE],
  placeOnPath: ['placesOnPaths', BY_VALUE],
  commonAncestor: ['commonAncestors', BY_VALUE],
  newestSummary: ['newestSummaries', BY_VALUE],
  chain: ['chains', BY_VALUE],
} as const satisfies Record<string, readonly [keyof ConversationReads, LoaderOptions<never>?]>;

/** The second parameter of a read; void without one. */
type PageOf<Name extends keyof ConversationReads> =
  Parameters<ConversationReads[Name]> extends [unknown, infer Page] ? Page : void;
type LoaderOf<Name extends keyof ConversationReads> = ConversationReads[Name] extends (
  keys: readonly (infer Key)[],
  page: never,
) => Promise<(infer Value)[]>
  ? Loader<Key, Value, PageOf<Name>>
  : never;
type LoadersOfReads = { readonly [Name in keyof typeof READS]: LoaderOf<(typeof READS)[Name][0]> };

/** Reads of a list of one key as JSON. */
type JsonRead = 'chainJson' | 'graphJson' | 'segmentsJson';
type JsonLoader<Name extends JsonRead> = Loader<Parameters<ConversationReads[Name]>[0], JsonList, PageOf<Name>>;

/** Any read with a list of keys. */
type AnyRead = (...asked: readonly unknown[]) => Promise<never[]>;

/**
 * A loader for everything that a list could read row by row: one batch per tick, each key once per operation. Each is
 * created at its first use, because an operation needs few.
 */
class OperationLoaders {
  readonly schedule = new LoadSchedule();
  readonly derived = new DerivedValues();
  readonly #made = new Map<string, unknown>();
  readonly #walked: LeafWalks = new Map();
  #walks: Promise<unknown> = Promise.resolve();

  /** @param from current reads, looked up at each read */
  constructor(private readonly from: { readonly reads: ConversationReads }) {}

  /** The loader with a name of its own. */
  of<K, T, P = void>(name: string, read: Read<K, T, P>, options?: LoaderOptions<K>): Loader<K, T, P> {
    let made = this.#made.get(name) as Loader<K, T, P> | undefined;
    if (made === undefined) this.#made.set(name, (made = new Loader(this.schedule, read, options)));
    return made;
  }

  ofRead<Name extends keyof typeof READS>(name: Name): LoadersOfReads[Name] {
    const [read, options]: readonly [keyof ConversationReads, LoaderOptions<never>?] = READS[name];
    const { from } = this;
    const loader = this.of<never, never, unknown>(name, (...asked) => (from.reads[read] as AnyRead)(...asked), options);
    return loader as unknown as LoadersOfReads[Name];
  }

  get chat(): Loader<string, Chat | null> {
    return this.of('chat', async (ids) => {
      const found = await this.from.reads.chats(ids);
      for (const each of found) {
        if (each?.activeBranch) this.ofRead('activeBranch').prime(each.chat.id, each.activeBranch);
      }
      return found.map((each) => each?.chat ?? null);
    });
  }

  /** Those of any chat, for ids from clients: see resolveId. */
  readonly byId = {
    Message: (id: string): Promise<Message | null> =>
      this.of('messagesById', async (ids: readonly string[]) =>
        primed(this.ofRead('message'), await this.from.reads.messagesById(ids)),
      ).load(id),
    Branch: (id: string): Promise<Branch | null> =>
      this.of('branchesById', async (ids: readonly string[]) =>
        primed(this.ofRead('branch'), await this.from.reads.branchesById(ids)),
      ).load(id),
    Checkpoint: (id: string): Promise<Checkpoint | null> =>
      this.of('checkpointsById', async (ids: readonly string[]) =>
        primed(this.ofRead('checkpoint'), await this.from.reads.checkpointsById(ids)),
      ).load(id),
  };

  get latestLeaf(): Loader<ChatScoped, Message> {
    const read = (messages: readonly ChatScoped[]) => {
      // Batches run one after the other, so that none repeats the path of another.
      const leaves = this.#walks.then(() => this.from.reads.latestLeaves(messages, this.#walked));
      this.#walks = leaves.catch(() => {});
      return leaves;
    };
    return this.of('latestLeaf', read, BY_SCOPE);
  }

  get chainJson(): JsonLoader<'chainJson'> {
    return this.#ofOne('chainJson', BY_VALUE);
  }

  get graphJson(): JsonLoader<'graphJson'> {
    return this.#ofOne('graphJson', BY_VALUE);
  }

  get segmentsJson(): JsonLoader<'segmentsJson'> {
    return this.#ofOne('segmentsJson', BY_CHAT);
  }

  /** For several lists at once the rows are read: one statement for all. */
  #ofOne<Name extends JsonRead>(name: Name, options: LoaderOptions<never>): JsonLoader<Name> {
    const read = async (keys: readonly never[], members: never): Promise<JsonList[]> =>
      keys.length === 1 ? [await this.from.reads[name](keys[0] as never, members)] : keys.map(() => null);
    return this.of(name, read, options) as unknown as JsonLoader<Name>;
  }
}

for (const name of Object.keys(READS) as (keyof typeof READS)[]) {
  Object.defineProperty(OperationLoaders.prototype, name, {
    get(this: OperationLoaders) {
      return this.ofRead(name);
    },
  });
}

export type Loaders = OperationLoaders & LoadersOfReads;
export const Loaders = OperationLoaders as new (from: { readonly reads: ConversationReads }) => Loaders;

/** Adds rows found by id alone to the scoped loader, which need not read them again. */
function primed<T extends ChatScoped>(loader: Loader<ChatScoped, T | null>, rows: (T | null)[]): (T | null)[] {
  for (const row of rows) if (row !== null) loader.prime(row, row);
  return rows;
}
