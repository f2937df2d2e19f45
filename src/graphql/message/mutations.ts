import { MAX_MESSAGES_PER_SAVE } from '../../conversation/bounds.js';
import {
  AlreadyExistsError,
  HeadConflictError,
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
} from '../../conversation/errors.js';
import { editMessage, saveMessages } from '../../conversation/saving/save.js';
import type { SaveOutcome } from '../../conversation/saving/save-plan.js';
import { builder } from '../builder.js';
import { DATA, METADATA, NAME, TEXT } from '../stated-limits.js';
import { resultUnion } from '../result-union.js';
import { encodePathCursor } from '../pages/cursors.js';
import { listSize } from '../limits/list-size.js';
import { branchRef, chatRef, messageRef, previousActiveBranchField } from '../refs.js';
import { expectedHeadId, expectedHeadInput, messageAt, positionInput } from './positions.js';
import { messageConnection } from './type.js';

export const conflictPolicy = builder.enumType('ConflictPolicy', {
  description: 'Behaviour when expectedHead is not the current head.',
  values: {
    REJECT: { description: 'Write nothing and return HeadConflictError.' },
    FORK: { description: 'Save on a new active branch that starts at expectedHead.' },
    APPEND: { description: 'Append after the new head when it descends from expectedHead, else REJECT.' },
  } as const,
});

const lazyId = builder.enumType('LazyId', {
  description: 'An id that the server resolves when it saves.',
  values: {
    LAST_ASSISTANT: {
      description: 'The newest assistant message among those being saved, else on the branch, else a new id.',
    },
  } as const,
});

export const messageContent = builder.inputType('MessageContent', {
  description: 'Exactly one of these.',
  isOneOf: true,
  fields: (t) => ({
    text: t.string({ description: `Saved as a UI message with one text part. ${TEXT}` }),
    data: t.field({ type: 'JSON', description: `Saved unchanged; any JSON value but null. ${DATA}` }),
  }),
});

export const messageInput = builder.inputType('MessageInput', {
  description: 'A message to save.',
  fields: (t) => ({
    id: t.id({ description: 'Chosen by the client, or generated. Cannot be combined with lazyId.' }),
    lazyId: t.field({ type: lazyId, description: 'An id that the server resolves when it saves.' }),
    name: t.string({ required: true, description: `user, assistant, system, tool, or any other name. ${NAME}` }),
    type: t.string({
      required: true,
      defaultValue: 'message',
      description: `The kind of record. A summary represents all messages before it: see ContextInput.summaries. ${NAME}`,
    }),
    content: t.field({ type: messageContent, required: true, description: 'The content.' }),
    sourceIds: t.idList({
      description:
        'Up to 16 messages that this one draws on besides its parent, such as the result of a side thread (a merge): messages of the ' +
        'chat on any branch, or earlier ones of this save. A saved message with other sources is edited; absent: its sources are not ' +
        'compared.',
    }),
  }),
});

const newChatInput = builder.inputType('NewChatInput', {
  description: 'A chat to create if it is missing.',
  fields: (t) => ({
    userId: t.id({ description: 'Owner of the chat: the viewer by default. Admins only.' }),
    title: t.string({ description: `Title for lists. ${NAME}` }),
    metadata: t.field({ type: 'JSON', description: `A JSON object. ${METADATA}` }),
  }),
});

const saveMessagesInput = builder.inputType('SaveMessagesInput', {
  description: 'Messages to save, and their place.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    createChat: t.field({
      type: newChatInput,
      description:
        'Creates the chat if it is missing, in the same transaction. An existing chat is not changed. As with upsertChat, the id of a ' +
        'deleted chat, or of one that the viewer may not access, is AlreadyExistsError.',
    }),
    branch: t.string({ description: `The name of the branch: the active one by default. ${NAME}` }),
    branchId: t.id({ description: 'The id of the branch, instead of its name.' }),
    at: t.field({
      type: positionInput,
      description:
        "The parent of the first message, instead of the branch's head: another answer to a question, or a continuation from the " +
        'middle. Unless it is the head of the target, a new active branch starts at it. Cannot be combined with expectedHead.',
    }),
    branchName: t.string({ description: `The name of the branch that an edit, FORK or at creates. ${NAME}` }),
    messages: t.field({ type: [messageInput], required: true, description: '1 to 500.' }),
    expectedHead: t.field({
      type: expectedHeadInput,
      description: 'The head that the client last saw. Absent: append to any head.',
    }),
    onConflict: t.field({
      type: conflictPolicy,
      required: true,
      defaultValue: 'REJECT',
      description: 'Behaviour when expectedHead is not the current head.',
    }),
  }),
});

const saveMessagesPayload = builder.objectRef<SaveOutcome>('SaveMessagesPayload').implement({
  description: 'The messages are saved.',
  fields: (t) => ({
    chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }),
    branch: t.expose('branch', { type: branchRef, description: 'The branch that ends in the last message.' }),
    previousActiveBranch: t.expose('previousActiveBranch', previousActiveBranchField),
    messages: t.expose('messages', {
      ...listSize(MAX_MESSAGES_PER_SAVE),
      type: [messageRef],
      description: 'As saved, in the order given.',
    }),
    messageEdges: t.field({
      ...listSize(MAX_MESSAGES_PER_SAVE),
      type: [messageConnection.edge],
      description: 'The messages as edges of Branch.messages, for caches that insert them.',
      resolve: ({ messages }) => messages.map((node) => ({ cursor: encodePathCursor(node.id), node })),
    }),
    branched: t.exposeBoolean('branched', {
      description: 'Whether a branch was created: by an edit, by FORK, by at, or for a draft.',
    }),
  }),
});

export const saveMessagesResult = resultUnion(
  saveMessagesPayload,
  [InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError, HeadConflictError],
  'saveMessages, editMessage and finishDraft',
);

builder.mutationField('saveMessages', (t) =>
  t.field({
    scope: 'WRITE',
    audit: {
      event: 'chat.changed',
      idsOf: ({ chatId }, { chat, hasCreatedChat }) => ({
        chats: [chatId],
        target: hasCreatedChat ? chat?.userId : null,
      }),
    },
    type: saveMessagesResult,
    description: [
      'Appends messages to a branch, each the parent of the next, and moves its head, all or nothing.',
      'A message with the id of a saved message of the chat but other content is an edit: the new version is saved',
      'under a new id as a sibling of the original, on a new active branch. With equal content it is a retry, and',
      'nothing is written twice.',
    ].join('\n'),
    args: {
      input: t.arg({ type: saveMessagesInput, required: true, description: 'The messages, and their place.' }),
    },
    resolve: async (_root, { input: { at, expectedHead, ...input } }, context) => {
      const place = { parentId: messageAt(at), expectedHeadId: expectedHeadId(expectedHead) };
      const messages = await Promise.all(input.messages.map((message) => context.files.withStored(context, message)));
      return saveMessages(context.store, context.viewer, { ...input, ...place, messages });
    },
  }),
);

const editMessageInput = builder.inputType('EditMessageInput', {
  description: 'A new version of a message.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    messageId: t.id({ required: true, description: 'The original message.' }),
    content: t.field({ type: messageContent, required: true, description: 'The content of the new version.' }),
    id: t.id({
      description:
        'The id of the new version, chosen by the client, or generated. A retry with the same id and content writes nothing.',
    }),
    branchName: t.string({ description: `The name of the new branch. ${NAME}` }),
    expectedHead: t.field({
      type: expectedHeadInput,
      description: 'The head of the active branch that the client last saw. Absent: any head.',
    }),
  }),
});

builder.mutationField('editMessage', (t) =>
  t.field({
    scope: 'WRITE',
    audit: 'chat.changed',
    type: saveMessagesResult,
    description: 'Saves a new version of a message as its sibling, on a new active branch. A root gets a second root.',
    args: {
      input: t.arg({ type: editMessageInput, required: true, description: 'The message, and its new content.' }),
    },
    resolve: async (_root, { input: { expectedHead, ...input } }, context) => {
      const seen = { expectedHeadId: expectedHeadId(expectedHead) };
      const stored = await context.files.withStored(context, input);
      return editMessage(context.store, context.viewer, { ...stored, ...seen });
    },
  }),
);
