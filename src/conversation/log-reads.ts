/** Reads for subscribers of a chat's log, implemented in src/database. */
import type { Chat, ChatEvent, Deletion } from './model.js';
import type { SeqRange } from './reads.js';

export interface LogReads {
  /** Events after `after`, in order, at most `limit`. */
  eventsAfter(chatId: string, after: number, limit: number): Promise<LogSlice>;
  logStates(chatIds: readonly string[]): Promise<LogState[]>;
  /** The present head of a branch, the active one by default; null when there is none. */
  headNow(chatId: string, branchName: string | null): Promise<HeadNow | null>;
  /** The branch of the first or last activation in a range of seqs, both ends inclusive; null when there is none. */
  nearestActivation(range: SeqRange, nearest: 'first' | 'last'): Promise<string | null>;
  /** The branch that lost this name in a range of seqs by a rename or deletion; null for none. */
  lostName(range: SeqRange, name: string): Promise<{ branchId: string; isDeleted: boolean } | null>;
}

export interface LogSlice {
  events: ChatEvent[];
  /** The time of the last deletion of a chat with this id, null for never; unknown where there are no events. */
  deletedAt: number | null;
}

export interface LogState {
  chatId: string;
  /** Null for an unknown chat. */
  chat: Pick<Chat, 'version' | 'userId' | 'members'> | null;
  /** The last deletion of a chat with this id, which may exist again. */
  deletion: Deletion | null;
}

export interface HeadNow {
  version: number;
  branchId: string;
  headId: string | null;
}

export interface ListReads {
  /** The ids of the chats of others of which a user is a member, newest update first. */
  sharedChatIds(userId: string, limit: number): Promise<string[]>;
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
