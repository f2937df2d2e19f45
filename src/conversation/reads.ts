/**
 * Batched reads for clients, implemented in src/database. Each function takes a list of keys, runs a constant number of
 * statements and returns one result per key, in the order of the keys.
 */
import type { ChatScoped } from './chat-scoped.js';
import type { Branch, Chat, ChatEvent, ChatEventType, Checkpoint, GraphRow, Message, SourceMessage } from './model.js';
import type { JsonList, JsonMember } from './json-lists.js';
import type { SearchQuery } from '../search/query.js';
import type { Segment, SegmentColumn, Span } from './outline.js';
import type { Page, PageRequest, Slice } from './paging.js';

/** A column of messages that clients read by itself: see SEPARATE_MESSAGE_COLUMNS. */
export type SeparateColumn = 'createdBy' | 'contentHash' | 'usage';

/** The reads of features, each on the primary database: each feature adds its own. */
// oxlint-disable-next-line typescript/no-empty-object-type -- features add members
export interface FeatureReads {}

export interface ConversationReads extends FeatureReads {
  /** Each with its active branch if that is read at once: clients usually read it next. */
  chats(ids: readonly string[]): Promise<({ chat: Chat; activeBranch: Branch | null } | null)[]>;
  messages(keys: readonly ChatScoped[]): Promise<(Message | null)[]>;
  /** The value of each message; null for a missing message, too. */
  messageColumn(keys: readonly ChatScoped[], name: SeparateColumn): Promise<(string | null)[]>;
  branches(keys: readonly ChatScoped[]): Promise<(Branch | null)[]>;
  checkpoints(keys: readonly ChatScoped[]): Promise<(Checkpoint | null)[]>;

  // Messages of any chat by ids of clients. The caller must check that the viewer may read their chats.
  messagesById(ids: readonly string[]): Promise<(Message | null)[]>;
  branchesById(ids: readonly string[]): Promise<(Branch | null)[]>;
  checkpointsById(ids: readonly string[]): Promise<(Checkpoint | null)[]>;

  /** Chats, newest update first. */
  chatPage(filter: ChatFilter, page: PageRequest<ChatPosition>): Promise<Page<Chat>>;
  chatCount(filter: ChatFilter): Promise<number>;

  /** By chat and name. */
  branchesByName(keys: readonly NameKey[]): Promise<(Branch | null)[]>;
  checkpointsByName(keys: readonly NameKey[]): Promise<(Checkpoint | null)[]>;
  activeBranches(chatIds: readonly string[]): Promise<Branch[]>;
  /** Branches of each chat, oldest first; positions are seqs. */
  branchPages(chatIds: readonly string[], page: PageRequest<number>): Promise<Slice<Branch>[]>;
  /** Checkpoints of each chat, newest first; positions are seqs. */
  checkpointPages(chatIds: readonly string[], page: PageRequest<number>): Promise<Slice<Checkpoint>[]>;
  /** The log of each chat, oldest first; positions are seqs. */
  eventPages(chatIds: readonly string[], page: PageRequest<number>): Promise<Slice<ChatEvent>[]>;
  eventsAt(keys: readonly SeqKey[]): Promise<(ChatEvent | null)[]>;
  /** The filtered events of each log; totalCount is the length of the log. */
  filteredEventPages(
    keys: readonly EventKey[],
    asked: { page: PageRequest<number>; filter: EventFilter },
  ): Promise<Slice<ChatEvent>[]>;
  /**
   * The heads of branches at a seq of the chat's log; null for an empty branch, no entry for one that did not exist.
   */
  headsAt(chatId: string, seq: number, branchIds: readonly string[]): Promise<Map<string, string | null>>;
  messageCounts(chatIds: readonly string[]): Promise<number[]>;
  /** The last saved message of each chat. */
  newestMessages(chatIds: readonly string[]): Promise<(Message | null)[]>;
  /** The sources of each message, in their order. */
  sources(keys: readonly SeqKey[]): Promise<SourceMessage[][]>;
  /** The hash of each source, also of sources that the chat does not have; null until computed. */
  sourceHashes(keys: readonly SeqKey[]): Promise<(string | null)[][]>;
  /** The ids of the sources in each chat, by the seqs of the messages that have any. */
  sourcesOfChats(chatIds: readonly string[]): Promise<ReadonlyMap<number, readonly string[]>[]>;
  /** The ids of the sources of messages whose seqs are in a range, by the ids of those that have any. */
  sourcesInRanges(keys: readonly SeqRange[]): Promise<ReadonlyMap<string, readonly string[]>[]>;
  /** The messages that name each one as a source, in the order of saving; positions are seqs. */
  drawnOnPages(keys: readonly SeqKey[], page: PageRequest<number>): Promise<Slice<Message>[]>;
  /** All messages of each chat as graph rows, in the order of saving. */
  graphs(chatIds: readonly string[]): Promise<GraphRow[][]>;
  /** `graphs` as JSON, of a chat with a known number of messages: see JsonList. */
  graphJson(key: { chatId: string; length: number }, members: readonly JsonMember[]): Promise<JsonList>;
  /** The graph of each chat as segments, by the seqs of their ends: see outlineOf. */
  outlines(chatIds: readonly string[]): Promise<Span[][]>;
  /** The segments of outlines; none for a deleted chat. */
  segments(keys: readonly OutlineKey[]): Promise<Segment[][]>;
  /** `segments` as JSON: see JsonList. */
  segmentsJson(key: OutlineKey, members: readonly JsonMember<SegmentColumn>[]): Promise<JsonList>;
  /** All messages of each chat, in the order of saving; positions are seqs. */
  messagePages(chatIds: readonly string[], page: PageRequest<number>): Promise<Slice<Message>[]>;
  /** Messages of a chat whose seqs are in a range, in the order of saving. */
  messageRanges(keys: readonly SeqRange[]): Promise<Message[][]>;

  /** The children of a parent, or the roots of a chat, in the order of saving; positions are siblingIndexes. */
  childPages(parents: readonly ParentKey[], page: PageRequest<number>): Promise<Slice<Message>[]>;
  childCounts(parents: readonly ParentKey[]): Promise<number[]>;
  /** One child of each parent, or one root. */
  children(keys: readonly ChildKey[]): Promise<(Message | null)[]>;

  /** The path from the root to each message, root first. */
  chains(ends: readonly ChainKey[]): Promise<Message[][]>;
  /** `chains` as JSON, of one message: see JsonList. */
  chainJson(end: ChainKey, members: readonly JsonMember[]): Promise<JsonList>;
  /** A page of the path from the root, or a depth, to each head; positions are depths. */
  pathPages(heads: readonly PathKey[], page: PageRequest<number>): Promise<Slice<Message>[]>;
  /** The depth of each message; null where it is not on the path from the root to the head. */
  placesOnPaths(keys: readonly PlaceKey[]): Promise<(number | null)[]>;
  /** The newest message that is on the paths to both messages of each pair; null if none. */
  commonAncestors(pairs: readonly PairKey[]): Promise<(Message | null)[]>;
  /** The newest message of type summary on the path to each head, of those saved before a seq; null if none. */
  newestSummaries(keys: readonly SummaryKey[]): Promise<(Message | null)[]>;
  /**
   * The leaf reached from each message by taking the newest child at every step.
   * @param walked cache of earlier walks, extended by this one
   */
  latestLeaves(messages: readonly ChatScoped[], walked?: LeafWalks): Promise<Message[]>;
  /** The branches whose head is each message, oldest first; bounded in total. */
  branchesAt(messages: readonly ChatScoped[], atMost: number): Promise<Branch[][]>;
  /** The branches that run through each message, oldest first. */
  branchesThrough(messages: readonly (ChatScoped & Pick<Message, 'depth'>)[]): Promise<Branch[][]>;
  /** The checkpoints on each message, newest first; bounded in total. */
  checkpointsAt(messages: readonly ChatScoped[], atMost: number): Promise<Checkpoint[][]>;

  /** Search hits in all chats, best first. */
  hits(search: Search): Promise<HitSlice>;
  /** Search hits in each chat. */
  hitPages(chatIds: readonly string[], search: Search): Promise<HitSlice[]>;
}

export interface Search {
  /** User input, see parseQuery. */
  query: string;
  /** Null: chats of all users. */
  userId: string | null;
  /** Also chats of others of which the user is a member: the 1,000 that changed last. @default false */
  includeShared?: boolean;
  /** Null: any name. */
  names: readonly string[] | null;
  /** Bounds of the messages' createdAt, both exclusive. */
  createdAfter?: number | null;
  createdBefore?: number | null;
  first: number;
  after: HitPosition | null;
}

/** The position of a hit: its score, and the tie-breakers. */
export interface HitPosition {
  score: number;
  createdAt: number;
  chatId: string;
  seq: number;
}

export interface Hit {
  message: Message;
  /** Higher is better. */
  rank: number;
  position: HitPosition;
  /** The parsed query. */
  query: SearchQuery;
}

export type HitSlice = Omit<Page<Hit>, 'hasPreviousPage'>;

export interface ChatFilter {
  /** Null: all users. */
  userId: string | null;
  /** Also chats of others of which the user is a member. @default false */
  includeShared?: boolean;
  /** The only chat to list, if it matches; by default any. */
  chatId?: string | null;
  /** All conditions must hold: the top-level key has exactly this JSON value, given as canonicalJson. */
  metadata: readonly { key: string; equals: string }[];
  /** Required words of the title. */
  title?: SearchQuery | null;
  /** Bounds of updatedAt, both exclusive. */
  updatedAfter?: number | null;
  updatedBefore?: number | null;
}

/** The position of a user in the list: the newest change of their chats, then the id. */
export interface UserPosition {
  lastActiveAt: number;
  id: string;
}

export interface UserSummary extends UserPosition {
  chatCount: number;
}

/** The log of a chat; for several logs read together, the events of one branch each. */
export interface EventKey {
  chatId: string;
  branchId: string | null;
}

/** Null conditions match every event. */
export interface EventFilter {
  /** At least one type. */
  types: readonly ChatEventType[] | null;
  actorId: string | null;
  /** Both ends exclusive. */
  createdAfter: number | null;
  createdBefore: number | null;
}

export interface NameKey {
  chatId: string;
  name: string;
}

/** The position of a chat in the list: updatedAt, then the id. */
export type ChatPosition = Pick<Chat, 'updatedAt' | 'id'>;

/** The children of a message, or the roots of a chat when parentId is null. */
export interface ParentKey {
  chatId: string;
  parentId: string | null;
}

export interface ChildKey extends ParentKey {
  siblingIndex: number;
}

/** The last messages of the path from the root to a message, at most `limit`. */
export interface ChainKey {
  chatId: string;
  messageId: string;
  length: number;
}

export interface OutlineKey {
  chatId: string;
  spans: readonly Span[];
}

/** The path from the root to a head with a known number of messages; null is the path of an empty branch. */
export interface PathKey {
  chatId: string;
  headMessageId: string | null;
  messageCount: number;
  /** The depth at which the list begins: 0 for the whole path. */
  fromDepth?: number;
}

export interface PairKey {
  chatId: string;
  baseId: string;
  headId: string;
}

/** A message that may be on the path from the root to a head. */
export interface PlaceKey {
  chatId: string;
  headId: string;
  messageId: string;
}

export interface SummaryKey {
  chatId: string;
  headId: string;
  beforeSeq: number;
}

/** For each message a descendant on the way to its leaf, or null at a leaf. */
export type LeafWalks = Map<string, string | null>;

/** A message or an event by its seq. */
export interface SeqKey {
  readonly chatId: string;
  readonly seq: number;
}

/** Messages of a chat by their seqs. */
export interface SeqsKey {
  chatId: string;
  seqs: readonly number[];
}

export interface SeqRange {
  chatId: string;
  firstSeq: number;
  lastSeq: number;
}
