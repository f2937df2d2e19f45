/** The documents of the clients, of each kind that the README shows. */
const OUTCOME = '__typename ... on Error { message }';

export const CREATE = `mutation Create($id: ID!, $title: String) {
  upsertChat(input: { id: $id, title: $title, metadata: { kind: "soak" } }) { ${OUTCOME} }
}`;

export const SAVE = `mutation Save($chatId: ID!, $messages: [MessageInput!]!) {
  saveMessages(input: { chatId: $chatId, messages: $messages }) {
    ${OUTCOME} ... on SaveMessagesPayload { chat { version } branch { name messageCount } messages { id text } }
  }
}`;

export const EDIT = `mutation Edit($chatId: ID!, $messageId: ID!, $text: String!) {
  editMessage(input: { chatId: $chatId, messageId: $messageId, content: { text: $text } }) {
    ${OUTCOME} ... on SaveMessagesPayload { branch { name } messages { id siblings { id text } } }
  }
}`;

export const REWIND = `mutation Rewind($chatId: ID!, $messageId: ID!) {
  rewind(input: { chatId: $chatId, at: { message: $messageId } }) { ${OUTCOME} ... on BranchPayload { branch { name } } }
}`;

export const SWITCH = `mutation Switch($chatId: ID!) {
  switchBranch(input: { chatId: $chatId, name: "main" }) { ${OUTCOME} }
}`;

export const SIBLING = `mutation Sibling($chatId: ID!, $messageId: ID!) {
  switchToSibling(input: { chatId: $chatId, messageId: $messageId }) { ${OUTCOME} }
}`;

export const BTW = `mutation Btw($chatId: ID!) { btw(input: { chatId: $chatId }) { ${OUTCOME} } }`;

export const UPDATE = `mutation Update($id: ID!, $title: String!, $n: JSON) {
  updateChat(input: { chatId: $id, title: $title, metadataPatch: $n }) { ${OUTCOME} }
}`;

export const BOOKMARK = `mutation Bookmark($chatId: ID!, $messageId: ID!) {
  createCheckpoint(input: { chatId: $chatId, name: "here", messageId: $messageId }) { ${OUTCOME} }
}`;

export const RESTORE = `mutation Restore($chatId: ID!) {
  restoreCheckpoint(input: { chatId: $chatId, name: "here" }) { ${OUTCOME} }
}`;

export const FORGET = `mutation Forget($chatId: ID!) {
  deleteCheckpoint(input: { chatId: $chatId, name: "here" }) { ${OUTCOME} }
}`;

export const DELETE =
  'mutation Delete($id: ID!) { deleteChat(input: { chatId: $id, permanently: true }) { __typename } }';

export const READ = `query ReadAndFind($id: ID!, $words: String!) {
  chat(id: $id) { title activeBranch { name chain { id name text siblingIndex siblingCount } } }
  search(query: $words, first: 3) { edges { node { snippet message { id } } } }
}`;

export const FIND = `query Find($id: ID!, $words: String!) {
  chat(id: $id) { search(query: $words, first: 5, names: ["assistant"]) { edges { node { rank snippet } } } }
}`;

export const CONTEXT = `query Context($id: ID!, $input: ContextInput!) {
  chat(id: $id) { activeBranch { context(input: $input) { systemPrompt messages } } }
}`;

export const PAGE = `query Page($id: ID!) {
  chat(id: $id) {
    latestLeaf { id depth }
    branches(first: 5) { edges { node { name messages(last: 10) { totalCount edges { node { id children(first: 3) { totalCount } } } } } } }
    checkpoints(first: 5) { edges { node { name message { id } } } }
  }
}`;

export const GRAPH = `query Graph($id: ID!) {
  chat(id: $id) { graph { nodes { id parentId role content depth } branches { name head { id } } checkpoints { name } } }
}`;

export const HISTORY = `query History($id: ID!) {
  chat(id: $id) { version events(last: 20) { edges { node { __typename seq actorId createdAt } } } }
}`;

export const LIST = `query List {
  viewer { userId }
  chats(first: 10, filter: { metadata: [{ key: "kind", equals: "soak" }] }) { totalCount edges { node { id title updatedAt } } }
}`;

export const EVENTS = `subscription Events($chatId: ID!, $after: Int) {
  chatEvents(chatId: $chatId, after: $after) { __typename seq ... on BranchHeadMoved { messages { id text } } }
}`;

export const HEAD = `subscription Head($chatId: ID!, $after: Int) {
  branchHead(chatId: $chatId, after: $after) { seq branch { name } head { id } appended { id text } }
}`;

const DRAFT_OUTCOME = `${OUTCOME} ... on DraftPayload { draft { length state } }`;

export const START_DRAFT = `mutation StartDraft($input: StartDraftInput!) { startDraft(input: $input) { ${DRAFT_OUTCOME} } }`;

export const APPEND_DRAFT = `mutation AppendToDraft($input: AppendToDraftInput!) {
  appendToDraft(input: $input) { ${DRAFT_OUTCOME} }
}`;

export const STOP_DRAFT = `mutation StopDraft($input: DraftInput!) { stopDraft(input: $input) { ${DRAFT_OUTCOME} } }`;

export const FINISH_DRAFT = `mutation FinishDraft($input: FinishDraftInput!) {
  finishDraft(input: $input) { ${OUTCOME} ... on SaveMessagesPayload { branch { name } messages { id text } } }
}`;

export const DISCARD_DRAFT = `mutation DiscardDraft($input: DraftInput!) { discardDraft(input: $input) { ${OUTCOME} } }`;

export const DRAFTS = 'query Drafts($id: ID!) { chat(id: $id) { drafts { edges { node { id } } } } }';
