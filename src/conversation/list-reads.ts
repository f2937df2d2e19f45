/** What those read who follow lists of chats. The store in src/database implements it. */
import type { LogState } from './log-reads.js';

export interface ListReads {
  /** How each chat stands, in the order of the keys: one statement for all of them. */
  standings(keys: readonly StandingKey[]): Promise<Standing[]>;
  /** Chats whose updatedAt is behind a place, in that order. */
  changedSince(place: ListPlace, limit: number): Promise<ListedRow[]>;
  /** The same of chats that were deleted, by when that was. */
  deletedSince(place: ListPlace, limit: number): Promise<ListedRow[]>;
}

export interface StandingKey {
  chatId: string;
  /** A seq: whether the chat was given away is looked for behind it. */
  after: number;
}

/** A chat, with how it came to be its owner's. */
export interface Standing extends LogState {
  /** When its first event was written. */
  madeAt: number | null;
  /** Who has given it away, and when. */
  transfers: readonly { previousUserId: string; createdAt: number }[];
}

/** Behind a time, and at that time behind an id. */
export interface ListPlace {
  at: number;
  id: string;
}

/** A chat that has changed, or the deletion of one. */
export interface ListedRow {
  chatId: string;
  /** Null for a deletion. */
  userId: string | null;
  /** The seq of its newest event; of a deletion, of that. */
  version: number;
  at: number;
  /** When a chat of this id was last deleted. */
  deletedAt: number | null;
}
