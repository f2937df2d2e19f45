/** Arguments of statements that are not keys of src/conversation. */
import type { EventKey, SeqRange } from '../../conversation/reads.js';
import type { IndexTerm } from '../../search/query.js';

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

/** The rows of a chat between two seqs, both exclusive. */
export interface OpenRange {
  chatId: string;
  above: number;
  below: number;
}

/** A range of a log; limited to events of one branch in some ranges. */
export type EventRange = SeqRange & EventKey;

/** Texts that an index finds as possible hits. */
export interface CandidateRequest {
  /** Words and prefixes that every hit contains, for the full-text index. */
  index: readonly IndexTerm[];
  /** Null: chats of all users. */
  userId: string | null;
  /** Chats besides those of the user. */
  sharedIds?: readonly string[];
  /** Null: every chat. */
  chatIds: readonly string[] | null;
  /** Null: any name. */
  names: readonly string[] | null;
  /** Bounds of the messages' createdAt, both exclusive. */
  createdAfter?: number | null;
  createdBefore?: number | null;
  /** Only texts saved before this id. Null: all. */
  before: number | null;
  limit: number;
}

/** Reason of a database failure; `other` is a bug. */
export type Failure = 'busy' | 'duplicate' | 'unavailable' | 'timeout' | 'no table' | 'no index' | 'denied' | 'other';
