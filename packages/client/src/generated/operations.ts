/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/* eslint-disable */
// Written by GraphQL Code Generator from operations.graphql.
import { operation } from '../connection/operation.js';
/** A member to add, or its new role. */
export type AddMemberInput = {
  /** The id of the chat. */
  chatId: string;
  /** The role. For OWNER, use transferChat. */
  role: ChatRole;
  /** The id of the user. */
  userId: string;
};

/** Chunks after an offset. */
export type AppendToDraftInput = {
  /** The id of the chat. */
  chatId: string;
  /** 0 to 500 chunks, in order, with at most 256 KiB as JSON together: any JSON but null, such as a string of text or a UIMessageChunk of the AI SDK. Without chunks, updatedAt is renewed. */
  chunks: Array<unknown>;
  /** The id of the draft. */
  id: string;
  /** Number of chunks that the writer has sent before. */
  offset: number;
};

/** A side question. */
export type BtwInput = {
  /** The message at which it starts: the active branch's head by default. */
  at?: PositionInput | null | undefined;
  /** Named after the active branch by default. 1 to 255 characters. */
  branchName?: string | null | undefined;
  /** The id of the chat. */
  chatId: string;
};

/** Chats to list: by default those of the viewer and those shared with it. An admin's list has the chats of all users unless mine or userId selects a user. */
export type ChatFilter = {
  /** Also chats of others of which the user of the list is a member. Without effect on an admin's list of all chats. */
  includeShared?: boolean;
  /** All of these must hold. */
  metadata?: Array<MetadataFilter> | null | undefined;
  /** The viewer's list, also for admins. Cannot be combined with another user's userId. */
  mine?: boolean | null | undefined;
  /** Words of the title, with the syntax of search: also "phrases", prefixes* and -exclusions. A text without words matches no chat. At most 1,000 characters. */
  title?: string | null | undefined;
  /** Only chats whose updatedAt is after this time, exclusive. */
  updatedAfter?: string | null | undefined;
  /** Only chats whose updatedAt is before this time, exclusive. */
  updatedBefore?: string | null | undefined;
  /** Admins only: the list of this user instead of all chats. */
  userId?: string | null | undefined;
};

/** The rights of a user in a chat. Each role has those of the following ones. */
export type ChatRole =
  /** Also creates branches, and writes to them. New branches stay inactive. */
  | 'COMMENTER'
  /** Also transfers and deletes the chat, and changes its members. */
  | 'OWNER'
  /** Reads everything of the chat. */
  | 'READER'
  /** Also writes to all branches, and changes the chat, its active branch and its checkpoints. */
  | 'WRITER';

/** How the path of the head differs from the path of the base. */
export type ComparisonStatus =
  /** The head continues the base. */
  | 'AHEAD'
  /** The base continues the head. */
  | 'BEHIND'
  /** Each has messages that the other lacks. */
  | 'DIVERGED'
  /** Base and head are the same message. */
  | 'IDENTICAL';

/** Behaviour when expectedHead is not the current head. */
export type ConflictPolicy =
  /** Append after the new head when it descends from expectedHead, else REJECT. */
  | 'APPEND'
  /** Save on a new active branch that starts at expectedHead. */
  | 'FORK'
  /** Write nothing and return HeadConflictError. */
  | 'REJECT';

/** A chat to create. */
export type CreateChatInput = {
  /** Chosen by the client, or generated. */
  id?: string | null | undefined;
  /** A JSON object. At most 64 KiB as JSON and 100 levels deep. */
  metadata?: unknown;
  /** Title for lists. 1 to 255 characters. */
  title?: string | null | undefined;
  /** Owner of the chat: the viewer by default. Admins only. */
  userId?: string | null | undefined;
};

/** A checkpoint to create or move. */
export type CreateCheckpointInput = {
  /** The id of the chat. */
  chatId: string;
  /** The active branch's head by default. */
  messageId?: string | null | undefined;
  /** Unique in its chat: an existing checkpoint is moved. 1 to 255 characters. */
  name: string;
};

/** A share to create. */
export type CreateShareInput = {
  /** Whether all branches with messages are shared, at most 20 besides the place. Not with branches. */
  allBranches?: boolean;
  /** The names of other branches to share as they are now, at most 20 of 1 to 255 characters. Readers see the names. */
  branches?: Array<string> | null | undefined;
  /** A chat of the viewer. */
  chatId: string;
  /** A time in the future. Without it, revoke the share to end it. */
  expiresAt?: string | null | undefined;
  /** Whether readers see reasoning parts. */
  includeReasoning?: boolean;
  /** Whether readers see tool calls with their inputs and outputs. */
  includeTools?: boolean;
  /** The last message of the path that opens first: the active branch's head by default. */
  place?: PlaceInput | null | undefined;
  /** The name of the sharer that readers see. 1 to 255 characters. */
  sharedBy?: string | null | undefined;
  /** A title that readers see, 1 to 255 characters. They do not see the chat's. */
  title?: string | null | undefined;
};

/** The branch to delete. */
export type DeleteBranchInput = {
  /** The id of a branch that is not active. */
  branchId?: string | null | undefined;
  /** The chat of the branch. */
  chatId: string;
  /** The name of a branch that is not active. 1 to 255 characters. Exactly one of name and branchId is required. */
  name?: string | null | undefined;
};

/** A chat to delete. */
export type DeleteChatInput = {
  /** The id of the chat. */
  chatId: string;
  /** Whether the chat is removed at once, also if it is deleted already. */
  permanently?: boolean;
};

/** A checkpoint to delete. */
export type DeleteCheckpointInput = {
  /** The id of the chat. */
  chatId: string;
  /** The id of the checkpoint. */
  checkpointId?: string | null | undefined;
  /** The name of the checkpoint. 1 to 255 characters. Exactly one of name and checkpointId is required. */
  name?: string | null | undefined;
};

/** A draft of a chat. */
export type DraftInput = {
  /** The id of the chat. */
  chatId: string;
  /** The id of the draft. */
  id: string;
};

/** Kind of a change in the drafts of a chat. */
export type DraftNoticeState =
  /** No append within idleTimeout. */
  | 'ABANDONED'
  /** It was discarded and nothing of it was saved. */
  | 'DISCARDED'
  /** It became a message. */
  | 'FINISHED'
  /** It started, was continued, or got its own branch. */
  | 'STARTED';

/** State of a draft. */
export type DraftState =
  /** No append within idleTimeout. It can be continued, finished or discarded. */
  | 'ABANDONED'
  /** The writer was requested to stop. */
  | 'STOPPING'
  /** It is being written. */
  | 'WRITING';

/** A new version of a message. */
export type EditMessageInput = {
  /** The name of the new branch. 1 to 255 characters. */
  branchName?: string | null | undefined;
  /** The id of the chat. */
  chatId: string;
  /** The content of the new version. */
  content: MessageContent;
  /** The head of the active branch that the client last saw. Absent: any head. */
  expectedHead?: ExpectedHeadInput | null | undefined;
  /** The id of the new version, chosen by the client, or generated. A retry with the same id and content writes nothing. */
  id?: string | null | undefined;
  /** The original message. */
  messageId: string;
};

/** Kind of failure, for programs. */
export type ErrorCode =
  /** The id or the name is taken. */
  | 'ALREADY_EXISTS'
  /** The viewer's role in the chat does not allow the operation. */
  | 'FORBIDDEN'
  /** The head of the branch is not the one that the client last saw. */
  | 'HEAD_CONFLICT'
  /** An input field is out of bounds. */
  | 'INVALID_INPUT'
  /** A legal hold refuses the operation. */
  | 'LEGAL_HOLD'
  /** The object does not exist, or it is not the viewer's. */
  | 'NOT_FOUND';

/** The head of a branch that the client last saw. */
export type ExpectedHeadInput =
  {   /** true: the branch had no messages. */
  empty: boolean; id?: never; }
  |  { empty?: never;   /** The id of the last message. */
  id: string; };

/** A complete draft. */
export type FinishDraftInput = {
  /** The id of the chat. */
  chatId: string;
  /** The message to save. By default, the joined text of all chunks that are strings or text deltas of the AI SDK, with `status: "incomplete"` in the metadata when the draft is STOPPING or ABANDONED. */
  content?: MessageContent | null | undefined;
  /** The id of the draft. */
  id: string;
};

/** A chat to fork. Exactly one of chatId and shareToken is required. */
export type ForkChatInput = {
  /** The id of the chat to copy. */
  chatId?: string | null | undefined;
  /** The id of the new chat, chosen by the client, or generated. */
  id?: string | null | undefined;
  /** The last message of the path to copy: the head of the active branch by default. Not with wholeGraph. */
  messageId?: string | null | undefined;
  /** The token of a share, which copies only what the share shows: 56 characters. */
  shareToken?: string | null | undefined;
  /** The branch of the share, by its key of at most 2 characters: the path that opens first by default. Only with shareToken. */
  sharedBranch?: string | null | undefined;
  /** Title of the new chat: that of the copied chat if absent, none if null. 1 to 255 characters. */
  title?: string | null | undefined;
  /** Copy all messages, branches and checkpoints instead of a path. */
  wholeGraph?: boolean;
};

/** An id that the server resolves when it saves. */
export type LazyId =
  /** The newest assistant message among those being saved, else on the branch, else a new id. */
  | 'LAST_ASSISTANT';

/** Exactly one of these. */
export type MessageContent =
  {   /** Saved unchanged; any JSON value but null. At most 1 MiB as JSON and 200 levels deep. */
  data: unknown; text?: never; }
  |  { data?: never;   /** Saved as a UI message with one text part. At most 1 MiB as JSON. */
  text: string; };

/** A message to save. */
export type MessageInput = {
  /** The content. */
  content: MessageContent;
  /** Chosen by the client, or generated. Cannot be combined with lazyId. */
  id?: string | null | undefined;
  /** An id that the server resolves when it saves. */
  lazyId?: LazyId | null | undefined;
  /** user, assistant, system, tool, or any other name. 1 to 255 characters. */
  name: string;
  /** Up to 16 messages that this one draws on besides its parent, such as the result of a side thread (a merge): messages of the chat on any branch, or earlier ones of this save. A saved message with other sources is edited; absent: its sources are not compared. */
  sourceIds?: Array<string> | null | undefined;
  /** The kind of record. A summary represents all messages before it: see ContextInput.summaries. 1 to 255 characters. */
  type?: string;
};

/** Matches chats whose top-level metadata key has exactly this JSON value: true is not 1, "1" is not 1. */
export type MetadataFilter = {
  /** Any JSON value, including null; required. At most 64 KiB as JSON and 100 levels deep. */
  equals?: unknown;
  /** A key at the top level of the metadata. At most 64 KiB as JSON. */
  key: string;
};

/** A chat to create if it is missing. */
export type NewChatInput = {
  /** A JSON object. At most 64 KiB as JSON and 100 levels deep. */
  metadata?: unknown;
  /** Title for lists. 1 to 255 characters. */
  title?: string | null | undefined;
  /** Owner of the chat: the viewer by default. Admins only. */
  userId?: string | null | undefined;
};

/** A message of a chat: the head of a branch, the message of a checkpoint, or a message by id. */
export type PlaceInput =
  {   /** The name of the branch. 1 to 255 characters. */
  branch: string; branchId?: never; checkpoint?: never; checkpointId?: never; messageId?: never; }
  |  { branch?: never;   /** The id of the branch. */
  branchId: string; checkpoint?: never; checkpointId?: never; messageId?: never; }
  |  { branch?: never; branchId?: never;   /** The name of the checkpoint. 1 to 255 characters. */
  checkpoint: string; checkpointId?: never; messageId?: never; }
  |  { branch?: never; branchId?: never; checkpoint?: never;   /** The id of the checkpoint. */
  checkpointId: string; messageId?: never; }
  |  { branch?: never; branchId?: never; checkpoint?: never; checkpointId?: never;   /** The id of the message. */
  messageId: string; };

/** A message of the chat, or the start of a thread, before its first message. */
export type PositionInput =
  {   /** The id of the message. */
  message: string; start?: never; }
  |  { message?: never;   /** true: the start of a thread. */
  start: boolean; };

/** A member to remove. */
export type RemoveMemberInput = {
  /** The id of the chat. */
  chatId: string;
  /** The id of the member: the viewer's own to leave the chat. */
  userId: string;
};

/** A new name for a branch. */
export type RenameBranchInput = {
  /** The id of the branch. */
  branchId?: string | null | undefined;
  /** The chat of the branch. */
  chatId: string;
  /** The current name. 1 to 255 characters. Exactly one of name and branchId is required. */
  name?: string | null | undefined;
  /** The new name. 1 to 255 characters. */
  newName: string;
};

/** A chat to restore. */
export type RestoreChatInput = {
  /** The id of the deleted chat. */
  chatId: string;
};

/** The checkpoint to go back to. */
export type RestoreCheckpointInput = {
  /** The id of the chat. */
  chatId: string;
  /** The id of the checkpoint. */
  checkpointId?: string | null | undefined;
  /** The name of the checkpoint. 1 to 255 characters. Exactly one of name and checkpointId is required. */
  name?: string | null | undefined;
};

/** A share to revoke. */
export type RevokeShareInput = {
  /** The id of the share. */
  id: string;
};

/** The message to go back to. */
export type RewindInput = {
  /** The head of the new branch, or the start for a branch without messages, to start over. */
  at: PositionInput;
  /** Named after the active branch by default: main, main-v2, main-v3. 1 to 255 characters. */
  branchName?: string | null | undefined;
  /** The id of the chat. */
  chatId: string;
};

/** Messages to save, and their place. */
export type SaveMessagesInput = {
  /** The parent of the first message, instead of the branch's head: another answer to a question, or a continuation from the middle. Unless it is the head of the target, a new active branch starts at it. Cannot be combined with expectedHead. */
  at?: PositionInput | null | undefined;
  /** The name of the branch: the active one by default. 1 to 255 characters. */
  branch?: string | null | undefined;
  /** The id of the branch, instead of its name. */
  branchId?: string | null | undefined;
  /** The name of the branch that an edit, FORK or at creates. 1 to 255 characters. */
  branchName?: string | null | undefined;
  /** The id of the chat. */
  chatId: string;
  /** Creates the chat if it is missing, in the same transaction. An existing chat is not changed. As with upsertChat, the id of a deleted chat, or of one that the viewer may not access, is AlreadyExistsError. */
  createChat?: NewChatInput | null | undefined;
  /** The head that the client last saw. Absent: append to any head. */
  expectedHead?: ExpectedHeadInput | null | undefined;
  /** 1 to 500. */
  messages: Array<MessageInput>;
  /** Behaviour when expectedHead is not the current head. */
  onConflict?: ConflictPolicy;
};

/** Messages to search. */
export type SearchFilter = {
  /** Only the messages of this chat. */
  chatId?: string | null | undefined;
  /** Only messages saved after this time, exclusive. */
  createdAfter?: string | null | undefined;
  /** Only messages saved before this time, exclusive. */
  createdBefore?: string | null | undefined;
  /** Also search chats of other users of which the viewer is a member, or with userId that user: the 1,000 that changed last. Not needed with chatId alone. */
  includeShared?: boolean;
  /** Only messages with one of these names, such as user or assistant: at most 100. 1 to 255 characters. */
  names?: Array<string> | null | undefined;
  /** Admins only: only messages in the chats of this user. */
  userId?: string | null | undefined;
};

/** A message to be written, and its place. */
export type StartDraftInput = {
  /** The parent of the message, instead of the branch's head: another answer to a question. Unless it is that head, a new branch starts at it with the first content. Cannot be combined with expectedHead. */
  at?: PositionInput | null | undefined;
  /** The name of the branch: the active one by default. 1 to 255 characters. */
  branch?: string | null | undefined;
  /** The id of the branch, instead of its name. */
  branchId?: string | null | undefined;
  /** The id of the chat. */
  chatId: string;
  /** The head that the client last saw. Absent: any head. */
  expectedHead?: ExpectedHeadInput | null | undefined;
  /** The id of the future message, chosen by the client, or generated. */
  id?: string | null | undefined;
  /** Seconds without an append after which it counts as abandoned: 60 by default, 10 to 3,600. */
  idleTimeout?: number | null | undefined;
  /** Any data of the writer; never interpreted. The message gets it when its text is joined. At most 64 KiB as JSON and 100 levels deep. */
  metadata?: unknown;
  /** user, assistant, system, tool, or any other name. 1 to 255 characters. */
  name?: string;
  /** Behaviour when the branch has moved, now or when the draft is finished. */
  onConflict?: ConflictPolicy;
};

/** The branch to activate. */
export type SwitchBranchInput = {
  /** The id of the branch. */
  branchId?: string | null | undefined;
  /** The id of the chat. */
  chatId: string;
  /** The name of the branch. 1 to 255 characters. Exactly one of name and branchId is required. */
  name?: string | null | undefined;
};

/** Another version of a message to show. */
export type SwitchToSiblingInput = {
  /** The name of the branch that is created when none ends at the sibling's latest leaf. 1 to 255 characters. */
  branchName?: string | null | undefined;
  /** The id of the chat. */
  chatId: string;
  /** The sibling to show. */
  messageId: string;
};

/** Changes to a chat. */
export type UpdateChatInput = {
  /** The id of the chat. */
  chatId: string;
  /** Replaces the metadata. At most 64 KiB as JSON and 100 levels deep. */
  metadata?: unknown;
  /** Changes the metadata by RFC 7396 (JSON Merge Patch). Cannot be combined with metadata. At most 64 KiB as JSON and 100 levels deep. */
  metadataPatch?: unknown;
  /** Null deletes it; absent keeps it. 1 to 255 characters. */
  title?: string | null | undefined;
};

export type PlacedFragment = { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null };

export type ListedFragment = { id: string, title: string | null, metadata: unknown, userId: string, viewerRole: ChatRole, version: number, messageCount: number, createdAt: string, updatedAt: string, branchCount: { totalCount: number }, lastMessage: { id: string, name: string, preview: string } | null };

export type NamedFragment = { id: string, name: string, head: { id: string } | null };

export type MarkedFragment = { id: string, name: string, createdAt: string, message: { id: string } };

export type BranchPageFragment = { edges: Array<{ node: { id: string, name: string, head: { id: string } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } };

export type CheckpointPageFragment = { edges: Array<{ node: { id: string, name: string, createdAt: string, message: { id: string } } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } };

export type OpenThreadQueryVariables = Exact<{
  chatId: string;
  last: number;
}>;


export type OpenThreadQuery = { chat: { id: string, title: string | null, metadata: unknown, userId: string, viewerRole: ChatRole, version: number, messageCount: number, createdAt: string, updatedAt: string, activeBranch: { id: string, name: string, messages: { edges: Array<{ node: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } }> }, head: { id: string } | null }, branches: { edges: Array<{ node: { id: string, name: string, head: { id: string } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } }, checkpoints: { edges: Array<{ node: { id: string, name: string, createdAt: string, message: { id: string } } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } }, drafts: { edges: Array<{ node: { id: string, name: string, metadata: unknown, length: number, state: DraftState, startedAt: string, startedBy: string, parent: { id: string } | null, branch: { id: string } } }> }, branchCount: { totalCount: number }, lastMessage: { id: string, name: string, preview: string } | null } | null };

export type ReadBranchesQueryVariables = Exact<{
  chatId: string;
  after: string;
}>;


export type ReadBranchesQuery = { chat: { branches: { edges: Array<{ node: { id: string, name: string, head: { id: string } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type ReadCheckpointsQueryVariables = Exact<{
  chatId: string;
  after: string;
}>;


export type ReadCheckpointsQuery = { chat: { checkpoints: { edges: Array<{ node: { id: string, name: string, createdAt: string, message: { id: string } } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type ReadVersionQueryVariables = Exact<{
  chatId: string;
}>;


export type ReadVersionQuery = { chat: { version: number } | null };

export type ReadPathQueryVariables = Exact<{
  messageId: string;
  last: number;
}>;


export type ReadPathQuery = { message: { id: string, path: { edges: Array<{ node: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } }> } } | null };

export type ReadNewerQueryVariables = Exact<{
  messageId: string;
  first: number;
  after: string;
}>;


export type ReadNewerQuery = { message: { id: string, path: { edges: Array<{ node: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type ReadAroundQueryVariables = Exact<{
  messageId: string;
  first: number;
}>;


export type ReadAroundQuery = { message: { id: string, chat: { id: string }, latestLeaf: { id: string, path: { edges: Array<{ node: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } } | null };

export type ReadOnBranchQueryVariables = Exact<{
  chatId: string;
  name: string;
  messageId: string;
  first: number;
}>;


export type ReadOnBranchQuery = { chat: { id: string, branch: { id: string, messages: { edges: Array<{ node: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null } | null };

export type ReadLatestQueryVariables = Exact<{
  messageId: string;
  last: number;
}>;


export type ReadLatestQuery = { message: { id: string, latestLeaf: { id: string, path: { edges: Array<{ node: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } }> } } } | null };

export type ReadGraphQueryVariables = Exact<{
  chatId: string;
  first: number;
  after?: string | null | undefined;
}>;


export type ReadGraphQuery = { chat: { version: number, messages: { edges: Array<{ node: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type ListChatsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: ChatFilter | null | undefined;
}>;


export type ListChatsQuery = { chats: { edges: Array<{ node: { id: string, title: string | null, metadata: unknown, userId: string, viewerRole: ChatRole, version: number, messageCount: number, createdAt: string, updatedAt: string, branchCount: { totalCount: number }, lastMessage: { id: string, name: string, preview: string } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type SearchQueryVariables = Exact<{
  query: string;
  first: number;
  after?: string | null | undefined;
  filter?: SearchFilter | null | undefined;
}>;


export type SearchQuery = { search: { edges: Array<{ node: { rank: number, snippet: string, message: { id: string, name: string, preview: string, createdAt: string, chat: { id: string, title: string | null } } } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CreateChatMutationVariables = Exact<{
  input: CreateChatInput;
}>;


export type CreateChatMutation = { createChat:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'CreateChatPayload', chat: { id: string, title: string | null, metadata: unknown, userId: string, viewerRole: ChatRole, version: number, messageCount: number, createdAt: string, updatedAt: string, branchCount: { totalCount: number }, lastMessage: { id: string, name: string, preview: string } | null } }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
   };

export type UpsertChatMutationVariables = Exact<{
  input: CreateChatInput;
}>;


export type UpsertChatMutation = { upsertChat:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'UpsertChatPayload', chat: { id: string, title: string | null, metadata: unknown, userId: string, viewerRole: ChatRole, version: number, messageCount: number, createdAt: string, updatedAt: string, branchCount: { totalCount: number }, lastMessage: { id: string, name: string, preview: string } | null } }
   };

export type UpdateChatMutationVariables = Exact<{
  input: UpdateChatInput;
}>;


export type UpdateChatMutation = { updateChat:
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'UpdateChatPayload', chat: { id: string, title: string | null, metadata: unknown, userId: string, viewerRole: ChatRole, version: number, messageCount: number, createdAt: string, updatedAt: string, branchCount: { totalCount: number }, lastMessage: { id: string, name: string, preview: string } | null } }
   };

export type DeleteChatMutationVariables = Exact<{
  input: DeleteChatInput;
}>;


export type DeleteChatMutation = { deleteChat:
    | { __typename: 'DeleteChatPayload', deletedId: string, restorableUntil: string | null }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'LegalHoldError', code: ErrorCode, message: string }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type RestoreChatMutationVariables = Exact<{
  input: RestoreChatInput;
}>;


export type RestoreChatMutation = { restoreChat:
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'RestoreChatPayload', chat: { id: string } }
   };

export type ReadSharingQueryVariables = Exact<{
  chatId: string;
}>;


export type ReadSharingQuery = { viewer: { userId: string }, chat: { id: string, viewerRole: ChatRole, members: { edges: Array<{ node: { userId: string, role: ChatRole } }> }, branches: { edges: Array<{ node: { id: string, name: string, messageCount: number } }> }, shares: { edges: Array<{ node: { id: string, title: string | null, createdAt: string, expiresAt: string | null, message: { id: string, preview: string } } }> } } | null };

export type CreateShareMutationVariables = Exact<{
  input: CreateShareInput;
}>;


export type CreateShareMutation = { createShare:
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'SharePayload', share: { id: string, token: string | null } }
   };

export type RevokeShareMutationVariables = Exact<{
  input: RevokeShareInput;
}>;


export type RevokeShareMutation = { revokeShare:
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'RevokeSharePayload', deletedId: string }
   };

export type AddMemberMutationVariables = Exact<{
  input: AddMemberInput;
}>;


export type AddMemberMutation = { addMember:
    | { __typename: 'AddMemberPayload', member: { userId: string, role: ChatRole } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type RemoveMemberMutationVariables = Exact<{
  input: RemoveMemberInput;
}>;


export type RemoveMemberMutation = { removeMember:
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'RemoveMemberPayload', deletedId: string }
   };

export type ForkChatMutationVariables = Exact<{
  input: ForkChatInput;
}>;


export type ForkChatMutation = { forkChat:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'ForkChatPayload', chat: { id: string } }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type SaveMessagesMutationVariables = Exact<{
  input: SaveMessagesInput;
}>;


export type SaveMessagesMutation = { saveMessages:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'HeadConflictError', expectedHeadId: string | null, code: ErrorCode, message: string, actualHead: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } | null, branch: { id: string, name: string }, newerMessages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'SaveMessagesPayload', branched: boolean, branch: { isActive: boolean, id: string, name: string, head: { id: string } | null }, chat: { version: number }, messages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> }
   };

export type AskMutationVariables = Exact<{
  messages: SaveMessagesInput;
  draft: StartDraftInput;
}>;


export type AskMutation = { saveMessages:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'HeadConflictError', expectedHeadId: string | null, code: ErrorCode, message: string, actualHead: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } | null, branch: { id: string, name: string }, newerMessages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'SaveMessagesPayload', branched: boolean, branch: { isActive: boolean, id: string, name: string, head: { id: string } | null }, chat: { version: number }, messages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> }
  , startDraft:
    | { draft: { id: string, name: string, metadata: unknown, length: number, state: DraftState, startedAt: string, startedBy: string, parent: { id: string } | null, branch: { id: string } } }
    | Record<PropertyKey, never>
   };

export type EditMessageMutationVariables = Exact<{
  input: EditMessageInput;
}>;


export type EditMessageMutation = { editMessage:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'HeadConflictError', expectedHeadId: string | null, code: ErrorCode, message: string, actualHead: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } | null, branch: { id: string, name: string }, newerMessages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'SaveMessagesPayload', branched: boolean, branch: { isActive: boolean, id: string, name: string, head: { id: string } | null }, chat: { version: number }, messages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> }
   };

export type RewindMutationVariables = Exact<{
  input: RewindInput;
}>;


export type RewindMutation = { rewind:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'BranchPayload', branch: { id: string, name: string, head: { id: string } | null }, chat: { version: number } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type BtwMutationVariables = Exact<{
  input: BtwInput;
}>;


export type BtwMutation = { btw:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'BranchPayload', branch: { id: string, name: string, head: { id: string } | null }, chat: { version: number } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type SwitchBranchMutationVariables = Exact<{
  input: SwitchBranchInput;
}>;


export type SwitchBranchMutation = { switchBranch:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'BranchPayload', branch: { id: string, name: string, head: { id: string } | null }, chat: { version: number } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type SwitchToSiblingMutationVariables = Exact<{
  input: SwitchToSiblingInput;
}>;


export type SwitchToSiblingMutation = { switchToSibling:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'BranchPayload', branch: { id: string, name: string, head: { id: string } | null }, chat: { version: number } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type RenameBranchMutationVariables = Exact<{
  input: RenameBranchInput;
}>;


export type RenameBranchMutation = { renameBranch:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'BranchPayload', branch: { id: string, name: string, head: { id: string } | null }, chat: { version: number } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type DeleteBranchMutationVariables = Exact<{
  input: DeleteBranchInput;
}>;


export type DeleteBranchMutation = { deleteBranch:
    | { __typename: 'DeleteBranchPayload', chat: { version: number } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type CreateCheckpointMutationVariables = Exact<{
  input: CreateCheckpointInput;
}>;


export type CreateCheckpointMutation = { createCheckpoint:
    | { __typename: 'CheckpointPayload', checkpoint: { id: string, name: string, createdAt: string, chat: { version: number }, message: { id: string } } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type DeleteCheckpointMutationVariables = Exact<{
  input: DeleteCheckpointInput;
}>;


export type DeleteCheckpointMutation = { deleteCheckpoint:
    | { __typename: 'DeleteCheckpointPayload', chat: { version: number } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type RestoreCheckpointMutationVariables = Exact<{
  input: RestoreCheckpointInput;
}>;


export type RestoreCheckpointMutation = { restoreCheckpoint:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'BranchPayload', branch: { id: string, name: string, head: { id: string } | null }, chat: { version: number } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type ChatEventsSubscriptionVariables = Exact<{
  chatId: string;
  after?: number | null | undefined;
}>;


export type ChatEventsSubscription = { chatEvents:
    | { __typename: 'BranchActivated', seq: number, branch: { id: string, name: string, head: { id: string } | null } | null }
    | { __typename: 'BranchCreated', headId: string | null, seq: number, branch: { id: string, name: string } | null }
    | { __typename: 'BranchDeleted', name: string, headId: string | null, seq: number }
    | { __typename: 'BranchHeadMoved', headId: string | null, seq: number, branch: { id: string, name: string } | null, messages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> }
    | { __typename: 'BranchRenamed', name: string, previousName: string, seq: number, branch: { id: string, name: string } | null }
    | { __typename: 'ChatCreated', seq: number }
    | { __typename: 'ChatDeleted', seq: number }
    | { __typename: 'ChatRestored', seq: number }
    | { __typename: 'ChatTransferred', seq: number, chat: { id: string, title: string | null, metadata: unknown, userId: string, viewerRole: ChatRole, version: number, messageCount: number, createdAt: string, updatedAt: string, branchCount: { totalCount: number }, lastMessage: { id: string, name: string, preview: string } | null } }
    | { __typename: 'ChatUpdated', seq: number, chat: { id: string, title: string | null, metadata: unknown, userId: string, viewerRole: ChatRole, version: number, messageCount: number, createdAt: string, updatedAt: string, branchCount: { totalCount: number }, lastMessage: { id: string, name: string, preview: string } | null } }
    | { __typename: 'CheckpointDeleted', name: string, seq: number }
    | { __typename: 'CheckpointSaved', name: string, messageId: string, createdAt: string, seq: number, checkpoint: { id: string } | null }
    | { __typename: 'MemberChanged', seq: number, chat: { id: string, title: string | null, metadata: unknown, userId: string, viewerRole: ChatRole, version: number, messageCount: number, createdAt: string, updatedAt: string, branchCount: { totalCount: number }, lastMessage: { id: string, name: string, preview: string } | null } }
   };

export type ChatAccessSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type ChatAccessSubscription = { chatChanges: { chatId: string, chat: { id: string } | null } };

export type ChatChangesSubscriptionVariables = Exact<{
  userId?: string | null | undefined;
  includeShared?: boolean;
}>;


export type ChatChangesSubscription = { chatChanges: { chatId: string, chat: { id: string, title: string | null, metadata: unknown, userId: string, viewerRole: ChatRole, version: number, messageCount: number, createdAt: string, updatedAt: string, branchCount: { totalCount: number }, lastMessage: { id: string, name: string, preview: string } | null } | null } };

export type SavedFragment = { branched: boolean, branch: { isActive: boolean, id: string, name: string, head: { id: string } | null }, chat: { version: number }, messages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> };

export type MovedFragment = { branch: { id: string, name: string, head: { id: string } | null }, chat: { version: number } };

type Refused_AlreadyExistsError_Fragment = { code: ErrorCode, message: string };

type Refused_DraftOffsetError_Fragment = { length: number, code: ErrorCode, message: string };

type Refused_ForbiddenError_Fragment = { code: ErrorCode, message: string };

type Refused_HeadConflictError_Fragment = { expectedHeadId: string | null, code: ErrorCode, message: string, actualHead: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } | null, branch: { id: string, name: string }, newerMessages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> };

type Refused_InvalidInputError_Fragment = { code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> };

type Refused_LegalHoldError_Fragment = { code: ErrorCode, message: string };

type Refused_NotFoundError_Fragment = { code: ErrorCode, message: string };

export type RefusedFragment =
  | Refused_AlreadyExistsError_Fragment
  | Refused_DraftOffsetError_Fragment
  | Refused_ForbiddenError_Fragment
  | Refused_HeadConflictError_Fragment
  | Refused_InvalidInputError_Fragment
  | Refused_LegalHoldError_Fragment
  | Refused_NotFoundError_Fragment
;

export type ChatDraftsSubscriptionVariables = Exact<{
  chatId: string;
}>;


export type ChatDraftsSubscription = { drafts: { draftId: string, state: DraftNoticeState, draft: { id: string, name: string, metadata: unknown, length: number, state: DraftState, startedAt: string, startedBy: string, parent: { id: string } | null, branch: { id: string } } | null } };

export type DraftGrowthSubscriptionVariables = Exact<{
  chatId: string;
  id: string;
  after?: number | null | undefined;
}>;


export type DraftGrowthSubscription = { draft:
    | { __typename: 'DraftAbandoned' }
    | { __typename: 'DraftChunks', offset: number, chunks: Array<unknown>, length: number }
    | { __typename: 'DraftDiscarded' }
    | { __typename: 'DraftFinished', branch: { chat: { version: number } } }
    | { __typename: 'DraftStopping' }
   };

export type StartDraftMutationVariables = Exact<{
  input: StartDraftInput;
}>;


export type StartDraftMutation = { startDraft:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'DraftOffsetError', length: number, code: ErrorCode, message: string }
    | { __typename: 'DraftPayload', draft: { id: string, name: string, metadata: unknown, length: number, state: DraftState, startedAt: string, startedBy: string, parent: { id: string } | null, branch: { id: string } } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'HeadConflictError', expectedHeadId: string | null, code: ErrorCode, message: string, actualHead: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } | null, branch: { id: string, name: string }, newerMessages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type AppendToDraftMutationVariables = Exact<{
  input: AppendToDraftInput;
}>;


export type AppendToDraftMutation = { appendToDraft:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'DraftOffsetError', length: number, code: ErrorCode, message: string }
    | { __typename: 'DraftPayload', draft: { length: number, state: DraftState } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'HeadConflictError', expectedHeadId: string | null, code: ErrorCode, message: string, actualHead: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } | null, branch: { id: string, name: string }, newerMessages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type FinishDraftMutationVariables = Exact<{
  input: FinishDraftInput;
}>;


export type FinishDraftMutation = { finishDraft:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'HeadConflictError', expectedHeadId: string | null, code: ErrorCode, message: string, actualHead: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } | null, branch: { id: string, name: string }, newerMessages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'SaveMessagesPayload', branched: boolean, branch: { isActive: boolean, id: string, name: string, head: { id: string } | null }, chat: { version: number }, messages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> }
   };

export type StopDraftMutationVariables = Exact<{
  input: DraftInput;
}>;


export type StopDraftMutation = { stopDraft:
    | { __typename: 'AlreadyExistsError', code: ErrorCode, message: string }
    | { __typename: 'DraftOffsetError', length: number, code: ErrorCode, message: string }
    | { __typename: 'DraftPayload', draft: { id: string, length: number, state: DraftState } }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'HeadConflictError', expectedHeadId: string | null, code: ErrorCode, message: string, actualHead: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } | null, branch: { id: string, name: string }, newerMessages: Array<{ id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null }> }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, problems: Array<{ path: Array<string>, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type DiscardDraftMutationVariables = Exact<{
  input: DraftInput;
}>;


export type DiscardDraftMutation = { discardDraft:
    | { __typename: 'DiscardDraftPayload', deletedId: string }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type WrittenFragment = { id: string, name: string, metadata: unknown, length: number, state: DraftState, startedAt: string, startedBy: string, parent: { id: string } | null, branch: { id: string } };

export type ReadDraftsQueryVariables = Exact<{
  chatId: string;
}>;


export type ReadDraftsQuery = { chat: { activeBranch: { id: string, name: string, head: { id: string } | null }, drafts: { edges: Array<{ node: { id: string, name: string, metadata: unknown, length: number, state: DraftState, startedAt: string, startedBy: string, parent: { id: string } | null, branch: { id: string } } }> } } | null };

export type ComparePlacesQueryVariables = Exact<{
  chatId: string;
  base: PlaceInput;
  head: PlaceInput;
  first: number;
  after?: string | null | undefined;
  behindAfter?: string | null | undefined;
}>;


export type ComparePlacesQuery = { chat: { compare: { status: ComparisonStatus, aheadBy: number, behindBy: number, commonAncestor: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } | null, ahead: { edges: Array<{ node: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } }, behind: { edges: Array<{ node: { id: string, parentId: string | null, seq: number, depth: number, name: string, type: string, text: string, data: unknown, createdAt: string, createdBy: string, hasChildren: boolean, siblingIndex: number, siblingCount: number, previousSibling: { id: string } | null, nextSibling: { id: string } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null } | null };

const PLACED = "fragment Placed on Message{id parentId seq depth name type text data createdAt createdBy hasChildren siblingIndex siblingCount previousSibling{id}nextSibling{id}}";
const LISTED = "fragment Listed on Chat{id title metadata userId viewerRole version messageCount branchCount:branches(first:1){totalCount}createdAt updatedAt lastMessage{id name preview}}";
const NAMED = "fragment Named on Branch{id name head{id}}";
const MARKED = "fragment Marked on Checkpoint{id name createdAt message{id}}";
const BRANCH_PAGE = "fragment BranchPage on BranchConnection{edges{node{...Named}}pageInfo{hasNextPage endCursor}}";
const CHECKPOINT_PAGE = "fragment CheckpointPage on CheckpointConnection{edges{node{...Marked}}pageInfo{hasNextPage endCursor}}";
const SAVED = "fragment Saved on SaveMessagesPayload{branched branch{...Named isActive}chat{version}messages{...Placed}}";
const MOVED = "fragment Moved on BranchPayload{branch{...Named}chat{version}}";
const REFUSED = "fragment Refused on Error{code message ...on InvalidInputError{problems{path message}}...on DraftOffsetError{length}...on HeadConflictError{expectedHeadId actualHead{...Placed}branch{id name}newerMessages{...Placed}}}";
const WRITTEN = "fragment Written on Draft{id name parent{id}branch{id}metadata length state startedAt startedBy}";
export const OpenThread = /* @__PURE__ */ operation<OpenThreadQuery, OpenThreadQueryVariables>(
  "query OpenThread($chatId:ID!$last:Int!){chat(id:$chatId){...Listed activeBranch{...Named messages(last:$last){edges{node{...Placed}}}}branches(first:1000){...BranchPage}checkpoints(first:1000){...CheckpointPage}drafts{edges{node{...Written}}}}}" + LISTED + NAMED + PLACED + BRANCH_PAGE + CHECKPOINT_PAGE + MARKED + WRITTEN,
);
export const ReadBranches = /* @__PURE__ */ operation<ReadBranchesQuery, ReadBranchesQueryVariables>(
  "query ReadBranches($chatId:ID!$after:String!){chat(id:$chatId){branches(first:1000 after:$after){...BranchPage}}}" + BRANCH_PAGE + NAMED,
);
export const ReadCheckpoints = /* @__PURE__ */ operation<ReadCheckpointsQuery, ReadCheckpointsQueryVariables>(
  "query ReadCheckpoints($chatId:ID!$after:String!){chat(id:$chatId){checkpoints(first:1000 after:$after){...CheckpointPage}}}" + CHECKPOINT_PAGE + MARKED,
);
export const ReadVersion = /* @__PURE__ */ operation<ReadVersionQuery, ReadVersionQueryVariables>(
  "query ReadVersion($chatId:ID!){chat(id:$chatId){version}}",
);
export const ReadPath = /* @__PURE__ */ operation<ReadPathQuery, ReadPathQueryVariables>(
  "query ReadPath($messageId:ID!$last:Int!){message(id:$messageId){id path(last:$last){edges{node{...Placed}}}}}" + PLACED,
);
export const ReadNewer = /* @__PURE__ */ operation<ReadNewerQuery, ReadNewerQueryVariables>(
  "query ReadNewer($messageId:ID!$first:Int!$after:String!){message(id:$messageId){id path(first:$first after:$after){edges{node{...Placed}}pageInfo{hasNextPage endCursor}}}}" + PLACED,
);
export const ReadAround = /* @__PURE__ */ operation<ReadAroundQuery, ReadAroundQueryVariables>(
  "query ReadAround($messageId:ID!$first:Int!){message(id:$messageId){id chat{id}latestLeaf{id path(around:$messageId first:$first){edges{node{...Placed}}pageInfo{hasNextPage endCursor}}}}}" + PLACED,
);
export const ReadOnBranch = /* @__PURE__ */ operation<ReadOnBranchQuery, ReadOnBranchQueryVariables>(
  "query ReadOnBranch($chatId:ID!$name:String!$messageId:ID!$first:Int!){chat(id:$chatId){id branch(name:$name){id messages(around:$messageId first:$first){edges{node{...Placed}}pageInfo{hasNextPage endCursor}}}}}" + PLACED,
);
export const ReadLatest = /* @__PURE__ */ operation<ReadLatestQuery, ReadLatestQueryVariables>(
  "query ReadLatest($messageId:ID!$last:Int!){message(id:$messageId){id latestLeaf{id path(last:$last){edges{node{...Placed}}}}}}" + PLACED,
);
export const ReadGraph = /* @__PURE__ */ operation<ReadGraphQuery, ReadGraphQueryVariables>(
  "query ReadGraph($chatId:ID!$first:Int!$after:String){chat(id:$chatId){version messages(first:$first after:$after){edges{node{...Placed}}pageInfo{hasNextPage endCursor}}}}" + PLACED,
);
export const ListChats = /* @__PURE__ */ operation<ListChatsQuery, ListChatsQueryVariables>(
  "query ListChats($first:Int!$after:String$filter:ChatFilter){chats(first:$first after:$after filter:$filter){edges{node{...Listed}}pageInfo{hasNextPage endCursor}}}" + LISTED,
);
export const Search = /* @__PURE__ */ operation<SearchQuery, SearchQueryVariables>(
  "query Search($query:String!$first:Int!$after:String$filter:SearchFilter){search(query:$query first:$first after:$after filter:$filter){edges{node{rank snippet message{id name preview createdAt chat{id title}}}}pageInfo{hasNextPage endCursor}}}",
);
export const CreateChat = /* @__PURE__ */ operation<CreateChatMutation, CreateChatMutationVariables>(
  "mutation CreateChat($input:CreateChatInput!){createChat(input:$input){__typename ...on CreateChatPayload{chat{...Listed}}...Refused}}" + LISTED + REFUSED + PLACED,
);
export const UpsertChat = /* @__PURE__ */ operation<UpsertChatMutation, UpsertChatMutationVariables>(
  "mutation UpsertChat($input:CreateChatInput!){upsertChat(input:$input){__typename ...on UpsertChatPayload{chat{...Listed}}...Refused}}" + LISTED + REFUSED + PLACED,
);
export const UpdateChat = /* @__PURE__ */ operation<UpdateChatMutation, UpdateChatMutationVariables>(
  "mutation UpdateChat($input:UpdateChatInput!){updateChat(input:$input){__typename ...on UpdateChatPayload{chat{...Listed}}...Refused}}" + LISTED + REFUSED + PLACED,
);
export const DeleteChat = /* @__PURE__ */ operation<DeleteChatMutation, DeleteChatMutationVariables>(
  "mutation DeleteChat($input:DeleteChatInput!){deleteChat(input:$input){__typename ...on DeleteChatPayload{deletedId restorableUntil}...Refused}}" + REFUSED + PLACED,
);
export const RestoreChat = /* @__PURE__ */ operation<RestoreChatMutation, RestoreChatMutationVariables>(
  "mutation RestoreChat($input:RestoreChatInput!){restoreChat(input:$input){__typename ...on RestoreChatPayload{chat{id}}...Refused}}" + REFUSED + PLACED,
);
export const ReadSharing = /* @__PURE__ */ operation<ReadSharingQuery, ReadSharingQueryVariables>(
  "query ReadSharing($chatId:ID!){viewer{userId}chat(id:$chatId){id viewerRole members(first:101){edges{node{userId role}}}branches(first:100){edges{node{id name messageCount}}}shares(first:100){edges{node{id title createdAt expiresAt message{id preview}}}}}}",
);
export const CreateShare = /* @__PURE__ */ operation<CreateShareMutation, CreateShareMutationVariables>(
  "mutation CreateShare($input:CreateShareInput!){createShare(input:$input){__typename ...on SharePayload{share{id token}}...Refused}}" + REFUSED + PLACED,
);
export const RevokeShare = /* @__PURE__ */ operation<RevokeShareMutation, RevokeShareMutationVariables>(
  "mutation RevokeShare($input:RevokeShareInput!){revokeShare(input:$input){__typename ...on RevokeSharePayload{deletedId}...Refused}}" + REFUSED + PLACED,
);
export const AddMember = /* @__PURE__ */ operation<AddMemberMutation, AddMemberMutationVariables>(
  "mutation AddMember($input:AddMemberInput!){addMember(input:$input){__typename ...on AddMemberPayload{member{userId role}}...Refused}}" + REFUSED + PLACED,
);
export const RemoveMember = /* @__PURE__ */ operation<RemoveMemberMutation, RemoveMemberMutationVariables>(
  "mutation RemoveMember($input:RemoveMemberInput!){removeMember(input:$input){__typename ...on RemoveMemberPayload{deletedId}...Refused}}" + REFUSED + PLACED,
);
export const ForkChat = /* @__PURE__ */ operation<ForkChatMutation, ForkChatMutationVariables>(
  "mutation ForkChat($input:ForkChatInput!){forkChat(input:$input){__typename ...on ForkChatPayload{chat{id}}...Refused}}" + REFUSED + PLACED,
);
export const SaveMessages = /* @__PURE__ */ operation<SaveMessagesMutation, SaveMessagesMutationVariables>(
  "mutation SaveMessages($input:SaveMessagesInput!){saveMessages(input:$input){__typename ...on SaveMessagesPayload{...Saved}...Refused}}" + SAVED + NAMED + PLACED + REFUSED,
);
export const Ask = /* @__PURE__ */ operation<AskMutation, AskMutationVariables>(
  "mutation Ask($messages:SaveMessagesInput!$draft:StartDraftInput!){saveMessages(input:$messages){__typename ...on SaveMessagesPayload{...Saved}...Refused}startDraft(input:$draft){...on DraftPayload{draft{...Written}}}}" + SAVED + NAMED + PLACED + REFUSED + WRITTEN,
);
export const EditMessage = /* @__PURE__ */ operation<EditMessageMutation, EditMessageMutationVariables>(
  "mutation EditMessage($input:EditMessageInput!){editMessage(input:$input){__typename ...on SaveMessagesPayload{...Saved}...Refused}}" + SAVED + NAMED + PLACED + REFUSED,
);
export const Rewind = /* @__PURE__ */ operation<RewindMutation, RewindMutationVariables>(
  "mutation Rewind($input:RewindInput!){rewind(input:$input){__typename ...on BranchPayload{...Moved}...Refused}}" + MOVED + NAMED + REFUSED + PLACED,
);
export const Btw = /* @__PURE__ */ operation<BtwMutation, BtwMutationVariables>(
  "mutation Btw($input:BtwInput!){btw(input:$input){__typename ...on BranchPayload{...Moved}...Refused}}" + MOVED + NAMED + REFUSED + PLACED,
);
export const SwitchBranch = /* @__PURE__ */ operation<SwitchBranchMutation, SwitchBranchMutationVariables>(
  "mutation SwitchBranch($input:SwitchBranchInput!){switchBranch(input:$input){__typename ...on BranchPayload{...Moved}...Refused}}" + MOVED + NAMED + REFUSED + PLACED,
);
export const SwitchToSibling = /* @__PURE__ */ operation<SwitchToSiblingMutation, SwitchToSiblingMutationVariables>(
  "mutation SwitchToSibling($input:SwitchToSiblingInput!){switchToSibling(input:$input){__typename ...on BranchPayload{...Moved}...Refused}}" + MOVED + NAMED + REFUSED + PLACED,
);
export const RenameBranch = /* @__PURE__ */ operation<RenameBranchMutation, RenameBranchMutationVariables>(
  "mutation RenameBranch($input:RenameBranchInput!){renameBranch(input:$input){__typename ...on BranchPayload{...Moved}...Refused}}" + MOVED + NAMED + REFUSED + PLACED,
);
export const DeleteBranch = /* @__PURE__ */ operation<DeleteBranchMutation, DeleteBranchMutationVariables>(
  "mutation DeleteBranch($input:DeleteBranchInput!){deleteBranch(input:$input){__typename ...on DeleteBranchPayload{chat{version}}...Refused}}" + REFUSED + PLACED,
);
export const CreateCheckpoint = /* @__PURE__ */ operation<CreateCheckpointMutation, CreateCheckpointMutationVariables>(
  "mutation CreateCheckpoint($input:CreateCheckpointInput!){createCheckpoint(input:$input){__typename ...on CheckpointPayload{checkpoint{...Marked chat{version}}}...Refused}}" + MARKED + REFUSED + PLACED,
);
export const DeleteCheckpoint = /* @__PURE__ */ operation<DeleteCheckpointMutation, DeleteCheckpointMutationVariables>(
  "mutation DeleteCheckpoint($input:DeleteCheckpointInput!){deleteCheckpoint(input:$input){__typename ...on DeleteCheckpointPayload{chat{version}}...Refused}}" + REFUSED + PLACED,
);
export const RestoreCheckpoint = /* @__PURE__ */ operation<RestoreCheckpointMutation, RestoreCheckpointMutationVariables>(
  "mutation RestoreCheckpoint($input:RestoreCheckpointInput!){restoreCheckpoint(input:$input){__typename ...on BranchPayload{...Moved}...Refused}}" + MOVED + NAMED + REFUSED + PLACED,
);
export const ChatEvents = /* @__PURE__ */ operation<ChatEventsSubscription, ChatEventsSubscriptionVariables>(
  "subscription ChatEvents($chatId:ID!$after:Int){chatEvents(chatId:$chatId after:$after){__typename seq ...on ChatUpdated{chat{...Listed}}...on ChatTransferred{chat{...Listed}}...on MemberChanged{chat{...Listed}}...on BranchCreated{headId branch{id name}}...on BranchActivated{branch{...Named}}...on BranchHeadMoved{headId branch{id name}messages{...Placed}}...on BranchRenamed{name previousName branch{id name}}...on BranchDeleted{name headId}...on CheckpointSaved{name messageId createdAt checkpoint{id}}...on CheckpointDeleted{name}}}" + LISTED + NAMED + PLACED,
);
export const ChatAccess = /* @__PURE__ */ operation<ChatAccessSubscription, ChatAccessSubscriptionVariables>(
  "subscription ChatAccess{chatChanges{chatId chat{id}}}",
);
export const ChatChanges = /* @__PURE__ */ operation<ChatChangesSubscription, ChatChangesSubscriptionVariables>(
  "subscription ChatChanges($userId:ID$includeShared:Boolean!=true){chatChanges(userId:$userId includeShared:$includeShared){chatId chat{...Listed}}}" + LISTED,
);
export const ChatDrafts = /* @__PURE__ */ operation<ChatDraftsSubscription, ChatDraftsSubscriptionVariables>(
  "subscription ChatDrafts($chatId:ID!){drafts(chatId:$chatId){draftId state draft{...Written}}}" + WRITTEN,
);
export const DraftGrowth = /* @__PURE__ */ operation<DraftGrowthSubscription, DraftGrowthSubscriptionVariables>(
  "subscription DraftGrowth($chatId:ID!$id:ID!$after:Int){draft(chatId:$chatId id:$id after:$after){__typename ...on DraftChunks{offset chunks length}...on DraftFinished{branch{chat{version}}}}}",
);
export const StartDraft = /* @__PURE__ */ operation<StartDraftMutation, StartDraftMutationVariables>(
  "mutation StartDraft($input:StartDraftInput!){startDraft(input:$input){__typename ...on DraftPayload{draft{...Written}}...Refused}}" + WRITTEN + REFUSED + PLACED,
);
export const AppendToDraft = /* @__PURE__ */ operation<AppendToDraftMutation, AppendToDraftMutationVariables>(
  "mutation AppendToDraft($input:AppendToDraftInput!){appendToDraft(input:$input){__typename ...on DraftPayload{draft{length state}}...Refused}}" + REFUSED + PLACED,
);
export const FinishDraft = /* @__PURE__ */ operation<FinishDraftMutation, FinishDraftMutationVariables>(
  "mutation FinishDraft($input:FinishDraftInput!){finishDraft(input:$input){__typename ...on SaveMessagesPayload{...Saved}...Refused}}" + SAVED + NAMED + PLACED + REFUSED,
);
export const StopDraft = /* @__PURE__ */ operation<StopDraftMutation, StopDraftMutationVariables>(
  "mutation StopDraft($input:DraftInput!){stopDraft(input:$input){__typename ...on DraftPayload{draft{id length state}}...Refused}}" + REFUSED + PLACED,
);
export const DiscardDraft = /* @__PURE__ */ operation<DiscardDraftMutation, DiscardDraftMutationVariables>(
  "mutation DiscardDraft($input:DraftInput!){discardDraft(input:$input){__typename ...on DiscardDraftPayload{deletedId}...Refused}}" + REFUSED + PLACED,
);
export const ReadDrafts = /* @__PURE__ */ operation<ReadDraftsQuery, ReadDraftsQueryVariables>(
  "query ReadDrafts($chatId:ID!){chat(id:$chatId){activeBranch{...Named}drafts{edges{node{...Written}}}}}" + NAMED + WRITTEN,
);
export const ComparePlaces = /* @__PURE__ */ operation<ComparePlacesQuery, ComparePlacesQueryVariables>(
  "query ComparePlaces($chatId:ID!$base:PlaceInput!$head:PlaceInput!$first:Int!$after:String$behindAfter:String){chat(id:$chatId){compare(base:$base head:$head){status commonAncestor{...Placed}aheadBy ahead(first:$first after:$after){edges{node{...Placed}}pageInfo{hasNextPage endCursor}}behindBy behind(first:$first after:$behindAfter){edges{node{...Placed}}pageInfo{hasNextPage endCursor}}}}}" + PLACED,
);
