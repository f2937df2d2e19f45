import { AlreadyExistsError, InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import { forkChat } from './fork-chat.js';
import type { Chat } from '../../conversation/model.js';
import type { ForkRow } from './statements.js';
import { builder } from '../../graphql/builder.js';
import { NAME } from '../../graphql/stated-limits.js';
import { resultUnion } from '../../graphql/result-union.js';
import { chatRef, forkChatInput, messageRef } from '../../graphql/refs.js';
import { chatEdge } from '../../graphql/chat/type.js';
import { visibleChat } from '../../graphql/loading/visible-chat.js';

const forkOrigin = builder.objectRef<ForkRow>('ForkOrigin').implement({
  description: 'The origin of a forked chat. chatId and messageId are null for a fork of a share.',
  fields: (t) => ({
    chatId: t.exposeID('fromChatId', {
      nullable: true,
      description: 'The id of the forked chat, which may be deleted.',
    }),
    messageId: t.exposeID('fromMessageId', {
      nullable: true,
      description: 'The id of the last message of the copied path, or of the head of the active branch.',
    }),
    message: t.field({
      type: messageRef,
      nullable: true,
      description: 'The message with messageId; null if it is deleted or not visible to the viewer.',
      resolve: async ({ fromChatId, fromMessageId: id }, _args, context) => {
        const chat = fromChatId === null || id === null ? null : await visibleChat(context, fromChatId);
        return chat === null || id === null ? null : context.loaders.message.load({ chatId: chat.id, id });
      },
    }),
  }),
});

builder.objectField(chatRef, 'forkedFrom', (t) =>
  t.field({
    type: forkOrigin,
    nullable: true,
    description: 'The origin of a chat that forkChat created; null for other chats.',
    resolve: ({ id }, _args, { loaders, reads }) =>
      loaders.of('forks', (chatIds: readonly string[]) => reads.forks(chatIds)).load(id),
  }),
);

forkChatInput.implement({
  description: 'A chat to fork.',
  fields: (t) => ({
    chatId: t.id({ description: 'The id of the chat to copy.' }),
    messageId: t.id({
      description:
        'The last message of the path to copy: the head of the active branch by default. Not with wholeGraph.',
    }),
    id: t.id({ description: 'The id of the new chat, chosen by the client, or generated.' }),
    title: t.string({ description: `Title of the new chat: that of the copied chat if absent, none if null. ${NAME}` }),
    wholeGraph: t.boolean({
      required: true,
      defaultValue: false,
      description: 'Copy all messages, branches and checkpoints instead of a path.',
    }),
  }),
});

const forkChatPayload = builder.objectRef<{ chat: Chat }>('ForkChatPayload').implement({
  description: 'The fork was created.',
  fields: (t) => ({
    chat: t.expose('chat', { type: chatRef, description: 'The new chat.' }),
    chatEdge: t.field(chatEdge),
  }),
});

builder.mutationField('forkChat', (t) =>
  t.field({
    scope: 'WRITE',
    audit: { event: 'chat.forked', idsOf: ({ chatId }, { chat }) => ({ chats: [chatId, chat?.id] }) },
    type: resultUnion(forkChatPayload, [AlreadyExistsError, InvalidInputError, NotFoundError]),
    description:
      'Copies the path to a message, or a whole graph, of a chat that the viewer may read into a new chat of the viewer. Messages keep their content, authors and times, and get new ids.',
    args: { input: t.arg({ type: forkChatInput, required: true, description: 'The chat to copy, and how.' }) },
    resolve: async (_root, { input }, context) => {
      const { store, viewer } = context;
      return { chat: await forkChat(store, viewer, input, (request) => context.forkOf?.(request, context) ?? null) };
    },
  }),
);
