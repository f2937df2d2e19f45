/** What is told of the erasure of a user. */

/** How many rows of each table have gone. */
export interface RemovedRows {
  chats: number;
  messages: number;
  branches: number;
  checkpoints: number;
  chat_events: number;
  message_runs: number;
  message_texts: number;
  drafts: number;
  draft_chunks: number;
}

export interface Erasure {
  /** What has gone with the user's chats, and with those whose removal was interrupted before. */
  removed: RemovedRows;
  /** Chats that were deleted earlier, of which it was still known whose they were or who had deleted them. */
  deletedChats: number;
  /** Events in the chats of others. */
  events: number;
  /** Messages that the user had saved there. */
  messages: number;
  /** Drafts that the user had begun there, or asked the writers of to stop. */
  drafts: number;
  /** Whether SQLite's write-ahead log still has what was removed, because somebody has read from it all the time. */
  isInLog: boolean;
}

/** One that is under way. */
export interface RunningErasure {
  /** Counts on as it goes. */
  readonly removed: Readonly<RemovedRows>;
  /** @throws DatabaseUnavailableError */
  readonly done: Promise<Erasure>;
}
