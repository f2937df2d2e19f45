import { createCheckpoint, deleteCheckpoint } from '../../conversation/branches/checkpoints.js';
import { InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import type { Chat, Checkpoint } from '../../conversation/model.js';
import { builder } from '../builder.js';
import { mutate } from '../context.js';
import { encodeCursor } from '../cursors.js';
import { encodeNodeId } from '../node-id.js';
import { chatRef, checkpointRef } from '../refs.js';
import { checkpointConnection } from './type.js';

const createCheckpointInput = builder.inputType('CreateCheckpointInput', {
  description: 'A bookmark to set.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    name: t.string({ required: true, description: 'Unique in its chat: one that is there is moved.' }),
    messageId: t.id({ description: "The active branch's head by default." }),
  }),
});

const checkpointPayload = builder
  .objectRef<{ checkpoint: Checkpoint; created: boolean }>('CheckpointPayload')
  .implement({
    description: 'The checkpoint is there.',
    fields: (t) => ({
      checkpoint: t.expose('checkpoint', { type: checkpointRef, description: 'The checkpoint as it is now.' }),
      checkpointEdge: t.field({
        type: checkpointConnection.edge,
        description: 'The checkpoint as lists of checkpoints have it, for caches that put it into one.',
        resolve: ({ checkpoint }) => ({
          cursor: encodeCursor({ kind: 'checkpoint', of: checkpoint.chatId }, checkpoint.seq),
          node: checkpoint,
        }),
      }),
      created: t.exposeBoolean('created', { description: 'False when a checkpoint of that name was moved.' }),
    }),
  });

builder.mutationField('createCheckpoint', (t) =>
  t.field({
    type: builder.errorUnion('CheckpointResult', {
      description: 'What createCheckpoint answers.',
      types: [checkpointPayload, InvalidInputError, NotFoundError],
      resolveType: () => checkpointPayload,
    }),
    description: 'Names a message (the active head by default); an existing name is moved there.',
    args: { input: t.arg({ type: createCheckpointInput, required: true, description: 'The name, and the message.' }) },
    resolve: (_root, { input }, context) =>
      mutate(context, () => createCheckpoint(context.store, context.viewer, input)),
  }),
);

const deleteCheckpointInput = builder.inputType('DeleteCheckpointInput', {
  description: 'A bookmark to remove.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    name: t.string({ required: true, description: 'The name of the checkpoint.' }),
  }),
});

const deleteCheckpointPayload = builder
  .objectRef<{ chat: Chat; deleted: Checkpoint }>('DeleteCheckpointPayload')
  .implement({
    description: 'The checkpoint is gone; its message stays.',
    fields: (t) => ({
      chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }),
      deletedCheckpointName: t.string({
        description: 'The name that it had.',
        resolve: ({ deleted }) => deleted.name,
      }),
      deletedCheckpointNodeId: t.id({
        description: 'The nodeId that it had, for caches.',
        resolve: ({ deleted }) => encodeNodeId('Checkpoint', deleted.id),
      }),
    }),
  });

builder.mutationField('deleteCheckpoint', (t) =>
  t.field({
    type: builder.errorUnion('DeleteCheckpointResult', {
      description: 'What deleteCheckpoint answers.',
      types: [deleteCheckpointPayload, NotFoundError],
      resolveType: () => deleteCheckpointPayload,
    }),
    description: 'Removes a bookmark; the message stays.',
    args: { input: t.arg({ type: deleteCheckpointInput, required: true, description: 'The checkpoint to remove.' }) },
    resolve: (_root, { input }, context) =>
      mutate(context, () => deleteCheckpoint(context.store, context.viewer, input)),
  }),
);
