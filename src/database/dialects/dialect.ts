/**
 * The SQL that Prisma's models cannot say: walks along the graph, and batches for many keys at once. Each statement
 * stands in one place, in the file of its database under dialects/.
 *
 * Lists of keys travel as one parameter, so that a statement is the same for one key and for ten thousand. Rows that
 * answer a list carry `n`, the index of their key. Messages come back in no promised order, and in a form that the
 * dialect reads: see row-format.ts. Of those whose data is longer than `inlineBytes`, it stays behind: see message-data.ts.
 */
import type { SegmentColumn } from '../../conversation/outline.js';
import type { Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../conversation/chat-scoped.js';
import { MAX_NAME_LENGTH } from '../../conversation/bounds.js';
import type { StandingKey } from '../../conversation/list-reads.js';
import type {
  ChainKey,
  ChatFilter,
  ChatPosition,
  JsonMember,
  OutlineKey,
  ParentKey,
  PlaceKey,
  SeqRange,
  SeqsKey,
  EventFilter,
  EventKey,
} from '../../conversation/reads.js';
import type { Branch, Chat, StoredEvent } from '../../conversation/model.js';
import type { Row } from '../../conversation/tables.js';
import type { IndexTerm, SearchQuery } from '../../search/query.js';
import type { CheckStatements } from './check-statements.js';
import type { CommonStatements } from './common-statements.js';
import type { DraftStatements } from './draft-statements.js';
import type { RowFormat } from '../reading/row-format.js';

/** Behind every text that a name can go on with, where text is ordered by code points. */
export const LAST_CHARACTERS = '\u{10FFFF}'.repeat(MAX_NAME_LENGTH);

/** A piece of a path: `length` messages that end at depth `toDepth` of the path from the root to `messageId`. */
export interface PathPiece {
  chatId: string;
  messageId: string;
  /** Null: the message itself. */
  toDepth: number | null;
  length: number;
}

/** A message, and a depth on the path from the root to it. */
export type PathTop = Pick<PathPiece, 'chatId' | 'messageId'> & { toDepth: number };

/** The rows of a chat between two seqs, both of them left out. */
export interface OpenRange {
  chatId: string;
  above: number;
  below: number;
}

/** A range of a log; of its events those alone that are about a branch, in all of some ranges or in none. */
export type EventRange = SeqRange & EventKey;

export type Table = 'branches' | 'checkpoints';

/** Texts that may be hits of a search, as far as an index tells. */
export interface CandidateRequest {
  /** Words and beginnings of words that every hit has: what the full-text index is asked for. */
  index: readonly IndexTerm[];
  /** Null: in everybody's chats. */
  userId: string | null;
  /** Null: in every chat. */
  chatIds: readonly string[] | null;
  /** Null: of any name. */
  names: readonly string[] | null;
  /** When the messages were saved, both ends exclusive. */
  createdAfter?: number | null;
  createdBefore?: number | null;
  /** An id: only those that were saved before it. Null: all. */
  before: number | null;
  limit: number;
}

/** Why the database has failed, as far as it matters here: `other` is a mistake of ours. */
export type Failure = 'busy' | 'duplicate' | 'unavailable' | 'timeout' | 'no table' | 'denied' | 'other';

/** What a change reads and writes. The chat is locked by the first of them. */
export interface ChangeStatements {
  /** Takes the chat's lock and answers its row: the first statement of every change. */
  lockChat(id: string): Sql;
  /**
   * One row of a branch, of the active one by default, with headDepth, or none; and what placing messages behind its head
   * takes: lastSeq, of the chat's newest message, lastIndex, the siblingIndex of the newest child of the head (or root), and
   * the ladder of the head as JSON { id, depth, seq, jumpId }. Nulls where there are none.
   */
  tip(chatId: string, branchName: string | null): Sql;
  /** The ladder of jumps of a message: rows { id, depth, seq, jumpId }. */
  ladder(message: ChatScoped): Sql;
  /**
   * One row { id, depth, name }: the nearest message on the path from one to the root that is named assistant, or that is above
   * it at a multiple of `piece`, or the root. The message itself when it is named assistant, is the root or has no sound parent.
   */
  assistantAbove(message: ChatScoped, piece: number): Sql;
  insertChat(chat: Chat): Sql;
  /** Writes userId, title, metadata, updatedAt and version. */
  updateChat(chat: Chat): Sql;
  insertMessages(messages: readonly Row<'messages'>[]): Sql;
  insertRuns(runs: readonly Row<'message_runs'>[]): Sql;
  /** Those that are there already stay as they are. */
  insertTexts(texts: readonly Row<'message_texts'>[]): Sql;
  deleteTexts(range: SeqRange): Sql;
  insertBranches(branches: readonly Branch[]): Sql;
  /** Writes headMessageId and isActive. */
  updateBranches(branches: readonly Branch[]): Sql;
  /** Leaves a chat without an active branch. */
  deactivateBranch(chatId: string): Sql;
  insertEvents(events: readonly StoredEvent[]): Sql;
  /**
   * The same changes in as few statements as the database takes them. None of them may read what another has written;
   * what one refers to, another may write.
   */
  together(changes: readonly Sql[]): readonly Sql[];
  /** Rows { name } of a chat's branches whose names begin with a prefix, from one on, in the order of the index. */
  branchNames(chatId: string, prefix: string, from: string, limit: number): Sql;
}

/** Every statement that asks for chats leaves out those of NOBODY. What is in them is reached through them. */
export interface ChatStatements {
  /** The metadata of a chat as canonicalJson writes it, from what a statement answers. */
  metadata(stored: string): string;
  /** Rows of chats, their metadata as text. */
  chatsById(ids: readonly string[]): Sql;
  /** Rows of chats with their active branches, or nulls in their place: also branchId, branchName, headMessageId, headDepth, branchCreatedAt, branchSeq. */
  chatsWithBranch(ids: readonly string[]): Sql;
  /** Rows of chats beyond a position in the list (newest update first), or, backwards, before it. */
  chats(filter: ChatFilter, between: ChatRange, order: 'newest' | 'oldest', limit: number): Sql;
  /** One row { total }. */
  chatCount(filter: ChatFilter): Sql;
  /** Rows { n, total }: all messages of the chats of each user; total may be null. */
  userMessageCounts(userIds: readonly string[]): Sql;
  /** What a filter is looked for with that goes through chats in steps. */
  readonly filterSteps: FilterSteps;
  /** Rows of chats whose ids come after one, by id. */
  chatsAfter(id: string, limit: number): Sql;
}

/** To look through the titles and the metadata of chats, some at a time. */
export interface FilterSteps {
  /**
   * Rows { id, updatedAt, title } of chats, as `chats` orders them. Titles may be any; and where there is `meeting`, so may
   * metadata, and `bytes` says about how long that is.
   */
  listed(filter: ChatFilter, between: ChatRange, order: 'newest' | 'oldest', limit: number): Sql;
  /** Rows { id } of those chats that meet the conditions; null where there is an index, or a server that has the work. */
  readonly meeting: ((ids: readonly string[], metadata: ChatFilter['metadata']) => Sql) | null;
}

/** Messages, paths and graphs. */
export interface MessageStatements {
  /** The messages of a statement's rows, the nodes of a graph, and where runs begin. */
  readonly rows: RowFormat;
  /** Messages. */
  messages(keys: readonly ChatScoped[], inlineBytes: number): Sql;
  /** Messages of any chat. */
  messagesById(ids: readonly string[], inlineBytes: number): Sql;
  /** Rows { id, data } of messages. */
  messageData(keys: readonly ChatScoped[]): Sql;
  /** Rows { chatId, id, createdBy } of messages. */
  messageAuthors(keys: readonly ChatScoped[]): Sql;
  /** Messages. */
  paths(pieces: readonly PathPiece[], inlineBytes: number): Sql;
  /** Rows { n, id, depth, toDepth }: the head, and the message of its path at the depth `toDepth` of the message asked about. */
  placesOnPaths(keys: readonly PlaceKey[]): Sql;
  /**
   * Rows { id, next }: the message itself or one below it, and its newest child; null for a leaf. As many as there are, or
   * the first of each walk, as many as `limit` at least.
   */
  newestChildren(messages: readonly ChatScoped[], limit: number): Sql;
  /**
   * One row { id, next }: the nearest message on the way to the leaf below one, itself included, that is the leaf or whose
   * depth is a multiple of `piece`; and its newest child.
   */
  leafBelow(message: ChatScoped, piece: number): Sql;
  /** Rows { n, total }. */
  childCounts(parents: readonly ParentKey[]): Sql;
  /** Messages: children from one siblingIndex to before another. */
  children(ranges: readonly (ParentKey & { start: number; end: number })[], inlineBytes: number): Sql;
  /** Rows { n, total }. */
  messageCounts(chatIds: readonly string[]): Sql;
  /** Messages, the newest of each chat. */
  newestMessages(chatIds: readonly string[], inlineBytes: number): Sql;
  /** Messages. */
  messageRanges(ranges: readonly SeqRange[], inlineBytes: number): Sql;
  /** Graph nodes. */
  graphs(chatIds: readonly string[]): Sql;
  /**
   * Rows { n, seq, above }, so many at most: the messages whose parent is not the one saved right before, but each chat's
   * first, with the seq of the parent; and of each chat one with the seq of the next message, and null.
   */
  runStarts(chatIds: readonly string[], limit: number): Sql;
  /** Graph nodes. */
  nodesAt(keys: readonly SeqsKey[]): Sql;
  /** Lists as JSON; null where the database takes longer to write it than its rows to be read. */
  readonly json: JsonStatements | null;
  /** Messages whose ids come after one, by id: to go through all of them. */
  messagesAfter(id: string, limit: number, inlineBytes: number): Sql;
  /** Rows { seq, bytes } of messages: how long their data is, about, without reading it. */
  messageSizes(range: SeqRange): Sql;
}

/** Lists with some members alone. */
export interface JsonStatements {
  /**
   * `json` is one row { json }: objects with the members asked for and commas between them, as bytes of UTF-8; null when their
   * data is more than `maxBytes` together, or a time is none of this calendar's four digits for a year. `rows` are rows with
   * the columns of the members and `n`, which orders them, and end early when their data is more.
   */
  readonly answers: 'json' | 'rows';
  path(end: ChainKey, members: readonly JsonMember[], maxBytes: number): Sql;
  graph(chatId: string, members: readonly JsonMember[]): Sql;
  /** Of an outline; null where its rows are read sooner. */
  segments: ((key: OutlineKey, members: readonly JsonMember<SegmentColumn>[]) => Sql) | null;
}

/** Branches and checkpoints. */
export interface BranchStatements {
  /** Rows of branches with headDepth, oldest first. */
  branches(keys: readonly ChatScoped[]): Sql;
  /** The same of any chat. */
  branchesById(ids: readonly string[]): Sql;
  branchesByName(keys: readonly { chatId: string; name: string }[]): Sql;
  activeBranches(chatIds: readonly string[]): Sql;
  /** With n, in any order. */
  branchesAt(messages: readonly ChatScoped[], limit: number): Sql;
  /** The oldest of them, or none. */
  oldestBranchAt(chatId: string, messageId: string): Sql;
  /** Rows { n, id }: the ancestor of each message at a depth that is not below it. */
  ancestors(pieces: readonly PathTop[]): Sql;
  /**
   * Rows { chatId, id, parentId }: each message on the paths from some up to a depth, once, the deepest first. There may be others
   * of the same chats and depths between them.
   */
  linksAbove(pieces: readonly PathTop[]): Sql;
  /** Rows { n, total, low, high }: of each chat, how many rows there are, up to `after`, and before `before`. */
  rankBounds(table: Table, chatIds: readonly string[], after: number | null, before: number | null): Sql;
  /** Rows of a table with n: of each range the first ones in that order of seqs, or all if they are fewer; branches with headDepth. */
  listed(table: Table, ranges: readonly OpenRange[], order: 'ASC' | 'DESC', limit: number): Sql;
  /** Rows of checkpoints with n, in any order. */
  checkpointsAt(messages: readonly ChatScoped[], limit: number): Sql;
  checkpoints(keys: readonly ChatScoped[]): Sql;
  /** Rows of any chat. */
  checkpointsById(ids: readonly string[]): Sql;
  checkpointsByName(keys: readonly { chatId: string; name: string }[]): Sql;
}

/** The log of a chat. */
export interface LogStatements {
  /** Rows of events with n. */
  events(ranges: readonly SeqRange[]): Sql;
  /** The same of those events that meet a filter, of each range the first or the last so many, in any order. */
  filteredEvents(ranges: readonly EventRange[], filter: EventFilter, from: 'first' | 'last', limit: number): Sql;
  /** Rows of events behind a seq, in order, with deletedAt: see rows.ts. */
  eventsAfter(chatId: string, after: number, limit: number): Sql;
  /** Rows { chatId, userId, version, deletedUserId, deletedSeq, deletedBy, deletedAt }. */
  logStates(chatIds: readonly string[]): Sql;
  /**
   * The same rows with madeAt, when the first event was written, and transfer and transferredAt: of each event behind a seq
   * that gave the chat away, or nulls.
   */
  standings(keys: readonly StandingKey[]): Sql;
  /** One row { version, branchId, headMessageId } of a branch, of the active one by default, or none. */
  headNow(chatId: string, branchName: string | null): Sql;
  /** One row { branchId }, of the first or last activation among the events of a range, or none. */
  nearestActivation(range: SeqRange, nearest: 'first' | 'last'): Sql;
  /** Rows { seq, branchId, headId } of the events of a range that made or moved one of these branches. */
  headEvents(range: SeqRange, branchIds: readonly string[]): Sql;
}

/** Search: first which texts may be hits, then of so many at a time whether they are. */
export interface SearchStatements {
  /** Rows { id, chatId, bytes } of texts, those that were saved last first; `bytes` says about how long a text is. */
  candidates(request: CandidateRequest): Sql;
  /** Rows { id, messageId, chatId, createdAt, seq, score } of those texts that are hits: see hit-order.ts. */
  hits(ids: readonly number[], query: Pick<SearchQuery, 'required' | 'excluded'>): Sql;
  /**
   * Row { id } of the text that was saved last, which says how many there are at most. Null where a statement that takes
   * long holds up nobody.
   */
  readonly lastText: Sql | null;
  /** Where the full-text index knows whose texts are, as its triggers write them; null where it knows chats alone. */
  readonly owners: {
    /** Rows { id, bytes } of a chat's texts behind one, by id. */
    texts(chatId: string, after: number, limit: number): Sql;
    /** Has the index know of a chat's texts, from one up to another, that they are a user's. */
    index(chatId: string, userId: string, range: { first: number; last: number }): Sql;
  } | null;
  /**
   * Has the full-text index forget more of what was removed, and says how far: it writes about so many of its pages, or
   * begins anew with a negative number. Null where the index does so by itself.
   */
  readonly tidySearch: ((pages: number) => Sql) | null;
}

export interface Dialect
  extends
    CommonStatements,
    ChangeStatements,
    ChatStatements,
    MessageStatements,
    BranchStatements,
    LogStatements,
    SearchStatements,
    DraftStatements,
    CheckStatements {
  /**
   * What an error of the driver says: that somebody else is in the way and the
   * transaction may be run again, that a row with this key is there already, that there is no database to be had, that it
   * has given up a statement that took too long, or that it has no such table.
   */
  failure(error: unknown): Failure;
  /** One row { identity }: a text that no other database has, and that is the same whichever URL leads to it. */
  identity(): Sql;
}

/** Both ends exclusive, in the order of the list. */
export interface ChatRange {
  after: ChatPosition | null;
  before: ChatPosition | null;
}
