/** The operations of the remote store. */
import { MESSAGE_FIELDS } from '../store/store-data.js';

const CHAT = 'id userId title metadata createdAt updatedAt';
const MESSAGE = MESSAGE_FIELDS.filter((name) => name !== 'chatId').join(' ');
const BRANCH = 'id name head { id } isActive messageCount createdAt';
const CHECKPOINT = 'id name message { id } createdAt';
const ERRORS = '... on Error { code message } ... on InvalidInputError { path }';

export const CREATE_CHAT = `mutation CreateChat($input: CreateChatInput!) {
  result: createChat(input: $input) { __typename ... on CreateChatPayload { chat { ${CHAT} } } ${ERRORS} }
}`;

export const UPSERT_CHAT = `mutation UpsertChat($input: CreateChatInput!) {
  result: upsertChat(input: $input) { __typename ... on UpsertChatPayload { chat { ${CHAT} } } ${ERRORS} }
}`;

export const UPDATE_CHAT = `mutation UpdateChat($input: UpdateChatInput!) {
  result: updateChat(input: $input) { __typename ... on UpdateChatPayload { chat { ${CHAT} } } ${ERRORS} }
}`;

export const DELETE_CHAT = `mutation DeleteChat($input: DeleteChatInput!) {
  result: deleteChat(input: $input) { __typename ... on DeleteChatPayload { deletedChatId } ... on Error { code message } }
}`;

export const GET_CHAT = `query GetChat($chatId: ID!) { chat(id: $chatId) { ${CHAT} } }`;

export const LIST_CHATS = `query ListChats($filter: ChatFilter, $first: Int, $after: String) {
  chats(filter: $filter, first: $first, after: $after) { edges { node { ${CHAT} } } pageInfo { hasNextPage endCursor } }
}`;

export const SAVE_MESSAGES = `mutation SaveMessages($input: SaveMessagesInput!) {
  result: saveMessages(input: $input) {
    __typename
    ... on SaveMessagesPayload { branch { ${BRANCH} } messages { ${MESSAGE} } branched }
    ${ERRORS}
  }
}`;

export const GET_MESSAGE = `query GetMessage($id: ID!) { message(id: $id) { ${MESSAGE} chat { id } } }`;

export const GET_CHAIN = `query GetChain($id: ID!) { message(id: $id) { chat { id } chain { ${MESSAGE} } } }`;

export const HAS_CHILDREN = `query HasChildren($id: ID!) { message(id: $id) { hasChildren } }`;

export const REWIND = `mutation Rewind($input: RewindInput!) {
  result: rewind(input: $input) { __typename ... on BranchPayload { branch { ${BRANCH} } } ${ERRORS} }
}`;

export const BTW = `mutation Btw($input: BtwInput!) {
  result: btw(input: $input) { __typename ... on BranchPayload { branch { ${BRANCH} } } ${ERRORS} }
}`;

export const SWITCH_BRANCH = `mutation SwitchBranch($input: SwitchBranchInput!) {
  result: switchBranch(input: $input) { __typename ... on BranchPayload { branch { ${BRANCH} } } ${ERRORS} }
}`;

export const RENAME_BRANCH = `mutation RenameBranch($input: RenameBranchInput!) {
  result: renameBranch(input: $input) { __typename ... on BranchPayload { branch { ${BRANCH} } } ${ERRORS} }
}`;

export const DELETE_BRANCH = `mutation DeleteBranch($input: DeleteBranchInput!) {
  result: deleteBranch(input: $input) { __typename ... on DeleteBranchPayload { deletedBranchName } ${ERRORS} }
}`;

export const GET_BRANCH = `query GetBranch($chatId: ID!, $name: String!) {
  chat(id: $chatId) { branch(name: $name) { ${BRANCH} } }
}`;

export const GET_ACTIVE_BRANCH = `query GetActiveBranch($chatId: ID!) { chat(id: $chatId) { activeBranch { ${BRANCH} } } }`;

export const LIST_BRANCHES = `query ListBranches($chatId: ID!) { chat(id: $chatId) { graph { branches { ${BRANCH} } } } }`;

export const CREATE_CHECKPOINT = `mutation CreateCheckpoint($input: CreateCheckpointInput!) {
  result: createCheckpoint(input: $input) { __typename ... on CheckpointPayload { checkpoint { ${CHECKPOINT} } } ${ERRORS} }
}`;

export const GET_CHECKPOINT = `query GetCheckpoint($chatId: ID!, $name: String!) {
  chat(id: $chatId) { checkpoint(name: $name) { ${CHECKPOINT} } }
}`;

export const LIST_CHECKPOINTS = `query ListCheckpoints($chatId: ID!) {
  chat(id: $chatId) { graph { checkpoints { ${CHECKPOINT} } } }
}`;

export const DELETE_CHECKPOINT = `mutation DeleteCheckpoint($input: DeleteCheckpointInput!) {
  result: deleteCheckpoint(input: $input) {
    __typename
    ... on DeleteCheckpointPayload { deletedCheckpointName }
    ... on Error { code message }
  }
}`;

export const SEARCH = `query Search($chatId: ID!, $query: String!, $names: [String!], $first: Int) {
  chat(id: $chatId) {
    search(query: $query, names: $names, first: $first) { edges { node { rank snippet message { ${MESSAGE} } } } }
  }
}`;

export const SEARCH_CHATS = `query SearchChats($query: String!, $first: Int, $filter: SearchFilter) {
  search(query: $query, first: $first, filter: $filter) {
    edges { node { rank snippet message { chat { id } ${MESSAGE} } } }
  }
}`;

export const COMPARE = `query Compare($chatId: ID!, $base: PlaceInput!, $head: PlaceInput!) {
  chat(id: $chatId) {
    compare(base: $base, head: $head) {
      status base { ${MESSAGE} } head { ${MESSAGE} } commonAncestor { ${MESSAGE} } aheadBy behindBy
    }
  }
}`;

export const GET_GRAPH = `query GetGraph($chatId: ID!) {
  chat(id: $chatId) {
    graph { nodes { id parentId role content createdAt sourceIds } branches { ${BRANCH} } checkpoints { ${CHECKPOINT} } }
  }
}`;

export const GET_MERGES = `query GetMerges($chatId: ID!) {
  chat(id: $chatId) { outline { segments { firstId sourceIds } } }
}`;

export const GET_SOURCE_PATHS = `query GetSourcePaths($id: ID!, $length: Int!) {
  message(id: $id) { sources { id chain(limit: $length) { ${MESSAGE} } } }
}`;

const DRAFT = 'id parent { id } name metadata length state startedBy startedAt updatedAt';

export const START_DRAFT = `mutation StartDraft($input: StartDraftInput!) {
  result: startDraft(input: $input) { __typename ... on DraftPayload { draft { ${DRAFT} } } ${ERRORS} }
}`;

/** Fields of a mutation run one after the other: the chain ends in the message that was saved. */
export const SAVE_AND_START_DRAFT = `mutation SaveAndStartDraft(
  $chat: CreateChatInput!, $isNew: Boolean!, $save: SaveMessagesInput!, $draft: StartDraftInput!
) {
  chat: upsertChat(input: $chat) @include(if: $isNew) { __typename ${ERRORS} }
  saved: saveMessages(input: $save) {
    __typename
    ... on SaveMessagesPayload { branch { ${BRANCH} } messages { ${MESSAGE} } branched }
    ${ERRORS}
  }
  draft: startDraft(input: $draft) {
    __typename
    ... on DraftPayload { draft { ${DRAFT} parent { id chain { ${MESSAGE} } } } }
    ${ERRORS}
  }
}`;

export const APPEND_TO_DRAFT = `mutation AppendToDraft($input: AppendToDraftInput!) {
  result: appendToDraft(input: $input) {
    __typename
    ... on DraftPayload { draft { length state } }
    ... on DraftOffsetError { length }
    ${ERRORS}
  }
}`;

export const STOP_DRAFT = `mutation StopDraft($input: DraftInput!) {
  result: stopDraft(input: $input) { __typename ... on DraftPayload { draft { length state } } ${ERRORS} }
}`;

export const FINISH_DRAFT = `mutation FinishDraft($input: FinishDraftInput!) {
  result: finishDraft(input: $input) {
    __typename
    ... on SaveMessagesPayload { branch { ${BRANCH} } messages { ${MESSAGE} } branched }
    ${ERRORS}
  }
}`;

export const DISCARD_DRAFT = `mutation DiscardDraft($input: DraftInput!) {
  result: discardDraft(input: $input) {
    __typename
    ... on DiscardDraftPayload { discardedDraftId }
    ... on Error { code message }
  }
}`;

export const LIST_DRAFTS = `query ListDrafts($chatId: ID!) { chat(id: $chatId) { drafts { ${DRAFT} } } }`;

export const FOLLOW_DRAFT = `subscription FollowDraft($chatId: ID!, $id: ID!, $after: Int, $withChunks: Boolean!) {
  draft(chatId: $chatId, id: $id, after: $after) {
    __typename
    ... on DraftChunks { offset length chunks @include(if: $withChunks) }
    ... on DraftStopping { requestedBy }
    ... on DraftAbandoned { length }
    ... on DraftFinished { message { ${MESSAGE} } branch { ${BRANCH} } }
  }
}`;
