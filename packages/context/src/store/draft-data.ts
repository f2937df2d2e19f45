/** Messages that are being written, as a store tells of them. Times are milliseconds since 1970 in UTC. */
import type { BranchData, MessageData, NewMessageData, SavedMessages, SaveOptions } from './store-data.js';

/** ABANDONED: nobody has written within its idleTimeout; it can be taken up again, finished or discarded. */
export type DraftState = 'WRITING' | 'STOPPING' | 'ABANDONED';

/** How a draft stands. */
export interface DraftStanding {
  /** How many chunks it has: where its writer goes on. */
  length: number;
  state: DraftState;
}

export interface DraftData extends DraftStanding {
  /** The id of the message that it becomes. */
  id: string;
  chatId: string;
  /** The message that it goes behind; null for a root. */
  parentId: string | null;
  name: string;
  /** What goes with it; null for none. */
  metadata: unknown;
  /** The user who began it. */
  startedBy: string;
  startedAt: number;
  /** When it last grew, or began. */
  updatedAt: number;
}

export interface NewDraftData {
  /** Of the message to be. @default a new one */
  id?: string | undefined;
  /** @default the active branch */
  branch?: string | undefined;
  /** The message that it goes behind, in place of the branch's head. Not together with expectedHeadId. */
  parentId?: string | undefined;
  /** The head that the caller last saw, null for an empty branch. @default whatever is there */
  expectedHeadId?: string | null | undefined;
  /** What to do when the branch has moved on, now or at the end, see the schema's ConflictPolicy. @default 'FORK' */
  onConflict?: 'REJECT' | 'FORK' | 'APPEND' | undefined;
  /** Who says it. @default 'assistant' */
  name?: string | undefined;
  /** Seconds without an append after which it counts as abandoned, 10 to 3,600. @default 60 */
  idleTimeout?: number | undefined;
  /** Any JSON that goes with it; the message has it when the store joins its text. */
  metadata?: unknown;
}

/** A message, and the draft of an answer to it. */
export interface NewAnswerData {
  /** The owner of the chat, which is created when it is missing. Without an owner, a missing chat is NOT_FOUND. */
  userId?: string | undefined;
  message: NewMessageData & { id: string };
  /** Of the message; onConflict is FORK. The draft goes to the active branch. */
  place: Pick<SaveOptions, 'expectedHeadId'>;
  draft: Pick<NewDraftData, 'idleTimeout' | 'metadata'> & { id: string };
}

export interface StartedAnswer {
  saved: SavedMessages;
  /** null when the message was saved under another id, as an edit, and when there is a draft or message of the draft's id. */
  draft: DraftData | null;
  /** The messages to the saved one, root first; empty without a draft. */
  path: MessageData[];
}

/** What happens to a draft. Behind `finished` and `discarded` nothing comes. */
export type DraftUpdate =
  | {
      type: 'chunks';
      /** How many came before these. */
      offset: number;
      /** How many there are with these: `after`, to go on from here. */
      length: number;
      /** In order. */
      chunks: unknown[];
    }
  | { type: 'stopping'; /** The user who has asked its writer to stop. */ requestedBy: string }
  | { type: 'abandoned'; length: number }
  | { type: 'finished'; message: MessageData; /** Where it was saved to. */ branch: BranchData }
  | { type: 'discarded' };

export interface FollowDraftOptions {
  /** How many chunks the caller has. @default 0 */
  after?: number | undefined;
  /** Ends it. */
  signal?: AbortSignal | undefined;
  /** Whether the chunks are wanted; without them, updates of the type `chunks` have none in them. @default true */
  withChunks?: boolean | undefined;
}
