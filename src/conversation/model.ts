/**
 * The conversation graph as plain values. Times are milliseconds since 1970 in UTC. JSON stays text: it returns exactly
 * as saved and is parsed only when read.
 */
import type { Row, SEPARATE_MESSAGE_COLUMNS } from './tables.js';

/** The user of a request. Admins may read and change every chat. */
export interface Viewer {
  readonly userId: string;
  readonly isAdmin: boolean;
  /** The access token with which a program acts as the user; undefined for users themselves. It never makes an admin. */
  readonly accessToken?: TokenRights;
}

/** The scopes of access tokens, each with the rights of those before. */
export type AccessScope = 'READ' | 'WRITE' | 'MANAGE';

/** The rights of an access token, at most those of its user. */
export interface TokenRights {
  readonly id: string;
  readonly scope: AccessScope;
  /** The only chat that it may access, without MANAGE; null for all chats of the user. */
  readonly chatId: string | null;
}

export interface Chat extends Row<'chats'> {
  /** The members besides the owner, read with the chat: a JSON array of Member. */
  readonly members?: string | null | undefined;
}

/** The rights of a user in a chat, each with those of the following ones. */
export type ChatRole = 'OWNER' | 'WRITER' | 'COMMENTER' | 'READER';

/** A user with access to a chat. */
export interface Member {
  readonly userId: string;
  readonly role: ChatRole;
  readonly addedAt: number;
  readonly addedBy: string;
}

/** A message as read, without the columns that are read separately. */
export type Message = Omit<Row<'messages'>, (typeof SEPARATE_MESSAGE_COLUMNS)[number]>;

/** A message as stored, copied and archived: without its text, which follows from its data. */
export interface StoredMessage extends Row<'messages'> {
  /**
   * The parent's seq; null for a root. Stored only if the parent is not the message saved immediately before: see
   * RunStart.
   */
  readonly parentSeq: number | null;
  /** Earlier messages that it draws on besides its parent, in the given order. */
  readonly sources: readonly SourceMessage[];
  /** Sources that a fork did not copy, ordered by position. None by default. */
  readonly sourceHashes?: readonly SourceHash[] | undefined;
}

/** A source that the chat does not have. */
export interface SourceHash {
  /** Its number among the sources of the message. */
  readonly position: number;
  /** Its contentHash. */
  readonly hash: string;
}

/** A message that another one draws on. */
export interface SourceMessage {
  readonly id: string;
  readonly seq: number;
  /** Read for a save only. */
  readonly contentHash?: string | null | undefined;
}

/** The parent of new messages; null is the parent of roots. */
export type ParentPlace = Pick<Message, 'id' | 'depth'> | null;

/** A message ready to be written. */
export interface PlacedMessage extends StoredMessage {
  /** The text of data for search, see shownText. */
  readonly text: string;
  /** The part of its data in `usage`, if that is computed: see MessageSums. */
  readonly ownUsage?: object | null;
}

export interface Branch extends Row<'branches'> {
  /** The head's depth plus one; 0 for an empty branch. */
  readonly messageCount: number;
}

export type Checkpoint = Row<'checkpoints'>;

/** The stored JSON payload per event type. Messages of one head move have consecutive seqs. */
export interface EventPayloads {
  ChatCreated: Record<string, never>;
  ChatUpdated: Record<string, never>;
  ChatTransferred: { previousUserId: string; userId: string };
  /** The deletion before it is not stored in the log. */
  ChatRestored: Record<string, never>;
  /** role: null if removed. */
  MemberChanged: { userId: string; role: ChatRole | null };
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
  /** Not stored in the log, which is deleted with the chat: derived from its Deletion. */
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

export type StoredEvent = Omit<ChatEvent, 'payload'> & Pick<Row<'chat_events'>, 'payload'>;

/** A deleted chat that can be restored until it is removed. */
export interface DeletedChat extends Pick<Chat, 'id' | 'userId' | 'title' | 'updatedAt'> {
  readonly deletedAt: number;
  /** The time of its removal, which a sweep makes. */
  readonly restorableUntil: number;
}

/** The record of a deleted chat, kept for a limited time. */
export type Deletion = Omit<Row<'deleted_chats'>, 'id'> & { readonly chatId: string };

/** The reaction to an expected head that is no longer the head. */
export type ConflictPolicy = 'REJECT' | 'FORK' | 'APPEND';

/** The message fields that draw a graph. */
export type GraphRow = Pick<Row<'messages'>, 'id' | 'parentId' | 'name' | 'preview' | 'depth' | 'createdAt' | 'seq'>;
