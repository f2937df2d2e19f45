/** What a store keeps, in plain values. Times are milliseconds since 1970 in UTC. */

export interface ChatData {
  id: string;
  /** Whose it is. */
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
  /** null clears it. */
  title?: string | null | undefined;
  /** Replaces the metadata. */
  metadata?: Record<string, unknown> | undefined;
  /** Changes the metadata by RFC 7396 (JSON Merge Patch): null removes a member. Not together with metadata. */
  metadataPatch?: Record<string, unknown> | undefined;
}

export interface ListChatsOptions {
  /** Whose. @default everybody's that the caller may see */
  userId?: string;
  /** Those whose top-level metadata key has exactly this JSON value. */
  metadata?: { key: string; value: unknown };
  /** How many. @default all */
  limit?: number;
  /** How many of the newest to leave out. @default 0 */
  offset?: number;
}

export interface DeleteChatOptions {
  /** Remove it only if it is this user's. @default whoever's it is, that the caller may remove */
  userId?: string;
}

export interface MessageData {
  id: string;
  chatId: string;
  /** null for a root. */
  parentId: string | null;
  name: string;
  type: string;
  /** What was saved, unchanged. */
  data: unknown;
  createdAt: number;
}

/** A message to be saved. */
export interface NewMessageData {
  /** Made when missing. Not together with lazyId. */
  id?: string;
  /** The newest assistant message saved before it in the same save, else on the branch, else a new one. */
  lazyId?: 'LAST_ASSISTANT';
  name: string;
  /** @default 'message' */
  type?: string;
  /** Text is saved as a UI message with one text part, data as it is. */
  content: { text: string } | { data: unknown };
}

export interface SaveOptions {
  /** @default the active branch */
  branch?: string;
  /** The head that the caller last saw, null for an empty branch. @default whatever is there */
  expectedHeadId?: string | null;
  /** What to do when it is not the head any more, see the schema's ConflictPolicy. @default 'REJECT' */
  onConflict?: 'REJECT' | 'FORK' | 'APPEND';
}

export interface SavedMessages {
  /** The branch that now ends in the last message. */
  branch: BranchData;
  /** As saved, in the order given. */
  messages: MessageData[];
  /** Whether a new branch was made, by an edit or by FORK. */
  branched: boolean;
}

export interface BranchInfo {
  id: string;
  name: string;
  /** null while the branch is empty. */
  headMessageId: string | null;
  isActive: boolean;
  /** The length of the path from the root to the head. */
  messageCount: number;
  createdAt: number;
}

export interface BranchData extends BranchInfo {
  chatId: string;
}

export interface NewBranchData {
  chatId: string;
  /** Where it begins; null for a branch without messages. */
  headMessageId: string | null;
  /** @default after the active branch: main, main-v2, main-v3 */
  name?: string;
  /** Whether the chat goes on there. */
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
  /** A checkpoint of this name is moved. */
  name: string;
  messageId: string;
}

export interface SearchOptions {
  /** 1 to 1,000. @default 20 */
  limit?: number;
  /** Keep only messages with one of these names, such as user or assistant. */
  names?: readonly string[];
  /** Another word for names. Not together with them. */
  roles?: readonly string[];
}

export interface SearchResult {
  message: MessageData;
  /** Higher is better; comparable within one answer only. */
  rank: number;
  /** A stretch of the text around the match as HTML: escaped, with <mark> around what matched. */
  snippet: string;
}

export interface GraphNode {
  id: string;
  parentId: string | null;
  /** The message's name. */
  role: string;
  /** The first 50 characters of its text; longer text ends in an ellipsis. */
  content: string;
  createdAt: number;
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
