/**
 * The conversation graph in plain values. Times are milliseconds since 1970 in UTC; JSON is kept as text, exactly as
 * JSON.stringify wrote it, so that what was saved comes back unchanged and nothing is parsed that nobody reads.
 */

/** Who asks. Admins may read and change every chat. */
export interface Viewer {
  readonly userId: string;
  readonly isAdmin: boolean;
}

export interface Chat {
  readonly id: string;
  readonly userId: string;
  readonly title: string | null;
  /** A JSON object with its keys sorted (canonicalJson), so that equal values are equal text. */
  readonly metadata: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The seq of the newest event. */
  readonly version: number;
}

export interface Message {
  readonly id: string;
  readonly chatId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly type: string;
  /** Any JSON value but null, as text. */
  readonly data: string;
  readonly createdAt: number;
  /** 0 for a root, else the parent's plus one. */
  readonly depth: number;
  /** The number of the message in its chat, from 1, in the order of saving. */
  readonly seq: number;
  /** The number of siblings saved before it: it never changes, because nothing is ever deleted. */
  readonly siblingIndex: number;
}

/** A message with what is written beside it for walks, drawings, search and who wants to know, and read by those alone. */
export interface PlacedMessage extends Message {
  /** See jumps.ts. */
  readonly jumpId: string;
  /** The plain text of data, see messageText: what search looks through. */
  readonly text: string;
  /** The beginning of the text, see messagePreview. */
  readonly preview: string;
  /** The user who saved it. */
  readonly createdBy: string;
  /** Its parent's seq; null for a root. Of messages behind the one saved right before them it is not kept: see RunStart. */
  readonly parentSeq: number | null;
}

export interface Branch {
  readonly id: string;
  readonly chatId: string;
  readonly name: string;
  readonly headMessageId: string | null;
  /** The head's depth plus one; 0 for an empty branch. */
  readonly messageCount: number;
  readonly isActive: boolean;
  readonly createdAt: number;
  /** The seq of the event that tells of its creation: branches are listed in this order. */
  readonly seq: number;
}

export interface Checkpoint {
  readonly id: string;
  readonly chatId: string;
  readonly name: string;
  readonly messageId: string;
  readonly createdAt: number;
  /** The seq of the event that tells of its last saving: checkpoints are listed by it, newest first. */
  readonly seq: number;
}

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

/** What is known of a chat that was deleted, for a while. */
export interface Deletion {
  readonly chatId: string;
  /** Whose chat it was. */
  readonly userId: string;
  /** The seq of the event that tells of it, one behind the chat's last version. */
  readonly seq: number;
  readonly actorId: string;
  readonly createdAt: number;
}
