/** Reads for subscribers of chat lists, implemented in src/database. */
import type { LogState } from './log-reads.js';

export interface ListReads {
  /** The state of each chat, in the order of the keys, in one statement. */
  chatStatuses(keys: readonly ChatStatusKey[]): Promise<ChatStatus[]>;
  /** Chats after a position by updatedAt and id, in that order. */
  changedSince(place: ListPlace, limit: number): Promise<ListedRow[]>;
  /** Deleted chats after a position by the time of deletion, in that order. */
  deletedSince(place: ListPlace, limit: number): Promise<ListedRow[]>;
}

export interface ChatStatusKey {
  chatId: string;
  /** A seq: only transfers after it are returned. */
  after: number;
}

/** A chat, with its transfers. */
export interface ChatStatus extends LogState {
  /** The time of its first event. */
  madeAt: number | null;
  /** Previous owners, and the times of the transfers. */
  transfers: readonly { previousUserId: string; createdAt: number }[];
}

/** A position: after a time, and after an id at the same time. */
export interface ListPlace {
  at: number;
  id: string;
}

/** A changed chat, or a deletion. */
export interface ListedRow {
  chatId: string;
  /** Null for a deletion. */
  userId: string | null;
  /** The seq of its newest event, or of its deletion. */
  version: number;
  at: number;
  /** The time of the last deletion of a chat with this id. */
  deletedAt: number | null;
}
