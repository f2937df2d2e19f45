/** The arguments of statements that are no keys of src/conversation. */
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

/** The rows of a chat between two seqs, both of them left out. */
export interface OpenRange {
  chatId: string;
  above: number;
  below: number;
}

/** A range of a log; of its events those alone that are about a branch, in all of some ranges or in none. */
export type EventRange = SeqRange & EventKey;

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
