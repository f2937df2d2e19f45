/** Messages that are being written. Times are milliseconds since 1970 in UTC. */
import type { BranchData, MessageData, NewMessageData, SavedMessages, SaveOptions } from './store-data.js';

/** ABANDONED: without an append for its idleTimeout; it can be taken up again, finished or discarded. */
export type DraftState = 'WRITING' | 'STOPPING' | 'ABANDONED';

/** The progress of a draft. */
export interface DraftStanding {
  /** The number of its chunks, which is the offset of the next append. */
  length: number;
  state: DraftState;
}

export interface DraftData extends DraftStanding {
  /** The id of the future message. */
  id: string;
  chatId: string;
  /** The parent of the future message; null for a root. */
  parentId: string | null;
  name: string;
  /** Metadata of the draft; null for none. */
  metadata: unknown;
  /** The user who started it. */
  startedBy: string;
  startedAt: number;
  /** Time of the last append, or of the start. */
  updatedAt: number;
}

export interface NewDraftData {
  /**
   * The id of the future message.
   * @default a new one
   */
  id?: string | undefined;
  /** @default the active branch */
  branch?: string | undefined;
  /** The parent of the message, in place of the branch's head. Not together with expectedHeadId. */
  parentId?: string | undefined;
  /**
   * The head that the caller last saw, null for an empty branch.
   * @default any head
   */
  expectedHeadId?: string | null | undefined;
  /**
   * The reaction to a changed branch, at the start or at the end; see ConflictPolicy in the schema.
   * @default 'FORK'
   */
  onConflict?: 'REJECT' | 'FORK' | 'APPEND' | undefined;
  /**
   * The author.
   * @default 'assistant'
   */
  name?: string | undefined;
  /** Seconds without an append after which it counts as abandoned, 10 to 3,600. @default 60 */
  idleTimeout?: number | undefined;
  /** Any JSON; the message has it when the store joins its text. */
  metadata?: unknown;
}

/** A message, and the draft of an answer to it. */
export interface NewAnswerData {
  message: NewMessageData & { id: string };
  /** The position of the message; onConflict is FORK by default. The draft follows it on the active branch. */
  place: Omit<SaveOptions, 'branch'>;
  draft: Pick<NewDraftData, 'idleTimeout' | 'metadata'> & { id: string };
}

export interface StartedAnswer {
  saved: SavedMessages;
  /** null when the message was saved under another id, as an edit, or when a draft or message has the draft's id. */
  draft: DraftData | null;
  /** The messages to the saved one, root first; empty without a draft. */
  path: MessageData[];
}

/** An event of a draft. `finished` and `discarded` are the last. */
export type DraftUpdate =
  | {
      type: 'chunks';
      /** How many chunks precede these. */
      offset: number;
      /** How many chunks the draft has with these: `after`, to continue from here. */
      length: number;
      /** In order; empty without `withChunks`. */
      chunks: unknown[];
    }
  | { type: 'stopping'; /** The user who requested the stop. */ requestedBy: string }
  | { type: 'abandoned'; length: number }
  | { type: 'finished'; message: MessageData; /** The branch that it was saved to. */ branch: BranchData }
  | { type: 'discarded' };

export interface FollowDraftOptions {
  /** How many chunks the caller has. @default 0 */
  after?: number | undefined;
  /** Aborting it ends the iteration. */
  signal?: AbortSignal | undefined;
  /**
   * Whether updates of the type `chunks` contain the chunks.
   * @default true
   */
  withChunks?: boolean | undefined;
}
