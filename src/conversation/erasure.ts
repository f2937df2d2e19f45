/** The report of a user's erasure. */

/** Deleted rows per table. */
export interface RemovedRows {
  chats: number;
  messages: number;
  branches: number;
  checkpoints: number;
  chat_events: number;
  message_runs: number;
  message_sources: number;
  message_texts: number;
  drafts: number;
  draft_chunks: number;
  /** Files of the user. Their contents are removed with a server's next sweep, unless other users have them. */
  user_files: number;
  access_tokens: number;
  shares: number;
  /** Memberships of the user in chats of others. */
  chat_members: number;
  monthly_usage: number;
  user_retention: number;
  user_storage: number;
}

export interface Erasure {
  /** Rows deleted with the user's chats, and with chats of an earlier interrupted removal. */
  removed: RemovedRows;
  /** Records of earlier deletions that named the user as owner or actor. */
  deletedChats: number;
  /** Events in chats of other users. */
  events: number;
  /** Messages that the user saved there. */
  messages: number;
  /** Drafts there that the user started or requested to stop. */
  drafts: number;
  /** Whether SQLite's write-ahead log still holds deleted data, because a long read prevented truncation. */
  isInLog: boolean;
}

/** An erasure in progress. */
export interface RunningErasure {
  /** Updated as the erasure proceeds. */
  readonly removed: Readonly<RemovedRows>;
  /** @throws DatabaseUnavailableError */
  readonly done: Promise<Erasure>;
}
