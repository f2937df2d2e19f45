/**
 * The SQL that Prisma's models cannot say: walks along the graph, and batches for many keys at once. Each statement
 * stands in one place, in the file of its database under dialects/.
 *
 * Lists of keys travel as one JSON parameter, so that a statement is the same for one key and for ten thousand. Rows
 * that answer a list carry `n`, the index of their key. Messages come back as JSON too, in no promised order: see
 * json-rows.ts.
 */
import type { Sql } from '@prisma/client/runtime/client';
import type { ChatFilter, ChatPosition, ParentKey, SeqRange } from '../conversation/reads.js';
import type { PlacedMessage } from '../conversation/model.js';

/** A piece of a path: `length` messages that end at depth `toDepth` of the path from the root to `messageId`. */
export interface PathPiece {
  messageId: string;
  /** Null: the message itself. */
  toDepth: number | null;
  length: number;
}

export type Table = 'branches' | 'checkpoints';

export interface Dialect {
  /** Whether an error only says that another process holds the database, or that this one lost a deadlock. */
  isBusy(error: unknown): boolean;
  /** Whether an error says that a row with this key is there already. */
  isUniqueViolation(error: unknown): boolean;

  /** Takes the chat's lock and answers its row: the first statement of every change. */
  lockChat(id: string): Sql;
  /** The ladder of jumps of a message: rows { id, depth, jumpId }. */
  ladder(messageId: string): Sql;
  /** JSON: the newest message named assistant on the path to a message, or none. */
  lastAssistant(messageId: string): Sql;
  insertMessages(messages: readonly PlacedMessage[]): Sql;

  /** Rows of chats. */
  chatsById(ids: readonly string[]): Sql;
  /** JSON of messages. */
  messagesById(ids: readonly string[]): Sql;
  /** JSON of messages. */
  paths(pieces: readonly PathPiece[]): Sql;
  /** Rows { id, next }: the message itself or one below it, and its newest child; null for a leaf. */
  newestChildren(messageIds: readonly string[]): Sql;
  /** Rows { id }: the leaf below one message. */
  latestLeaf(messageId: string): Sql;
  /** Rows { n, total }. */
  childCounts(parents: readonly ParentKey[]): Sql;
  /** JSON of messages: children from one siblingIndex to before another. */
  children(ranges: readonly (ParentKey & { start: number; end: number })[]): Sql;
  /** Rows { n, total }. */
  messageCounts(chatIds: readonly string[]): Sql;
  /** JSON of messages, the newest of each chat. */
  newestMessages(chatIds: readonly string[]): Sql;
  /** JSON of messages. */
  messageRanges(ranges: readonly SeqRange[]): Sql;
  /** JSON of graph nodes. */
  graphs(chatIds: readonly string[]): Sql;

  /** Rows of branches with headDepth, oldest first. */
  branchesById(ids: readonly string[]): Sql;
  branchesByName(keys: readonly { chatId: string; name: string }[]): Sql;
  activeBranches(chatIds: readonly string[]): Sql;
  branchesAt(messageIds: readonly string[]): Sql;
  /** Rows of branches with headDepth and n, oldest first. */
  branchesOf(chatIds: readonly string[]): Sql;
  /** Rows { n, id }: the ancestor of each message at a depth that is not below it. */
  ancestors(pieces: readonly { messageId: string; toDepth: number }[]): Sql;
  /** Rows { id, parentId }: each message on the paths from some up to a depth, once, the deepest first. */
  linksAbove(pieces: readonly { messageId: string; toDepth: number }[]): Sql;
  /** Rows { n, total, low, high }: of each chat, how many rows there are, up to `after`, and before `before`. */
  rankBounds(table: Table, chatIds: readonly string[], after: number | null, before: number | null): Sql;
  /** Rows of a table with n: those from one rank to before another, in the table's order. */
  ranked(table: Table, ranges: readonly { chatId: string; start: number; end: number }[]): Sql;
  /** Rows of checkpoints with n, newest first. */
  checkpointsAt(messageIds: readonly string[]): Sql;
  checkpointsById(ids: readonly string[]): Sql;
  checkpointsByName(keys: readonly { chatId: string; name: string }[]): Sql;
  /** Rows of events with n. */
  events(ranges: readonly SeqRange[]): Sql;

  /** Rows of chats beyond a position in the list (newest update first), or, backwards, before it. */
  chats(filter: ChatFilter, between: ChatRange, order: 'newest' | 'oldest', limit: number): Sql;
  /** One row { total }. */
  chatCount(filter: ChatFilter): Sql;
}

/** Both ends exclusive, in the order of the list. */
export interface ChatRange {
  after: ChatPosition | null;
  before: ChatPosition | null;
}
