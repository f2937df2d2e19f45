/** The GraphQL documents of the MCP tools. They have the rights and the limits of the same operations of a client. */

const PAGE = 'pageInfo { hasNextPage endCursor }';

export const LIST_CHATS = `query McpListChats($filter: ChatFilter, $first: Int!, $after: String) {
  chats(filter: $filter, first: $first, after: $after) {
    edges { node { id title createdAt updatedAt messageCount activeBranch { name } } }
    ${PAGE}
  }
}`;

export const SEARCH = `query McpSearch($query: String!, $filter: SearchFilter, $first: Int!, $after: String) {
  search(query: $query, filter: $filter, first: $first, after: $after) {
    edges { node { snippet message { id name createdAt chat { id title } } } }
    ${PAGE}
  }
}`;

export const RECALL = `query McpRecall($query: String!, $filter: SearchFilter, $first: Int!) {
  search(query: $query, filter: $filter, first: $first) {
    edges { node { message { id name createdAt depth text parent { id name text } chat { id title } } } }
  }
}`;

const PATH = `
fragment Path on MessageConnection {
  edges { node { id name type createdAt depth text files { name file { mediaType size } } } }
  pageInfo { hasPreviousPage startCursor }
}`;

export const READ_ACTIVE = `query McpReadActive($chatId: ID!, $last: Int!, $before: String) {
  chat(id: $chatId) { id title at: activeBranch { name path: messages(last: $last, before: $before) { ...Path } } }
}${PATH}`;

export const READ_BRANCH = `query McpReadBranch($chatId: ID!, $branch: String!, $last: Int!, $before: String) {
  chat(id: $chatId) { id title at: branch(name: $branch) { name path: messages(last: $last, before: $before) { ...Path } } }
}${PATH}`;

export const READ_TO_MESSAGE = `query McpReadToMessage($chatId: ID!, $messageId: ID!, $last: Int!, $before: String) {
  chat(id: $chatId) { id title at: message(id: $messageId) { id path(last: $last, before: $before) { ...Path } } }
}${PATH}`;

export const COMPARE = `query McpCompare($chatId: ID!, $base: PlaceInput!, $head: PlaceInput!, $first: Int!) {
  chat(id: $chatId) {
    compare(base: $base, head: $head) {
      status
      commonAncestor { id name text }
      aheadBy
      ahead(first: $first) { edges { node { id name text } } ${PAGE} }
      behindBy
      behind(first: $first) { edges { node { id name text } } ${PAGE} }
    }
  }
}`;

export const SAVE_MESSAGES = `mutation McpSaveMessages($input: SaveMessagesInput!) {
  result: saveMessages(input: $input) {
    __typename
    ... on SaveMessagesPayload { branch { name } messages { id name } }
    ... on Error { message }
  }
}`;

export const CREATE_BRANCH = `mutation McpCreateBranch($input: BtwInput!) {
  result: btw(input: $input) {
    __typename
    ... on BranchPayload { branch { name head { id } } }
    ... on Error { message }
  }
}`;
