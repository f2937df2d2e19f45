import { createChat, updateChat, upsertChat } from '../../conversation/chats.js';
import { AlreadyExistsError, ForbiddenError, InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import type { Chat } from '../../conversation/model.js';
import { builder } from '../builder.js';
import { METADATA, NAME } from '../stated-limits.js';
import { resultUnion } from '../result-union.js';
import { chatRefusals } from '../errors.js';
import { chatRef } from '../refs.js';
import { chatEdge } from './type.js';

const createChatInput = builder.inputType('CreateChatInput', {
  description: 'A chat to create.',
  fields: (t) => ({
    id: t.id({ description: 'Chosen by the client, or generated.' }),
    userId: t.id({ description: 'Owner of the chat: the viewer by default. Admins only.' }),
    title: t.string({ description: `Title for lists. ${NAME}` }),
    metadata: t.field({ type: 'JSON', description: `A JSON object. ${METADATA}` }),
  }),
});

const createChatPayload = builder.objectRef<{ chat: Chat }>('CreateChatPayload').implement({
  description: 'The chat was created.',
  fields: (t) => ({
    chat: t.expose('chat', { type: chatRef, description: 'The new chat.' }),
    chatEdge: t.field(chatEdge),
  }),
});

const chatCreation = {
  event: 'chat.created',
  idsOf: (_: unknown, { chat }: { chat?: Chat }) => ({ chats: [chat?.id], target: chat?.userId }),
} as const;

builder.mutationField('createChat', (t) =>
  t.field({
    scope: 'WRITE',
    audit: chatCreation,
    type: resultUnion(createChatPayload, [InvalidInputError, AlreadyExistsError]),
    description: 'A new chat with an empty active branch `main`.',
    args: { input: t.arg({ type: createChatInput, required: true, description: 'The chat to create.' }) },
    resolve: async (_root, { input }, context) => ({ chat: await createChat(context.store, context.viewer, input) }),
  }),
);

const upsertChatPayload = builder.objectRef<{ chat: Chat; created: boolean }>('UpsertChatPayload').implement({
  description: 'The chat exists.',
  fields: (t) => ({
    chat: t.expose('chat', { type: chatRef, description: 'The new or existing chat.' }),
    chatEdge: t.field(chatEdge),
    created: t.exposeBoolean('created', { description: 'Whether the chat was created.' }),
  }),
});

builder.mutationField('upsertChat', (t) =>
  t.field({
    scope: 'WRITE',
    audit: chatCreation,
    type: resultUnion(upsertChatPayload, [InvalidInputError, AlreadyExistsError]),
    description: 'The chat with this id, created if it does not exist; an existing one is not changed.',
    args: { input: t.arg({ type: createChatInput, required: true, description: 'The chat to create.' }) },
    resolve: (_root, { input }, context) => upsertChat(context.store, context.viewer, input),
  }),
);

const updateChatInput = builder.inputType('UpdateChatInput', {
  description: 'Changes to a chat.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    title: t.string({ description: `Null deletes it; absent keeps it. ${NAME}` }),
    metadata: t.field({ type: 'JSON', description: `Replaces the metadata. ${METADATA}` }),
    metadataPatch: t.field({
      type: 'JSON',
      description: `Changes the metadata by RFC 7396 (JSON Merge Patch). Cannot be combined with metadata. ${METADATA}`,
    }),
  }),
});

const updateChatPayload = builder.objectRef<{ chat: Chat }>('UpdateChatPayload').implement({
  description: 'The chat was changed.',
  fields: (t) => ({ chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }) }),
});

const newResult = () =>
  resultUnion(
    updateChatPayload,
    [InvalidInputError, NotFoundError, ForbiddenError, ...chatRefusals],
    'updateChat and transferChat',
  );

let result: ReturnType<typeof newResult> | undefined;

/** Made when the schema is built: see chatRefusals. */
export const updateChatResult = () => (result ??= newResult());

builder.mutationField('updateChat', (t) =>
  t.field({
    scope: 'WRITE',
    audit: 'chat.changed',
    type: updateChatResult(),
    description: 'Changes the title and the metadata.',
    args: { input: t.arg({ type: updateChatInput, required: true, description: 'The changes.' }) },
    resolve: async (_root, { input: { chatId: id, ...changes } }, { store, viewer }) => ({
      chat: await updateChat(store, viewer, { id, ...changes }),
    }),
  }),
);
