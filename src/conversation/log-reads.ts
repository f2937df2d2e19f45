/** What those read who follow a chat's log. The store in src/database implements it. */
import type { ChatEvent, Deletion } from './model.js';
import type { SeqRange } from './reads.js';

export interface LogReads {
  /** The events behind `after`, in order, at most `limit`. */
  eventsAfter(chatId: string, after: number, limit: number): Promise<LogSlice>;
  /** How each chat stands: one statement for all of them. */
  logStates(chatIds: readonly string[]): Promise<LogState[]>;
  /** The head of a branch, by default of the active one, at the chat's present version; null when there is none. */
  headNow(chatId: string, branchName: string | null): Promise<HeadNow | null>;
  /** The activation of a branch nearest to one end of a range of seqs, ends included: which branch; null when there is none. */
  nearestActivation(range: SeqRange, nearest: 'first' | 'last'): Promise<string | null>;
  /** The branch that had this name before a range of seqs and has lost it there, by another name or its end; null for none. */
  lostName(range: SeqRange, name: string): Promise<{ branchId: string; isDeleted: boolean } | null>;
}

export interface LogSlice {
  events: ChatEvent[];
  /** When a chat of this id was last deleted, null for never; unknown where there are no events. */
  deletedAt: number | null;
}

export interface LogState {
  chatId: string;
  /** Null when there is no such chat. */
  chat: { version: number; userId: string } | null;
  /** The last deletion of a chat of this id, which may be there again. */
  deletion: Deletion | null;
}

export interface HeadNow {
  version: number;
  branchId: string;
  headId: string | null;
}
