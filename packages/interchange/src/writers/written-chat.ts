/** A chat as writers read it. The chats that the server stores have this shape. Times are milliseconds since 1970. */

export interface WrittenMessage {
  readonly id: string;
  /** The message that it answers, which is written before it; null for a root. */
  readonly parentId: string | null;
  readonly name: string;
  readonly type: string;
  /** JSON text of any value but null: a UI message, a model message or a string. */
  readonly data: string;
  readonly createdAt: number;
  /** The id of a user. */
  readonly createdBy: string;
  /** Messages that are written before it and that it draws on besides its parent. None by default. */
  readonly sources?: readonly { readonly id: string }[];
  /** Sources that the chat does not have, with their numbers among its sources. None by default. */
  readonly sourceHashes?: readonly { readonly position: number; readonly hash: string }[] | undefined;
}

export interface WrittenBranch {
  readonly id: string;
  readonly name: string;
  /** Null for an empty branch. */
  readonly headMessageId: string | null;
  readonly isActive: boolean;
  readonly createdAt: number;
  /** The seq of the event that created it. */
  readonly seq: number;
}

export interface WrittenCheckpoint {
  readonly id: string;
  readonly name: string;
  readonly messageId: string;
  readonly createdAt: number;
  /** The seq of the event that saved it last. */
  readonly seq: number;
}

/** A line of the chat's log. */
export interface WrittenEvent {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly type: string;
  /** The id of a user. */
  readonly actorId: string;
  readonly createdAt: number;
  /** JSON text of an object. */
  readonly payload: string;
}

export interface WrittenChat {
  readonly chat: {
    readonly id: string;
    readonly userId: string;
    readonly title: string | null;
    /** JSON text of an object. */
    readonly metadata: string;
    readonly createdAt: number;
    readonly updatedAt: number;
    /** The number of its events. */
    readonly version: number;
  };
  readonly messageCount: number;
  /** The members of messages that Parley's format writes before the data. Those of WrittenMessage by default. */
  readonly messageMembers?: readonly string[];
  /** Sorted by seq, as are the checkpoints. */
  readonly branches: readonly WrittenBranch[];
  readonly checkpoints: readonly WrittenCheckpoint[];
  /** In the order of saving, a bounded number at a time. A writer may read them more than once. */
  messages(): AsyncIterable<readonly WrittenMessage[]>;
  /** Sorted by seq, a bounded number at a time. */
  events(): AsyncIterable<readonly WrittenEvent[]>;
}
