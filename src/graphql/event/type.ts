import type { ObjectFieldsShape } from '@pothos/core';
import { MAX_MESSAGES_PER_SAVE } from '../../conversation/bounds.js';
import type { ChatEvent, ChatEventType } from '../../conversation/model.js';
import { builder, type Types } from '../builder.js';
import { connectionRef } from '../pages/connection.js';
import { listSize } from '../limits/list-size.js';
import { branchOf, chatOf } from '../answers/references.js';
import { branchRef, chatEventRef, chatRef, checkpointRef, messageRef } from '../refs.js';

type EventOf<T extends ChatEventType> = Extract<ChatEvent, { type: T }>;

chatEventRef.implement({
  description: 'A change in a chat. Events of a chat are numbered from 1 without gaps.',
  resolveType: (event) => event.type,
  fields: (t) => ({
    seq: t.exposeInt('seq', { description: 'Its number in the chat: pass it as `after` to continue from here.' }),
    chatId: t.exposeID('chatId', { description: 'The id of the chat.' }),
    actorId: t.exposeID('actorId', { description: 'The user who made the change.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it happened.' }),
  }),
});

export function eventType<T extends ChatEventType>(
  type: T,
  description: string,
  fields: ObjectFieldsShape<Types, EventOf<T>> = () => ({}),
): void {
  builder.objectType(builder.objectRef<EventOf<T>>(type), { description, interfaces: [chatEventRef], fields });
}

export const chatNow = { type: chatRef, description: 'The chat as it is now.', resolve: chatOf };

const branchNow = {
  type: branchRef,
  nullable: true,
  description: 'The branch as it is now; null after its deletion.',
  resolve: branchOf,
} as const;

export const chatEventConnection = connectionRef('ChatEvent', chatEventRef);

eventType('ChatCreated', 'The first event of a chat.', (t) => ({
  chat: t.field(chatNow),
}));

eventType('ChatUpdated', 'The title or the metadata changed.', (t) => ({
  chat: t.field(chatNow),
}));

eventType('ChatRestored', 'The chat was deleted and restored. The log does not contain the deletion.');

eventType('ChatDeleted', 'The last event of a chat until it is restored; subscriptions to it end.');

eventType('BranchCreated', 'A new branch, not active yet.', (t) => ({
  branch: t.field(branchNow),
  headId: t.id({
    nullable: true,
    description: 'The message at which it starts; null for an empty branch.',
    resolve: ({ payload }) => payload.headId,
  }),
}));

eventType('BranchActivated', 'Another branch became the active one.', (t) => ({
  branch: t.field(branchNow),
}));

eventType('BranchRenamed', 'A branch was renamed.', (t) => ({
  branch: t.field(branchNow),
  previousName: t.string({ description: 'The previous name.', resolve: ({ payload }) => payload.previousName }),
  name: t.string({ description: 'The name at that time.', resolve: ({ payload }) => payload.name }),
}));

eventType('BranchDeleted', 'A branch was deleted; its messages stay.', (t) => ({
  name: t.string({ description: 'The name at that time.', resolve: ({ payload }) => payload.name }),
  headId: t.id({ nullable: true, description: 'The head at that time.', resolve: ({ payload }) => payload.headId }),
}));

eventType('BranchHeadMoved', "A branch's head moved.", (t) => ({
  branch: t.field(branchNow),
  previousHeadId: t.id({
    nullable: true,
    description: 'The previous head; null when the branch was empty.',
    resolve: ({ payload }) => payload.previousHeadId,
  }),
  headId: t.id({
    // Never null so far, but nullable in other types: one selection may include both.
    nullable: true,
    description: 'The head at that time.',
    resolve: ({ payload }) => payload.headId,
  }),
  messages: t.field({
    ...listSize(MAX_MESSAGES_PER_SAVE),
    type: [messageRef],
    description: 'The messages saved with this move, root first.',
    resolve: ({ chatId, payload: { firstSeq, lastSeq } }, _args, { loaders }) =>
      loaders.messageRange.load({ chatId, firstSeq, lastSeq }),
  }),
}));

eventType('CheckpointSaved', 'A checkpoint was created or moved.', (t) => ({
  name: t.string({ description: 'The name of the checkpoint.', resolve: ({ payload }) => payload.name }),
  checkpoint: t.field({
    type: checkpointRef,
    nullable: true,
    description: 'Null after the deletion of the checkpoint.',
    resolve: ({ chatId, payload }, _args, { loaders }) => loaders.checkpoint.load({ chatId, id: payload.checkpointId }),
  }),
  messageId: t.id({ description: 'The message that it marks.', resolve: ({ payload }) => payload.messageId }),
}));

eventType('CheckpointDeleted', 'A checkpoint was deleted.', (t) => ({
  name: t.string({ description: 'The name of the checkpoint.', resolve: ({ payload }) => payload.name }),
}));
