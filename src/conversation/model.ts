/**
 * The conversation graph in plain values. Times are milliseconds since 1970 in UTC; JSON is kept as text, exactly as
 * JSON.stringify wrote it, so that what was saved comes back unchanged and nothing is parsed that nobody reads.
 */
import type { Row, SEPARATE_MESSAGE_COLUMNS } from './tables.js';

/** Who asks. Admins may read and change every chat. */
export interface Viewer {
  readonly userId: string;
  readonly isAdmin: boolean;
}

export type Chat = Row<'chats'>;

/** As it is read: without the columns that are read by themselves. */
export type Message = Omit<Row<'messages'>, (typeof SEPARATE_MESSAGE_COLUMNS)[number]>;

/** As it is stored, copied and archived: without its text, which is in its data. */
export interface StoredMessage extends Row<'messages'> {
  /** Its parent's seq; null for a root. Stored only if the parent is not the message saved right before: see RunStart. */
  readonly parentSeq: number | null;
}

/** A message to be written. */
export interface PlacedMessage extends StoredMessage {
  /** The plain text of data, see messageText: what search looks through. */
  readonly text: string;
}

export interface Branch extends Row<'branches'> {
  /** The head's depth plus one; 0 for an empty branch. */
  readonly messageCount: number;
}

export type Checkpoint = Row<'checkpoints'>;

/** What the log keeps of each kind of event, as JSON. Messages of one move have consecutive seqs. */
export interface EventPayloads {
  ChatCreated: Record<string, never>;
  ChatUpdated: Record<string, never>;
  ChatTransferred: { previousUserId: string; userId: string };
  BranchCreated: { branchId: string; headId: string | null };
  BranchActivated: { branchId: string };
  BranchHeadMoved: {
    branchId: string;
    previousHeadId: string | null;
    headId: string;
    firstSeq: number;
    lastSeq: number;
  };
  BranchRenamed: { branchId: string; previousName: string; name: string };
  BranchDeleted: { branchId: string; name: string; headId: string | null };
  CheckpointSaved: { checkpointId: string; name: string; messageId: string };
  CheckpointDeleted: { name: string };
  /** Not in the log, which goes with the chat: made of its Deletion. */
  ChatDeleted: Record<string, never>;
}

export type ChatEventType = keyof EventPayloads;

/** One line of a chat's log; `seq` counts from 1 without a gap. */
export type ChatEvent = {
  [T in ChatEventType]: {
    readonly chatId: string;
    readonly seq: number;
    readonly type: T;
    readonly actorId: string;
    readonly createdAt: number;
    readonly payload: EventPayloads[T];
  };
}[ChatEventType];

/** An event as it is stored: its payload as JSON. */
export type StoredEvent = Omit<ChatEvent, 'payload'> & Pick<Row<'chat_events'>, 'payload'>;

/** What is known of a chat that was deleted, for a while. */
export type Deletion = Omit<Row<'deleted_chats'>, 'id'> & { readonly chatId: string };

/** The reaction to an expected head that is no longer the head. */
export type ConflictPolicy = 'REJECT' | 'FORK' | 'APPEND';

/** The fields of a message that a drawing of the graph needs. */
export type GraphRow = Pick<Row<'messages'>, 'id' | 'parentId' | 'name' | 'preview' | 'depth' | 'createdAt'>;
