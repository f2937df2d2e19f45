/** The rows of a store as plain values. Times are milliseconds since 1970 in UTC. */

export interface ChatData {
  id: string;
  /** The owner. */
  userId: string;
  title: string | null;
  metadata: Record<string, unknown>;
  createdAt: number;
  updatedAt: number;
}

export interface NewChatData {
  id: string;
  userId: string;
  title?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

export interface ChatUpdates {
  /** null removes the title. */
  title?: string | null | undefined;
  /** Replaces the metadata. */
  metadata?: Record<string, unknown> | undefined;
  /** Changes the metadata by RFC 7396 (JSON Merge Patch): null removes a member. Not together with metadata. */
  metadataPatch?: Record<string, unknown> | undefined;
}

export interface ListChatsOptions {
  /**
   * The owner.
   * @default all owners that the caller can access
   */
  userId?: string;
  /** Chats whose top-level metadata key has exactly this JSON value. */
  metadata?: { key: string; value: unknown };
  /** Include other users' chats of which the caller, or the user of userId, is a member. @default false */
  includeShared?: boolean;
  /**
   * The maximum number of chats.
   * @default all
   */
  limit?: number;
  /**
   * How many of the newest to skip.
   * @default 0
   */
  offset?: number;
}

export interface DeleteChatOptions {
  /**
   * Delete the chat only if it belongs to this user.
   * @default any owner that the caller may delete for
   */
  userId?: string;
}

export interface MessageData {
  id: string;
  chatId: string;
  /** null for a root. */
  parentId: string | null;
  name: string;
  type: string;
  /** The stored JSON, unchanged. */
  data: unknown;
  createdAt: number;
}

/** The fields that stores read from the database or the server. */
export const MESSAGE_FIELDS = ['id', 'chatId', 'parentId', 'name', 'type', 'data', 'createdAt'] as const;

/** A message to be saved. */
export interface NewMessageData {
  /** @default a new one. Not together with lazyId. */
  id?: string;
  /**
   * Another version of the newest assistant message before it in the same save, else on the branch, else a new message.
   */
  lazyId?: 'LAST_ASSISTANT';
  name: string;
  /** @default 'message' */
  type?: string;
  /** Text is saved as a UIMessage with one text part, data unchanged. */
  content: { text: string } | { data: unknown };
  /**
   * Up to 16 other messages that it draws on besides its parent: of the chat, or earlier ones of the same save. A saved message with other
   * sources is edited.
   * @default none for a new message, and unchanged for a saved one
   */
  sourceIds?: readonly string[];
}

/** The fields that stores accept in a new message. */
export const NEW_MESSAGE_FIELDS = ['id', 'lazyId', 'name', 'type', 'content', 'sourceIds'] as const;

export interface SaveOptions {
  /** @default the active branch */
  branch?: string;
  /**
   * The head that the caller last saw, null for an empty branch.
   * @default any head
   */
  expectedHeadId?: string | null;
  /**
   * The reaction to another head, see ConflictPolicy in the schema.
   * @default 'REJECT'
   */
  onConflict?: 'REJECT' | 'FORK' | 'APPEND';
  /** Creates a missing chat with its first messages. An existing one does not change. */
  createChat?: Omit<NewChatData, 'id'>;
}

export interface SavedMessages {
  /** The branch that now ends in the last message. */
  branch: BranchData;
  /** As saved, in the given order. */
  messages: MessageData[];
  /** Whether an edit or FORK created a branch. */
  branched: boolean;
}

export interface BranchInfo {
  id: string;
  name: string;
  /** null while the branch is empty. */
  headMessageId: string | null;
  isActive: boolean;
  /** The length of the path from the root to the head. Only a store of your own may omit it. */
  messageCount?: number;
  createdAt: number;
}

export interface BranchData extends BranchInfo {
  chatId: string;
}

export interface NewBranchData {
  chatId: string;
  /** The first head; null for a branch without messages. */
  headMessageId: string | null;
  /** @default named after the active branch: main-v2, main-v3 */
  name?: string;
  /** Whether the branch becomes the active one. */
  isActive: boolean;
}

export interface CheckpointInfo {
  id: string;
  name: string;
  messageId: string;
  createdAt: number;
}

export interface CheckpointData extends CheckpointInfo {
  chatId: string;
}

export interface NewCheckpointData {
  chatId: string;
  /** An existing checkpoint of this name is moved. */
  name: string;
  messageId: string;
}

export interface SearchOptions {
  /** 1 to 1,000. @default 20 */
  limit?: number;
  /** Keep only messages with these names, such as user or assistant. */
  names?: readonly string[];
  /** A synonym of names. Not together with them. */
  roles?: readonly string[];
}

export interface SearchChatsOptions extends SearchOptions {
  /** Search also chats of other users of which the user is a member. @default false */
  includeShared?: boolean;
}

export interface SearchResult {
  message: MessageData;
  /** Higher is better; comparable within one result only. */
  rank: number;
  /** Part of the text as escaped HTML, with <mark> around the matches. */
  snippet: string;
}

/** A message: the head of a branch, the message of a checkpoint, or a message by its id. Has exactly one member. */
export interface PlaceData {
  branch?: string | undefined;
  checkpoint?: string | undefined;
  messageId?: string | undefined;
}

/** The differences of the paths from the root to a base and to a head. */
export interface ComparisonData {
  /** `AHEAD`: the head continues the base. `BEHIND`: the base continues the head. */
  status: 'IDENTICAL' | 'AHEAD' | 'BEHIND' | 'DIVERGED';
  base: MessageData;
  head: MessageData;
  /** The newest message of both paths; null if they have different roots. */
  commonAncestor: MessageData | null;
  /** The messages that only the head's path has: the last ones of its chain. */
  aheadBy: number;
  /** The messages that only the base's path has. */
  behindBy: number;
}

/** The path to a source of a message. */
export interface SourcePathData {
  /** The message that draws on the source. */
  messageId: string;
  sourceId: string;
  /** The newest messages of the path, root first; the source is the last one. */
  path: MessageData[];
}

export interface GraphNode {
  id: string;
  parentId: string | null;
  /** The message's name. */
  role: string;
  /** The first 50 characters of its text; longer text ends in `...`. */
  content: string;
  createdAt: number;
  /** The messages that it draws on besides its parent, in their order. Absent for none. */
  sourceIds?: readonly string[];
}

export interface GraphData {
  /** In the order in which they were saved. */
  nodes: GraphNode[];
  /** Oldest first. */
  branches: BranchInfo[];
  /** Newest first. */
  checkpoints: CheckpointInfo[];
}

export function toBranchInfo({ chatId: _, ...info }: BranchData): BranchInfo {
  return info;
}

export function toCheckpointInfo({ chatId: _, ...info }: CheckpointData): CheckpointInfo {
  return info;
}
