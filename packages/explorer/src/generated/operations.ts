/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/* eslint-disable */
// Written by GraphQL Code Generator from operations.graphql.
import { operation } from '@parley/client';
/** Rights of an access token. */
export type AccessScope =
  /** Also creates and revokes shares, changes members, and transfers, deletes and restores chats. It includes WRITE. Not for tokens of one chat. */
  | 'MANAGE'
  /** Queries, subscriptions, exports and downloads. */
  | 'READ'
  /** Also uploads, imports, and mutations that need no MANAGE. It includes READ. */
  | 'WRITE';

/** The types of events. */
export type ChatEventType =
  /** BranchActivated. */
  | 'BRANCH_ACTIVATED'
  /** BranchCreated. */
  | 'BRANCH_CREATED'
  /** BranchDeleted. */
  | 'BRANCH_DELETED'
  /** BranchHeadMoved. */
  | 'BRANCH_HEAD_MOVED'
  /** BranchRenamed. */
  | 'BRANCH_RENAMED'
  /** ChatCreated. */
  | 'CHAT_CREATED'
  /** ChatDeleted: only in subscriptions; the log is deleted with the chat, so no list contains it. */
  | 'CHAT_DELETED'
  /** ChatRestored. */
  | 'CHAT_RESTORED'
  /** ChatTransferred. */
  | 'CHAT_TRANSFERRED'
  /** ChatUpdated. */
  | 'CHAT_UPDATED'
  /** CheckpointDeleted. */
  | 'CHECKPOINT_DELETED'
  /** CheckpointSaved. */
  | 'CHECKPOINT_SAVED'
  /** MemberChanged. */
  | 'MEMBER_CHANGED';

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

/** An access token to create. */
export type CreateAccessTokenInput = {
  /** A chat of the viewer: the token may access no other. Not together with MANAGE. */
  chatId?: string | null | undefined;
  /** A time in the future. Without it, revoke the token to end it. */
  expiresAt?: string | null | undefined;
  /** A name for lists, such as the program that uses it. 1 to 255 characters. */
  name: string;
  /** At least one. WRITE includes READ, and MANAGE includes both. */
  scopes?: Array<AccessScope>;
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

/** Events to list: all conditions must hold. */
export type EventFilter = {
  /** Changes made by this user. */
  actorId?: string | null | undefined;
  /** Only events after this time, exclusive. */
  after?: string | null | undefined;
  /** Only events before this time, exclusive. */
  before?: string | null | undefined;
  /** Events of the branch with this current name, such as BranchCreated, also from before a rename. 1 to 255 characters. */
  branch?: string | null | undefined;
  /** One of these types. */
  types?: Array<ChatEventType> | null | undefined;
};

/** Exactly one held chat or user. */
export type LiftLegalHoldInput = {
  /** The held chat. */
  chatId?: string | null | undefined;
  /** The held user. */
  userId?: string | null | undefined;
};

/** An access token to revoke. */
export type RevokeAccessTokenInput = {
  /** The id of the token. */
  id: string;
};

/** A legal hold on exactly one chat or user. */
export type SetLegalHoldInput = {
  /** The chat, which may be a deleted one that can be restored. */
  chatId?: string | null | undefined;
  /** For admins: 1 to 255 characters. */
  reason: string;
  /** The user. */
  userId?: string | null | undefined;
};

/** The storage quota of a user. */
export type SetStorageQuotaInput = {
  /** Bytes of chats and files; null for the quota of the server. */
  bytes?: number | null | undefined;
  /** The user. */
  userId: string;
};

export type ReadViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ReadViewerQuery = { viewer: { isAdmin: boolean } };

export type ReadRecoveryQueryVariables = Exact<{ [key: string]: never; }>;


export type ReadRecoveryQuery = { viewer: { recoveryDays: number } };

export type ReadStorageQueryVariables = Exact<{ [key: string]: never; }>;


export type ReadStorageQuery = { viewer: { storage: { usedBytes: number, quotaBytes: number | null, isNearQuota: boolean } | null } };

export type ReadUsersQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  search?: string | null | undefined;
}>;


export type ReadUsersQuery = { users: { edges: Array<{ node: { id: string, chatCount: number, messageCount: number, lastActiveAt: string | null, storage: { usedBytes: number, quotaBytes: number | null }, legalHold: { reason: string } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ReadDeletedQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type ReadDeletedQuery = { deletedChats: { edges: Array<{ node: { id: string, title: string | null, deletedAt: string, restorableUntil: string } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ReadBranchLengthsQueryVariables = Exact<{
  chatId: string;
}>;


export type ReadBranchLengthsQuery = { chat: { branches: { edges: Array<{ node: { id: string, head: { depth: number } | null } }> } } | null };

export type ReadOutlineQueryVariables = Exact<{
  chatId: string;
}>;


export type ReadOutlineQuery = { chat: { outline: { messageCount: number, segments: Array<{ firstId: string, lastId: string, parentId: string | null, length: number, depth: number, firstRole: string, firstContent: string, lastRole: string, lastContent: string, sourceIds: Array<string> }> } } | null };

export type ReadForksQueryVariables = Exact<{
  chatId: string;
}>;


export type ReadForksQuery = { chat: { branches: { edges: Array<{ node: { id: string, name: string, head: { depth: number, latestLeaf: { id: string } } | null, createdAtMessage: { id: string } | null } }> }, outline: { segments: Array<{ firstId: string, lastId: string, parentId: string | null, depth: number, firstRole: string, firstContent: string }> } } | null };

export type ReadNodesQueryVariables = Exact<{
  chatId: string;
}>;


export type ReadNodesQuery = { chat: { graph: { nodes: Array<{ id: string, parentId: string | null, depth: number, role: string, content: string }> } } | null };

export type ReadRunQueryVariables = Exact<{
  messageId: string;
  last: number;
}>;


export type ReadRunQuery = { message: { path: { edges: Array<{ node: { id: string, parentId: string | null, depth: number, role: string, content: string } }> } } | null };

export type ReadExcerptQueryVariables = Exact<{
  id: string;
}>;


export type ReadExcerptQuery = { message: { id: string, name: string, createdAt: string, preview: string, sources: Array<{ id: string, preview: string }> } | null };

export type ReadSourcesQueryVariables = Exact<{
  id: string;
}>;


export type ReadSourcesQuery = { message: { sources: Array<{ id: string, name: string, preview: string }>, drawnOnBy: { totalCount: number, edges: Array<{ node: { id: string, name: string, preview: string } }> } } | null };

export type LinkedFragment = { id: string, name: string, preview: string };

export type FilesOfMessageQueryVariables = Exact<{
  id: string;
}>;


export type FilesOfMessageQuery = { message: { files: Array<{ file: { id: string, size: number } }> } | null };

export type ReadEventsQueryVariables = Exact<{
  chatId: string;
  last: number;
  before?: string | null | undefined;
  filter?: EventFilter | null | undefined;
}>;


export type ReadEventsQuery = { chat: { events: { edges: Array<{ node:
          | { __typename: 'BranchActivated', seq: number, actorId: string, createdAt: string, branch: { id: string, name: string } | null }
          | { __typename: 'BranchCreated', headId: string | null, seq: number, actorId: string, createdAt: string, branch: { id: string, name: string } | null }
          | { __typename: 'BranchDeleted', name: string, headId: string | null, seq: number, actorId: string, createdAt: string }
          | { __typename: 'BranchHeadMoved', headId: string | null, previousHeadId: string | null, seq: number, actorId: string, createdAt: string, branch: { id: string, name: string } | null }
          | { __typename: 'BranchRenamed', name: string, previousName: string, seq: number, actorId: string, createdAt: string, branch: { id: string, name: string } | null }
          | { __typename: 'ChatCreated', seq: number, actorId: string, createdAt: string }
          | { __typename: 'ChatDeleted', seq: number, actorId: string, createdAt: string }
          | { __typename: 'ChatRestored', seq: number, actorId: string, createdAt: string }
          | { __typename: 'ChatTransferred', userId: string, previousUserId: string, seq: number, actorId: string, createdAt: string }
          | { __typename: 'ChatUpdated', seq: number, actorId: string, createdAt: string }
          | { __typename: 'CheckpointDeleted', name: string, seq: number, actorId: string, createdAt: string }
          | { __typename: 'CheckpointSaved', name: string, messageId: string, seq: number, actorId: string, createdAt: string }
          | { __typename: 'MemberChanged', userId: string, role: ChatRole | null, seq: number, actorId: string, createdAt: string }
         }>, pageInfo: { hasPreviousPage: boolean, startCursor: string | null } } } | null };

export type ReadMessageQueryVariables = Exact<{
  id: string;
}>;


export type ReadMessageQuery = { message: { id: string, text: string, depth: number, parent: { id: string, text: string } | null, children: { totalCount: number, edges: Array<{ node: { id: string, name: string, text: string } }> }, branches: Array<{ name: string }>, chat: { id: string, title: string | null } } | null };

export type ReadBranchQueryVariables = Exact<{
  chatId: string;
  name: string;
}>;


export type ReadBranchQuery = { chat: { branch: { name: string, isActive: boolean, createdAtMessage: { id: string, text: string } | null, head: { id: string } | null, messages: { totalCount: number, edges: Array<{ node: { id: string, name: string, text: string } }> } } | null } | null };

export type ReadTokensQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type ReadTokensQuery = { viewer: { accessTokens: { edges: Array<{ node: { id: string, name: string, scopes: Array<AccessScope>, chatId: string | null, createdAt: string, expiresAt: string | null, lastUsedAt: string | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } };

export type CreateTokenMutationVariables = Exact<{
  input: CreateAccessTokenInput;
}>;


export type CreateTokenMutation = { createAccessToken:
    | { __typename: 'AccessTokenPayload', accessToken: { id: string, token: string | null } }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

export type RevokeTokenMutationVariables = Exact<{
  input: RevokeAccessTokenInput;
}>;


export type RevokeTokenMutation = { revokeAccessToken:
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'RevokeAccessTokenPayload' }
   };

export type SetQuotaMutationVariables = Exact<{
  input: SetStorageQuotaInput;
}>;


export type SetQuotaMutation = { setStorageQuota:
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string }
    | { __typename: 'SetStorageQuotaPayload' }
   };

export type SetHoldMutationVariables = Exact<{
  input: SetLegalHoldInput;
}>;


export type SetHoldMutation = { setLegalHold:
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'SetLegalHoldPayload' }
   };

export type LiftHoldMutationVariables = Exact<{
  input: LiftLegalHoldInput;
}>;


export type LiftHoldMutation = { liftLegalHold:
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string }
    | { __typename: 'LiftLegalHoldPayload' }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
   };

type Refused_AlreadyExistsError_Fragment = { code: ErrorCode, message: string };

type Refused_DraftOffsetError_Fragment = { code: ErrorCode, message: string };

type Refused_ForbiddenError_Fragment = { code: ErrorCode, message: string };

type Refused_HeadConflictError_Fragment = { code: ErrorCode, message: string };

type Refused_InvalidInputError_Fragment = { code: ErrorCode, message: string };

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

const LINKED = "fragment Linked on Message {\n  id\n  name\n  preview(length: 80)\n}\n";
const REFUSED = "fragment Refused on Error {\n  code\n  message\n}\n";
export const ReadViewer = /* @__PURE__ */ operation<ReadViewerQuery, ReadViewerQueryVariables>(
  "query ReadViewer {\n  viewer {\n    isAdmin\n  }\n}\n",
);
export const ReadRecovery = /* @__PURE__ */ operation<ReadRecoveryQuery, ReadRecoveryQueryVariables>(
  "query ReadRecovery {\n  viewer {\n    recoveryDays\n  }\n}\n",
);
export const ReadStorage = /* @__PURE__ */ operation<ReadStorageQuery, ReadStorageQueryVariables>(
  "query ReadStorage {\n  viewer {\n    storage {\n      usedBytes\n      quotaBytes\n      isNearQuota\n    }\n  }\n}\n",
);
export const ReadUsers = /* @__PURE__ */ operation<ReadUsersQuery, ReadUsersQueryVariables>(
  "query ReadUsers($first: Int!, $after: String, $search: String) {\n  users(first: $first, after: $after, search: $search) {\n    edges {\n      node {\n        id\n        chatCount\n        messageCount\n        lastActiveAt\n        storage {\n          usedBytes\n          quotaBytes\n        }\n        legalHold {\n          reason\n        }\n      }\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}\n",
);
export const ReadDeleted = /* @__PURE__ */ operation<ReadDeletedQuery, ReadDeletedQueryVariables>(
  "query ReadDeleted($after: String) {\n  deletedChats(first: 50, after: $after) {\n    edges {\n      node {\n        id\n        title\n        deletedAt\n        restorableUntil\n      }\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}\n",
);
export const ReadBranchLengths = /* @__PURE__ */ operation<ReadBranchLengthsQuery, ReadBranchLengthsQueryVariables>(
  "query ReadBranchLengths($chatId: ID!) {\n  chat(id: $chatId) {\n    branches(first: 1000) {\n      edges {\n        node {\n          id\n          head {\n            depth\n          }\n        }\n      }\n    }\n  }\n}\n",
);
export const ReadOutline = /* @__PURE__ */ operation<ReadOutlineQuery, ReadOutlineQueryVariables>(
  "query ReadOutline($chatId: ID!) {\n  chat(id: $chatId) {\n    outline {\n      messageCount\n      segments {\n        firstId\n        lastId\n        parentId\n        length\n        depth\n        firstRole\n        firstContent\n        lastRole\n        lastContent\n        sourceIds\n      }\n    }\n  }\n}\n",
);
export const ReadForks = /* @__PURE__ */ operation<ReadForksQuery, ReadForksQueryVariables>(
  "query ReadForks($chatId: ID!) {\n  chat(id: $chatId) {\n    branches(first: 500) {\n      edges {\n        node {\n          id\n          name\n          head {\n            depth\n            latestLeaf {\n              id\n            }\n          }\n          createdAtMessage {\n            id\n          }\n        }\n      }\n    }\n    outline {\n      segments {\n        firstId\n        lastId\n        parentId\n        depth\n        firstRole\n        firstContent\n      }\n    }\n  }\n}\n",
);
export const ReadNodes = /* @__PURE__ */ operation<ReadNodesQuery, ReadNodesQueryVariables>(
  "query ReadNodes($chatId: ID!) {\n  chat(id: $chatId) {\n    graph {\n      nodes {\n        id\n        parentId\n        depth\n        role\n        content\n      }\n    }\n  }\n}\n",
);
export const ReadRun = /* @__PURE__ */ operation<ReadRunQuery, ReadRunQueryVariables>(
  "query ReadRun($messageId: ID!, $last: Int!) {\n  message(id: $messageId) {\n    path(last: $last) {\n      edges {\n        node {\n          id\n          parentId\n          depth\n          role: name\n          content: preview(length: 50)\n        }\n      }\n    }\n  }\n}\n",
);
export const ReadExcerpt = /* @__PURE__ */ operation<ReadExcerptQuery, ReadExcerptQueryVariables>(
  "query ReadExcerpt($id: ID!) {\n  message(id: $id) {\n    id\n    name\n    createdAt\n    preview(length: 600)\n    sources {\n      id\n      preview\n    }\n  }\n}\n",
);
export const ReadSources = /* @__PURE__ */ operation<ReadSourcesQuery, ReadSourcesQueryVariables>(
  "query ReadSources($id: ID!) {\n  message(id: $id) {\n    sources {\n      ...Linked\n    }\n    drawnOnBy(first: 20) {\n      totalCount\n      edges {\n        node {\n          ...Linked\n        }\n      }\n    }\n  }\n}\n" + LINKED,
);
export const FilesOfMessage = /* @__PURE__ */ operation<FilesOfMessageQuery, FilesOfMessageQueryVariables>(
  "query FilesOfMessage($id: ID!) {\n  message(id: $id) {\n    files {\n      file {\n        id\n        size\n      }\n    }\n  }\n}\n",
);
export const ReadEvents = /* @__PURE__ */ operation<ReadEventsQuery, ReadEventsQueryVariables>(
  "query ReadEvents($chatId: ID!, $last: Int!, $before: String, $filter: EventFilter) {\n  chat(id: $chatId) {\n    events(last: $last, before: $before, filter: $filter) {\n      edges {\n        node {\n          __typename\n          seq\n          actorId\n          createdAt\n          ... on BranchCreated {\n            headId\n            branch {\n              id\n              name\n            }\n          }\n          ... on BranchHeadMoved {\n            headId\n            previousHeadId\n            branch {\n              id\n              name\n            }\n          }\n          ... on BranchActivated {\n            branch {\n              id\n              name\n            }\n          }\n          ... on BranchRenamed {\n            name\n            previousName\n            branch {\n              id\n              name\n            }\n          }\n          ... on BranchDeleted {\n            name\n            headId\n          }\n          ... on CheckpointSaved {\n            name\n            messageId\n          }\n          ... on CheckpointDeleted {\n            name\n          }\n          ... on ChatTransferred {\n            userId\n            previousUserId\n          }\n          ... on MemberChanged {\n            userId\n            role\n          }\n        }\n      }\n      pageInfo {\n        hasPreviousPage\n        startCursor\n      }\n    }\n  }\n}\n",
);
export const ReadMessage = /* @__PURE__ */ operation<ReadMessageQuery, ReadMessageQueryVariables>(
  "query ReadMessage($id: ID!) {\n  message(id: $id) {\n    id\n    text\n    depth\n    parent {\n      id\n      text\n    }\n    children(first: 10) {\n      totalCount\n      edges {\n        node {\n          id\n          name\n          text\n        }\n      }\n    }\n    branches {\n      name\n    }\n    chat {\n      id\n      title\n    }\n  }\n}\n",
);
export const ReadBranch = /* @__PURE__ */ operation<ReadBranchQuery, ReadBranchQueryVariables>(
  "query ReadBranch($chatId: ID!, $name: String!) {\n  chat(id: $chatId) {\n    branch(name: $name) {\n      name\n      isActive\n      createdAtMessage {\n        id\n        text\n      }\n      head {\n        id\n      }\n      messages(last: 50) {\n        totalCount\n        edges {\n          node {\n            id\n            name\n            text\n          }\n        }\n      }\n    }\n  }\n}\n",
);
export const ReadTokens = /* @__PURE__ */ operation<ReadTokensQuery, ReadTokensQueryVariables>(
  "query ReadTokens($after: String) {\n  viewer {\n    accessTokens(first: 100, after: $after) {\n      edges {\n        node {\n          id\n          name\n          scopes\n          chatId\n          createdAt\n          expiresAt\n          lastUsedAt\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n}\n",
);
export const CreateToken = /* @__PURE__ */ operation<CreateTokenMutation, CreateTokenMutationVariables>(
  "mutation CreateToken($input: CreateAccessTokenInput!) {\n  createAccessToken(input: $input) {\n    __typename\n    ... on AccessTokenPayload {\n      accessToken {\n        id\n        token\n      }\n    }\n    ...Refused\n  }\n}\n" + REFUSED,
);
export const RevokeToken = /* @__PURE__ */ operation<RevokeTokenMutation, RevokeTokenMutationVariables>(
  "mutation RevokeToken($input: RevokeAccessTokenInput!) {\n  revokeAccessToken(input: $input) {\n    __typename\n    ...Refused\n  }\n}\n" + REFUSED,
);
export const SetQuota = /* @__PURE__ */ operation<SetQuotaMutation, SetQuotaMutationVariables>(
  "mutation SetQuota($input: SetStorageQuotaInput!) {\n  setStorageQuota(input: $input) {\n    __typename\n    ...Refused\n  }\n}\n" + REFUSED,
);
export const SetHold = /* @__PURE__ */ operation<SetHoldMutation, SetHoldMutationVariables>(
  "mutation SetHold($input: SetLegalHoldInput!) {\n  setLegalHold(input: $input) {\n    __typename\n    ...Refused\n  }\n}\n" + REFUSED,
);
export const LiftHold = /* @__PURE__ */ operation<LiftHoldMutation, LiftHoldMutationVariables>(
  "mutation LiftHold($input: LiftLegalHoldInput!) {\n  liftLegalHold(input: $input) {\n    __typename\n    ...Refused\n  }\n}\n" + REFUSED,
);
