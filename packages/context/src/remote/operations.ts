/** The operations of the remote store. */
import { MESSAGE_FIELDS } from '../store/store-data.js';

const CHAT = 'id userId title metadata createdAt updatedAt';
const MESSAGE = MESSAGE_FIELDS.filter((name) => name !== 'chatId').join(' ');
const BRANCH = 'id name head { id } isActive messageCount createdAt';
const CHECKPOINT = 'id name message { id } createdAt';
const DRAFT = 'id parent { id } name metadata length state startedBy startedAt updatedAt';
const SAVED = `SaveMessagesPayload { branch { ${BRANCH} } messages { ${MESSAGE} } branched }`;
const ANY_ERROR = '... on Error { code message }';
const ERRORS = `${ANY_ERROR} ... on InvalidInputError { path }`;

/** A mutation whose result is one of a payload and errors. */
function mutation(name: string, payload: string, errors = ERRORS, input?: string): string {
  const type = name.replace(/^./, (first) => first.toUpperCase());
  const result = `${name}(input: $input) { __typename ... on ${payload} ${errors} }`;
  return `mutation ${type}($input: ${input ?? `${type}Input`}!) { result: ${result} }`;
}

export const CREATE_CHAT = mutation('createChat', `CreateChatPayload { chat { ${CHAT} } }`);
export const UPSERT_CHAT = mutation('upsertChat', `UpsertChatPayload { chat { ${CHAT} } }`, ERRORS, 'CreateChatInput');
export const UPDATE_CHAT = mutation('updateChat', `UpdateChatPayload { chat { ${CHAT} } }`);
export const DELETE_CHAT = mutation('deleteChat', 'DeleteChatPayload { deletedId }', ANY_ERROR);

export const GET_CHAT = `query GetChat($chatId: ID!) { chat(id: $chatId) { ${CHAT} } }`;

export const LIST_CHATS = `query ListChats($filter: ChatFilter, $first: Int, $after: String) {
  chats(filter: $filter, first: $first, after: $after) { edges { node { ${CHAT} } } pageInfo { hasNextPage endCursor } }
}`;

export const SAVE_MESSAGES = mutation('saveMessages', SAVED);

export const GET_MESSAGE = `query GetMessage($id: ID!) { message(id: $id) { ${MESSAGE} chat { id } } }`;

export const GET_CHAIN = `query GetChain($id: ID!) { message(id: $id) { chat { id } chain { ${MESSAGE} } } }`;

export const HAS_CHILDREN = `query HasChildren($id: ID!) { message(id: $id) { hasChildren } }`;

export const REWIND = mutation('rewind', `BranchPayload { branch { ${BRANCH} } }`);
export const BTW = mutation('btw', `BranchPayload { branch { ${BRANCH} } }`);
export const SWITCH_BRANCH = mutation('switchBranch', `BranchPayload { branch { ${BRANCH} } }`);
export const RENAME_BRANCH = mutation('renameBranch', `BranchPayload { branch { ${BRANCH} } }`);
export const DELETE_BRANCH = mutation('deleteBranch', 'DeleteBranchPayload { deletedId }');

export const GET_BRANCH = `query GetBranch($chatId: ID!, $name: String!) {
  chat(id: $chatId) { branch(name: $name) { ${BRANCH} } }
}`;

export const GET_ACTIVE_BRANCH = `query GetActiveBranch($chatId: ID!) { chat(id: $chatId) { activeBranch { ${BRANCH} } } }`;

export const LIST_BRANCHES = `query ListBranches($chatId: ID!) { chat(id: $chatId) { graph { branches { ${BRANCH} } } } }`;

export const CREATE_CHECKPOINT = mutation('createCheckpoint', `CheckpointPayload { checkpoint { ${CHECKPOINT} } }`);

export const GET_CHECKPOINT = `query GetCheckpoint($chatId: ID!, $name: String!) {
  chat(id: $chatId) { checkpoint(name: $name) { ${CHECKPOINT} } }
}`;

export const LIST_CHECKPOINTS = `query ListCheckpoints($chatId: ID!) {
  chat(id: $chatId) { graph { checkpoints { ${CHECKPOINT} } } }
}`;

export const DELETE_CHECKPOINT = mutation('deleteCheckpoint', 'DeleteCheckpointPayload { deletedId }', ANY_ERROR);

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

export const START_DRAFT = mutation('startDraft', `DraftPayload { draft { ${DRAFT} } }`);

/** Fields of a mutation run one after the other: the chain ends in the message that was saved. */
export const SAVE_AND_START_DRAFT = `mutation SaveAndStartDraft($save: SaveMessagesInput!, $draft: StartDraftInput!) {
  saved: saveMessages(input: $save) { __typename ... on ${SAVED} ${ERRORS} }
  draft: startDraft(input: $draft) {
    __typename
    ... on DraftPayload { draft { ${DRAFT} parent { id chain { ${MESSAGE} } } } }
    ${ERRORS}
  }
}`;

export const APPEND_TO_DRAFT = mutation(
  'appendToDraft',
  'DraftPayload { draft { length state } }',
  `... on DraftOffsetError { length } ${ERRORS}`,
);

export const STOP_DRAFT = mutation('stopDraft', 'DraftPayload { draft { length state } }', ERRORS, 'DraftInput');

export const FINISH_DRAFT = mutation('finishDraft', SAVED);

export const DISCARD_DRAFT = mutation('discardDraft', 'DiscardDraftPayload { deletedId }', ANY_ERROR, 'DraftInput');

export const LIST_DRAFTS = `query ListDrafts($chatId: ID!) { chat(id: $chatId) { drafts { edges { node { ${DRAFT} } } } } }`;

export const FOLLOW_DRAFT = `subscription FollowDraft($chatId: ID!, $id: ID!, $after: Int, $withChunks: Boolean!) {
  draft(chatId: $chatId, id: $id, after: $after) {
    __typename
    ... on DraftChunks { offset length chunks @include(if: $withChunks) }
    ... on DraftStopping { requestedBy }
    ... on DraftAbandoned { length }
    ... on DraftFinished { message { ${MESSAGE} } branch { ${BRANCH} } }
  }
}`;
