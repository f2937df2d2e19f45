/** Creates data of users, and calls with its ids, for tests of access by other users. */
import { encodeNodeId } from '../../../src/graphql/node/node-id.js';
import { schema } from '../../../src/server/schema.js';
import type { WebhookOptions } from '../../../src/features/webhooks/settings.js';
import type { NewShare } from '../../features/shares/share-server.js';
import { documentOf, type Field } from './id-arguments.js';
import type { Parley } from '../server/parley.js';

/** The data of a user, by its ids. Every id and every text contains the user's name. */
export interface Belongings {
  userId: string;
  chatId: string;
  otherMessageId: string;
  messageId: string;
  branchId: string;
  checkpointId: string;
  draftId: string;
  accessTokenId: string;
  shareId: string;
  /** A chat that is deleted and can be restored. */
  deletedChatId: string;
  shareToken: string;
}

export interface Answer {
  text: string;
  data: Record<string, unknown> | null;
  isRefused: boolean;
  statements: number;
}

/** Queries here select everything at once. */
export const UNLIMITED = {
  maxTokens: 100_000,
  maxDocumentLength: 10_000_000,
  maxAliases: 10_000,
  maxRootFields: 1_000,
  maxSelections: 10_000,
  costLimit: 1e12,
};

/** A webhook whose address is refused. */
export const WEBHOOK: WebhookOptions = {
  name: 'hook',
  url: 'https://127.0.0.1/',
  secrets: [`whsec_${'A'.repeat(32)}`],
};

/** Runs a document as a user. Returns the first result of a subscription, which `then` may cause. */
export async function ask(
  parley: Parley,
  userId: string,
  query: string,
  variables: unknown,
  then: () => Promise<unknown> = async () => {},
): Promise<Answer> {
  parley.takeStatements();
  const accept = query.startsWith('subscription') ? 'text/event-stream' : 'application/json';
  const response = await parley.post(JSON.stringify({ query, variables }), { 'x-user-id': userId, accept });
  await then();
  const text = accept === 'application/json' ? await response.text() : await firstEvent(response);
  const { data = null, errors } = JSON.parse(text) as { data?: Answer['data']; errors?: object[] };
  return { text, data, isRefused: errors !== undefined, statements: parley.takeStatements().length };
}

async function firstEvent({ body }: Response): Promise<string> {
  const reader = body!.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (!/^data: .+$/m.test(text)) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return /^data: (.+)$/m.exec(text)![1]!;
}

let chats = 0;

/** Seconds: a slow test must not make a draft abandoned. */
const LONGEST_IDLE = 3_600;

/** A chat with a fork, a checkpoint, a draft and a member, and a deleted chat. */
export async function belongingsOf(parley: Parley, userId: string, idleTimeout = LONGEST_IDLE): Promise<Belongings> {
  const chatId = `${userId}-chat-${chats++}`;
  const newMessage = (id: string, text: string) => ({
    id: `${chatId}-${id}`,
    name: 'user',
    content: { text: `${userId} ${text}` },
  });
  const thought = {
    parts: [{ type: 'text', text: `${userId} thinks again` }],
    metadata: { usage: { inputTokens: 1 } },
  };
  const input = { id: chatId, title: `${userId} title`, metadata: { of: userId } };
  const made = await ask(
    parley,
    userId,
    `mutation ($chat: CreateChatInput!, $save: SaveMessagesInput!, $edit: EditMessageInput!, $mark: CreateCheckpointInput!, $draft: StartDraftInput!, $append: AppendToDraftInput!, $token: CreateAccessTokenInput!, $share: CreateShareInput!, $member: AddMemberInput!, $other: CreateChatInput!, $delete: DeleteChatInput!) {
      createChat(input: $chat) { __typename }
      saveMessages(input: $save) { __typename }
      editMessage(input: $edit) { ... on SaveMessagesPayload { branch { id } } }
      createCheckpoint(input: $mark) { ... on CheckpointPayload { checkpoint { id } } }
      startDraft(input: $draft) { __typename }
      appendToDraft(input: $append) { __typename }
      addMember(input: $member) { __typename }
      createAccessToken(input: $token) { ... on AccessTokenPayload { accessToken { id } } }
      createShare(input: $share) { ... on SharePayload { share { id token } } }
      other: createChat(input: $other) { __typename }
      deleteChat(input: $delete) { __typename }
    }`,
    {
      chat: input,
      save: {
        chatId,
        messages: [newMessage('1', 'asks'), { ...newMessage('2', 'insists'), sourceIds: [`${chatId}-1`] }],
      },
      edit: { chatId, messageId: `${chatId}-2`, content: { data: thought } },
      mark: { chatId, name: `${userId} mark`, messageId: `${chatId}-1` },
      draft: { chatId, id: `${chatId}-draft`, name: `${userId} model`, idleTimeout, metadata: { of: userId } },
      member: { chatId, userId: `${userId} friend`, role: 'READER' },
      token: { name: `${userId} script` },
      share: { chatId, title: `${userId} share` },
      other: { id: `${chatId}-deleted`, title: `${userId} deleted` },
      delete: { chatId: `${chatId}-deleted` },
      append: { chatId, id: `${chatId}-draft`, offset: 0, chunks: [`${userId} begins`] },
    },
  );
  if (made.isRefused) throw new Error(made.text);
  const { data } = made as unknown as {
    data: {
      editMessage: { branch: { id: string } };
      createCheckpoint: { checkpoint: { id: string } };
      createAccessToken: { accessToken: { id: string } };
      createShare: { share: Pick<NewShare, 'id' | 'token'> };
    };
  };
  return {
    userId,
    chatId,
    messageId: `${chatId}-1`,
    otherMessageId: `${chatId}-2`,
    branchId: data.editMessage.branch.id,
    checkpointId: data.createCheckpoint.checkpoint.id,
    draftId: `${chatId}-draft`,
    accessTokenId: data.createAccessToken.accessToken.id,
    shareId: data.createShare.share.id,
    deletedChatId: `${chatId}-deleted`,
    shareToken: data.createShare.share.token,
  };
}

/**
 * A call of each field that takes ids, with ids of the owner. Root fields get variables; other fields also need a
 * document. A new field needs an entry here, because fields without a call are not tested.
 */
export const calls: Record<string, (own: Belongings) => { variables: object; document?: string; then?: string }> = {
  'Query.chat': ({ chatId }) => ({ variables: { id: chatId } }),
  'Query.deletedChats': ({ userId }) => ({ variables: { userId } }),
  'Query.chats': ({ userId }) => ({ variables: { filter: { userId } } }),
  'Query.monthlyUsage': ({ userId }) => ({ variables: { userId } }),
  'Query.message': ({ messageId }) => ({ variables: { id: messageId } }),
  'Query.node': ({ messageId }) => ({ variables: { nodeId: encodeNodeId('Message', messageId) } }),
  'Query.search': ({ chatId }) => ({ variables: { query: 'insists', filter: { chatId } } }),
  'Chat.message': ({ chatId, messageId }) => ({
    variables: { chatId, id: messageId },
    document: 'query ($chatId: ID!, $id: ID!) { chat(id: $chatId) { message(id: $id) { id data } } }',
  }),
  'Chat.compare': ({ chatId, messageId, otherMessageId }) => ({
    variables: { chatId, base: { messageId }, head: { messageId: otherMessageId } },
    document: `query ($chatId: ID!, $base: PlaceInput!, $head: PlaceInput!) {
      chat(id: $chatId) { compare(base: $base, head: $head) { base { id data } head { id data } aheadBy behindBy } }
    }`,
  }),
  'Message.path': ({ messageId, otherMessageId }) => ({
    variables: { messageId: otherMessageId, around: messageId },
    document: `query ($messageId: ID!, $around: ID!) {
      message(id: $messageId) { path(around: $around) { edges { cursor node { id data } } } }
    }`,
  }),
  'Branch.messages': ({ chatId, messageId }) => ({
    variables: { chatId, around: messageId },
    document: `query ($chatId: ID!, $around: ID!) {
      chat(id: $chatId) { activeBranch { messages(around: $around) { edges { cursor node { id data } } } } }
    }`,
  }),
  'Chat.events': ({ chatId, userId }) => ({
    variables: { chatId, filter: { actorId: userId } },
    document: `query ($chatId: ID!, $filter: EventFilter) {
       chat(id: $chatId) { events(filter: $filter) { edges { node { seq actorId } } } }
    }`,
  }),
  'Branch.context': ({ chatId, messageId }) => ({
    variables: { chatId, input: { pending: [{ id: messageId, name: 'user', content: { text: 'more' } }] } },
    document: `query ($chatId: ID!, $input: ContextInput!) {
      chat(id: $chatId) { activeBranch { context(input: $input) { systemPrompt messages } } }
    }`,
  }),
  'Mutation.addMember': ({ userId, chatId }) => ({
    variables: { input: { chatId, userId: `${userId} colleague`, role: 'WRITER' } },
  }),
  'Mutation.removeMember': ({ userId, chatId }) => ({ variables: { input: { chatId, userId: `${userId} friend` } } }),
  'Mutation.createAccessToken': ({ userId, chatId }) => ({ variables: { input: { name: `${userId} other`, chatId } } }),
  'Mutation.revokeAccessToken': ({ accessTokenId: id }) => ({ variables: { input: { id } } }),
  'Mutation.createShare': ({ userId, chatId, messageId }) => ({
    variables: { input: { chatId, place: { messageId }, title: `${userId} link` } },
  }),
  'Mutation.replayWebhookDeliveries': ({ chatId }) => ({
    variables: { input: { webhook: WEBHOOK.name, ids: [chatId] } },
  }),
  'Mutation.setLegalHold': ({ chatId }) => ({ variables: { input: { chatId, reason: 'case' } } }),
  'Mutation.liftLegalHold': ({ chatId }) => ({ variables: { input: { chatId } } }),
  'Mutation.setRetention': ({ userId }) => ({ variables: { input: { userId, days: 30 } } }),
  'Mutation.setStorageQuota': ({ userId }) => ({ variables: { input: { userId, bytes: 1e9 } } }),
  'Mutation.revokeShare': ({ shareId: id }) => ({ variables: { input: { id } } }),
  'Mutation.btw': ({ chatId, messageId }) => ({
    variables: { input: { chatId, at: { message: messageId }, branchName: 'aside' } },
  }),
  'Mutation.createChat': ({ userId, chatId }) => ({ variables: { input: { id: `${chatId}-new`, userId } } }),
  'Mutation.forkChat': ({ chatId, messageId }) => ({
    variables: { input: { chatId, messageId, id: `${chatId}-fork` } },
  }),
  'Mutation.upsertChat': ({ userId, chatId }) => ({ variables: { input: { id: chatId, userId } } }),
  'Mutation.updateChat': ({ userId, chatId }) => ({ variables: { input: { chatId, title: `${userId} renamed` } } }),
  'Mutation.transferChat': ({ userId, chatId }) => ({ variables: { input: { chatId, userId } } }),
  'Mutation.renameBranch': ({ userId, chatId }) => ({
    variables: { input: { chatId, name: 'main', newName: `${userId} trunk` } },
  }),
  'Mutation.deleteBranch': ({ chatId }) => ({ variables: { input: { chatId, name: 'main' } } }),
  'Mutation.deleteChat': ({ chatId }) => ({ variables: { input: { chatId } } }),
  'Mutation.restoreChat': ({ deletedChatId }) => ({ variables: { input: { chatId: deletedChatId } } }),
  'Mutation.saveMessages': ({ userId, chatId, messageId, otherMessageId }) => ({
    variables: {
      input: {
        chatId,
        branch: 'main',
        expectedHead: { id: otherMessageId },
        onConflict: 'REJECT',
        messages: [{ id: `${chatId}-3`, name: 'user', content: { text: `${userId} goes on` }, sourceIds: [messageId] }],
      },
    },
  }),
  'Mutation.editMessage': ({ userId, chatId, messageId }) => ({
    variables: { input: { chatId, messageId, content: { text: `${userId} thinks twice` } } },
  }),
  'Mutation.rewind': ({ chatId, messageId }) => ({ variables: { input: { chatId, at: { message: messageId } } } }),
  'Mutation.switchToSibling': ({ chatId, otherMessageId: messageId }) => ({
    variables: { input: { chatId, messageId } },
  }),
  'Mutation.switchBranch': ({ chatId }) => ({ variables: { input: { chatId, name: 'main' } } }),
  'Mutation.createCheckpoint': ({ userId, chatId, messageId }) => ({
    variables: { input: { chatId, messageId, name: `${userId} second` } },
  }),
  'Mutation.restoreCheckpoint': ({ userId, chatId }) => ({ variables: { input: { chatId, name: `${userId} mark` } } }),
  'Mutation.deleteCheckpoint': ({ userId, chatId }) => ({ variables: { input: { chatId, name: `${userId} mark` } } }),
  'Mutation.startDraft': ({ chatId }) => ({ variables: { input: { chatId, id: `${chatId}-draft-2` } } }),
  'Mutation.appendToDraft': ({ userId, chatId, draftId }) => ({
    variables: { input: { chatId, id: draftId, offset: 1, chunks: [`${userId} goes on`] } },
  }),
  'Mutation.finishDraft': ({ chatId, draftId }) => ({ variables: { input: { chatId, id: draftId } } }),
  'Mutation.stopDraft': ({ chatId, draftId }) => ({ variables: { input: { chatId, id: draftId } } }),
  'Mutation.discardDraft': ({ chatId, draftId }) => ({ variables: { input: { chatId, id: draftId } } }),
  'Subscription.draft': ({ chatId, draftId }) => ({ variables: { chatId, id: draftId } }),
  'Subscription.drafts': ({ chatId }) => ({ variables: { chatId } }),
  'Subscription.branchHead': ({ chatId }) => ({ variables: { chatId } }),
  'Subscription.chatChanges': ({ userId, chatId }) => ({
    variables: { userId, includeShared: true },
    then: `mutation { updateChat(input: { chatId: "${chatId}", metadata: {} }) { __typename } }`,
  }),
  'Subscription.chatEvents': ({ chatId }) => ({ variables: { chatId, after: 0 } }),
};

export function documentFor({ name, field }: Field, own: Belongings): { document: string; variables: object } {
  const { variables, document } = calls[name]!(own);
  return { variables, document: document ?? documentOf(schema, { name, field }, 2) };
}

/** An action of the owner while a call waits. */
export function thenFor(parley: Parley, { name }: Field, own: Belongings): () => Promise<unknown> {
  const { then } = calls[name]!(own);
  return async () => then && ask(parley, own.userId, then, {});
}

/** Whether a call had its effect. */
export function isDone({ data, isRefused }: Answer): boolean {
  return !isRefused && !/"__typename":"\w+Error"|:null\}?$/.test(JSON.stringify(data));
}
