/**
 * The interface through which the rules change chats, implemented in src/database. Reads for clients are in reads.ts.
 */
import type { ChatChange, NewChat, OpenImport } from './change.js';
import type { Branch, Chat, Checkpoint, DeletedChat, Message, SourceMessage } from './model.js';
import type { SavedNode } from './saving/jumps.js';

export interface ConversationStore {
  /**
   * Locks the chat, runs `work` and writes its change, in one transaction. Concurrent changes of the chat wait. When
   * `work` throws, nothing is written. `work` may run again after a deadlock or a busy database, so it must have no
   * other effects.
   * @returns the result of `work`; null for an unknown chat, or if the id of a new chat is in use
   */
  change<T>(
    chatId: string,
    actorId: string,
    work: (chat: LockedChat, change: ChatChange) => Promise<T>,
    options?: ChangeOptions,
  ): Promise<T | null>;

  /** Writes a new chat. Returns false, and writes nothing, when the id is taken. */
  create(chat: NewChat): Promise<boolean>;

  /**
   * Writes a chat of any size in short transactions. The chat is hidden until the last one. A repeated call continues
   * an interrupted one.
   * @throws ImportUnderWayError while another call writes the chat; ChangedMeanwhileError when it was deleted meanwhile
   */
  createInSteps(chat: NewChat): Promise<boolean>;

  chat(id: string): Promise<Chat | null>;

  /**
   * Deletes a chat with everything in it, and records the actor for a limited time.
   * @returns null for an unknown chat
   * @throws RefusalError
   */
  remove(chatId: string, actorId: string, options?: RemovalOptions): Promise<RemovedChat | null>;

  /** The deleted chat with this id, of any user, if it can be restored. */
  deletedChat(id: string): Promise<DeletedChat | null>;

  /** The time of a change that begins now, in milliseconds since 1970. */
  now(): number;

  close(): Promise<void>;
}

/** Whether a chat is still to be deleted, as of its lock. */
export type IsDue = (chat: Chat) => boolean;

export interface ChangeOptions {
  /** The branch whose tip `work` reads, see LockedChat.tip: it is read with the lock, where that saves a round trip. */
  tipOf?: string | null | undefined;
  /** The chat that the change creates if it is missing: `work` receives a new one with every attempt. */
  newChat?: (() => NewChat) | undefined;
}

export interface RemovedChat {
  /** The time until which it can be restored, in milliseconds since 1970; null after its removal. */
  readonly restorableUntil: number | null;
}

export interface RemovalOptions {
  /**
   * Whether a feature may hide the chat from all reads and changes instead, for a while. Unfinished messages are deleted.
   * @default false
   */
  isRestorable?: boolean;
  isDue?: IsDue | undefined;
  /** Ends the removal after the current step: the rest follows at the next start, or with the next removal in steps. */
  signal?: AbortSignal | undefined;
}

/** A message without its content. */
export interface MessagePlace extends SourceMessage {
  readonly chatId: string;
}

/** Reads of a chat under its lock. Results do not include the change. */
export interface LockedChat {
  readonly chat: Chat;
  /**
   * Await it between pieces of work: it yields to other operations after a long run.
   * @throws TimeoutError when the operation has no time left
   */
  yieldIfDue(): Promise<void>;
  activeBranch(): Promise<Branch>;
  branch(name: string): Promise<Branch | null>;
  branchById(id: string): Promise<Branch | null>;
  /**
   * The branch with this name, or the active one, for appending to its head. The rows that placing needs are read
   * along, and later calls return them.
   */
  tip(name: string | null): Promise<Branch | null>;
  /** The branches whose head is this message, oldest first. Their number is unbounded. */
  branchesAt(headId: string): Promise<Branch[]>;
  /** The active branch if its head is this message, else the oldest one there; null when there is none. */
  branchAt(headId: string): Promise<Branch | null>;
  /**
   * Calls `note` for the chat's branch names with this prefix, in any order and possibly twice. Their number is
   * unbounded.
   */
  eachBranchName(prefix: string, note: (name: string) => void): Promise<void>;
  checkpoint(name: string): Promise<Checkpoint | null>;
  checkpointById(id: string): Promise<Checkpoint | null>;
  /** The chat's messages with these ids. */
  messages(ids: readonly string[]): Promise<Map<string, Message>>;
  /** A message of any chat by a client's id: the caller must check its chatId. */
  messageAnywhere(id: string): Promise<Message | null>;
  /** Messages of any chat with the ids of new ones. Rows of a chat that is being deleted are ignored. */
  takenBy(ids: readonly string[]): Promise<Map<string, Message>>;
  /** The places of messages of any chat by clients' ids: the caller must check their chatIds. */
  placesOf(ids: readonly string[]): Promise<Map<string, MessagePlace>>;
  /**
   * Reserves ids of messages for the chat, where no key of the database keeps others from using them.
   * @returns the chats of those that others have reserved, by id
   */
  reserveIds(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The sources of a message of the chat, in their order. */
  sourcesOf(message: Pick<Message, 'seq'>): Promise<SourceMessage[]>;
  /**
   * The present state of any chat. The roles in `chat` may be older than the lock: PostgreSQL reads them before it
   * waits for the lock.
   */
  chatNow(chatId: string): Promise<Chat | null>;
  /** The message with its digest, its jump, its jump's jump, up to the root. */
  ladder(messageId: string): Promise<SavedNode[]>;
  /** The message at this depth on the path from the root to `messageId`; null when the path is shorter. */
  ancestorAt(messageId: string, depth: number): Promise<Message | null>;
  /** The newest message named assistant on the path from the root to `messageId`. */
  lastAssistant(messageId: string): Promise<Message | null>;
  /** The leaf reached from `messageId` by taking the newest child at every step. */
  latestLeaf(messageId: string): Promise<Message>;
  /** The number of children of a message; for null, the number of roots. */
  childCount(parentId: string | null): Promise<number>;
  /** The number of messages: the seq of the newest. */
  messageCount(): Promise<number>;
  /** The unfinished import that writes the chat in several transactions, if any. */
  openImport(): Promise<OpenImport | null>;
}
