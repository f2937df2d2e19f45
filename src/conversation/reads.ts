/**
 * What clients read, in batches: each function answers for a list of keys with a number of SQL statements that does
 * not depend on their number, one answer a key, in the order of the keys. The store in src/database implements it.
 */
import type { ChatScoped } from './chat-scoped.js';
import type { Draft, DraftPiece } from './drafts/draft.js';
import type { Branch, Chat, ChatEvent, ChatEventType, Checkpoint, GraphRow, Message } from './model.js';
import type { Row } from './tables.js';
import type { SearchQuery } from '../search/query.js';
import type { Segment, SegmentColumn, Span } from './outline.js';
import type { PageRequest, Slice } from './paging.js';

/** The chunks of a draft behind the first so many. */
export interface DraftPart {
  readonly draft: Pick<Draft, 'id' | 'startedAt' | 'length' | 'bytes'>;
  readonly after: number;
}

export interface ConversationReads {
  /** Each with its active branch, where that is known at once: it is what is asked for next. */
  chats(ids: readonly string[]): Promise<({ chat: Chat; activeBranch: Branch | null } | null)[]>;
  messages(keys: readonly ChatScoped[]): Promise<(Message | null)[]>;
  /** The user who saved each message. */
  messageAuthors(keys: readonly ChatScoped[]): Promise<(string | null)[]>;
  branches(keys: readonly ChatScoped[]): Promise<(Branch | null)[]>;
  checkpoints(keys: readonly ChatScoped[]): Promise<(Checkpoint | null)[]>;

  // Rows of any chat, for ids that a client sends. The caller must check that the viewer may read their chats.
  messagesById(ids: readonly string[]): Promise<(Message | null)[]>;
  branchesById(ids: readonly string[]): Promise<(Branch | null)[]>;
  checkpointsById(ids: readonly string[]): Promise<(Checkpoint | null)[]>;

  /** Chats, newest update first. */
  chatPage(filter: ChatFilter, page: PageRequest<ChatPosition>): Promise<ChatSlice>;
  chatCount(filter: ChatFilter): Promise<number>;

  /** Users who have chats, the one with the newest change first. @param search a text that their ids contain; '' for any */
  userPage(search: string, page: PageRequest<UserPosition>): Promise<Omit<Slice<UserSummary>, 'totalCount'>>;
  userCount(search: string): Promise<number>;
  /** All messages of each user's chats. */
  userMessageCounts(userIds: readonly string[]): Promise<number[]>;

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
  /** What a filter leaves of each log; totalCount is the length of the log. */
  filteredEventPages(
    keys: readonly EventKey[],
    asked: { page: PageRequest<number>; filter: EventFilter },
  ): Promise<Slice<ChatEvent>[]>;
  /** Where branches of a chat were when its log had come to a seq; null for an empty one, nothing for one that was not there. */
  headsAt(chatId: string, seq: number, branchIds: readonly string[]): Promise<Map<string, string | null>>;
  messageCounts(chatIds: readonly string[]): Promise<number[]>;
  /** The message of each chat that was saved last. */
  newestMessages(chatIds: readonly string[]): Promise<(Message | null)[]>;
  /** Every message of each chat in short, in the order of saving. */
  graphs(chatIds: readonly string[]): Promise<GraphRow[][]>;
  /** The same as JSON, of a chat with so many messages: see JsonList. */
  graphJson(key: GraphKey, members: readonly JsonMember[]): Promise<JsonList>;
  /** The graph of each chat with its runs drawn together, by the seqs of their ends: see outlineOf. */
  outlines(chatIds: readonly string[]): Promise<Span[][]>;
  /** The segments of outlines; none of a chat that is gone. */
  segments(keys: readonly OutlineKey[]): Promise<Segment[][]>;
  /** The same as JSON: see JsonList. */
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
  /** The same as JSON, of one message: see JsonList. */
  chainJson(end: ChainKey, members: readonly JsonMember[]): Promise<JsonList>;
  /** A page of the path from the root to each head; positions are depths. */
  pathPages(heads: readonly PathKey[], page: PageRequest<number>): Promise<Slice<Message>[]>;
  /** The depth of each message; null where it is not on the path from the root to the head. */
  placesOnPaths(keys: readonly PlaceKey[]): Promise<(number | null)[]>;
  /** The leaf reached from each message by taking the newest child at every step. @param walked what was walked before, and is now */
  latestLeaves(messages: readonly ChatScoped[], walked?: LeafWalks): Promise<Message[]>;
  /** The branches whose head is each message, oldest first; so many of them all together at most. */
  branchesAt(messages: readonly ChatScoped[], atMost: number): Promise<Branch[][]>;
  /** The branches that run through each message, oldest first. */
  branchesThrough(messages: readonly (ChatScoped & Pick<Message, 'depth'>)[]): Promise<Branch[][]>;
  /** The checkpoints on each message, newest first; so many of them all together at most. */
  checkpointsAt(messages: readonly ChatScoped[], atMost: number): Promise<Checkpoint[][]>;

  /** The drafts of each chat, in the order in which they began. */
  drafts(chatIds: readonly string[]): Promise<Draft[][]>;
  /** The pieces of each draft that go beyond its first so many chunks, in order, as far as it had come when it was read. */
  draftPieces(keys: readonly DraftPart[]): Promise<DraftPiece[][]>;

  /** Messages of all chats that a search finds, best first. */
  hits(search: Search): Promise<HitSlice>;
  /** Those of each chat. */
  hitPages(chatIds: readonly string[], search: Search): Promise<HitSlice[]>;
}

/** A member of the objects in a list of messages: a column of theirs, or a text that all of them have. */
export interface JsonMember<Column = JsonColumn> {
  /** A name of GraphQL's: letters, digits and _. */
  readonly key: string;
  readonly value: { readonly column: Column } | { readonly text: string };
}

export type JsonColumn = keyof Row<'messages'>;

/**
 * A list with some members alone. Where the database writes JSON sooner than rows, its objects in UTF-8 with commas between, for
 * whoever passes them on as they are and gives them back then; else rows that have the members' columns alone. Null where it
 * is too much for one statement: then the whole rows are to be read.
 */
export type JsonList = Bytes | LeanRow[] | null;
export type LeanRow = Partial<Row<'messages'>>;

/** Bytes that may be in memory which is used again. */
export interface Bytes {
  readonly bytes: Uint8Array;
  /** The same between two texts, without a copy; null where there is no room for them. */
  within(before: string, after: string): Uint8Array | null;
  /** Nobody looks at them any more. Bytes that are not given back are lost to others, and no more than that. */
  giveBack(): void;
}

export interface Search {
  /** As someone typed it, see parseQuery. */
  query: string;
  /** Null: in everybody's chats. */
  userId: string | null;
  /** Null: of any name. */
  names: readonly string[] | null;
  /** When the messages were saved, both ends exclusive. */
  createdAfter?: number | null;
  createdBefore?: number | null;
  first: number;
  after: HitPosition | null;
}

/** The place of a hit: its score, and what orders hits of the same. */
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
  /** What was looked for. */
  query: SearchQuery;
}

export interface HitSlice {
  rows: Hit[];
  hasNextPage: boolean;
}

export interface ChatFilter {
  /** Null: everybody's. */
  userId: string | null;
  /** All of these hold: the top-level key has exactly this JSON value, given as canonicalJson. */
  metadata: readonly { key: string; equals: string }[];
  /** What the title has to contain. */
  title?: SearchQuery | null;
  /** The time of the newest update, both ends exclusive. */
  updatedAfter?: number | null;
  updatedBefore?: number | null;
}

/** The place of a user in the list: the newest change of their chats, and the id where two are equal. */
export interface UserPosition {
  lastActiveAt: number;
  id: string;
}

export interface UserSummary extends UserPosition {
  chatCount: number;
}

/** The log of a chat, or, of several logs that are read together, what each tells of a branch. */
export interface EventKey {
  chatId: string;
  branchId: string | null;
}

/** Nulls ask for nothing. */
export interface EventFilter {
  /** One of these, of which there is one at least. */
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

/** The place of a chat in the list: updatedAt, and the id where two are equal. */
export interface ChatPosition {
  updatedAt: number;
  id: string;
}

export interface ChatSlice {
  rows: Chat[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

/** A message's children, or, where parentId is null, a chat's roots. */
export interface ParentKey {
  chatId: string;
  parentId: string | null;
}

export interface ChildKey extends ParentKey {
  siblingIndex: number;
}

/** The newest so many messages of the path from the root to a message. It may be shorter. */
export interface ChainKey {
  chatId: string;
  messageId: string;
  length: number;
}

/** The graph of a chat that has so many messages. */
export interface GraphKey {
  chatId: string;
  length: number;
}

export interface OutlineKey {
  chatId: string;
  spans: readonly Span[];
}

/** The path from the root to a head, which has so many messages; null is the path of an empty branch. */
export interface PathKey {
  chatId: string;
  headMessageId: string | null;
  messageCount: number;
}

/** A message that may be on the path from the root to a head. */
export interface PlaceKey {
  chatId: string;
  headId: string;
  messageId: string;
}

/** By messages: one below them on the way to their leaf, or null at a leaf. */
export type LeafWalks = Map<string, string | null>;

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

/** Bytes of their own. */
export const bytesOf = (bytes: Uint8Array): Bytes => ({ bytes, within: () => null, giveBack: () => {} });
