import { createCheckpoint, deleteCheckpoint } from '../../conversation/branches/checkpoints.js';
import { ForbiddenError, InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import type { Chat, Checkpoint } from '../../conversation/model.js';
import { builder } from '../builder.js';
import { NAME } from '../stated-limits.js';
import { changeField } from '../change-field.js';
import { resultUnion } from '../result-union.js';
import { encodeCursor } from '../pages/cursors.js';
import { DELETED_ID, deletedNodeId } from '../node/deleted.js';
import { chatRef, checkpointRef } from '../refs.js';
import { checkpointConnection } from './type.js';

const createCheckpointInput = builder.inputType('CreateCheckpointInput', {
  description: 'A checkpoint to create or move.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    name: t.string({ required: true, description: `Unique in its chat: an existing checkpoint is moved. ${NAME}` }),
    messageId: t.id({ description: "The active branch's head by default." }),
  }),
});

const checkpointPayload = builder
  .objectRef<{ checkpoint: Checkpoint; created: boolean }>('CheckpointPayload')
  .implement({
    description: 'The checkpoint exists.',
    fields: (t) => ({
      checkpoint: t.expose('checkpoint', { type: checkpointRef, description: 'The checkpoint as it is now.' }),
      checkpointEdge: t.field({
        type: checkpointConnection.edge,
        description: 'The checkpoint as an edge of lists of checkpoints, for caches that insert it.',
        resolve: ({ checkpoint }) => ({
          cursor: encodeCursor({ kind: 'checkpoint', of: checkpoint.chatId }, checkpoint.seq),
          node: checkpoint,
        }),
      }),
      created: t.exposeBoolean('created', { description: 'False when an existing checkpoint was moved.' }),
    }),
  });

changeField('createCheckpoint', createCheckpoint, {
  type: resultUnion(checkpointPayload, [InvalidInputError, NotFoundError, ForbiddenError], 'createCheckpoint'),
  description: 'Names a message (the active head by default); an existing checkpoint is moved there.',
  input: [createCheckpointInput, 'The name, and the message.'],
});

const deleteCheckpointInput = builder.inputType('DeleteCheckpointInput', {
  description: 'A checkpoint to delete.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    name: t.string({
      description: `The name of the checkpoint. ${NAME} Exactly one of name and checkpointId is required.`,
    }),
    checkpointId: t.id({ description: 'The id of the checkpoint.' }),
  }),
});

const deleteCheckpointPayload = builder
  .objectRef<{ chat: Chat; deleted: Checkpoint }>('DeleteCheckpointPayload')
  .implement({
    description: 'The checkpoint was deleted; its message stays.',
    fields: (t) => ({
      chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }),
      deletedId: t.id({ ...DELETED_ID, resolve: ({ deleted }) => deleted.id }),
      deletedNodeId: t.id(deletedNodeId('Checkpoint', ({ deleted }) => deleted.id)),
    }),
  });

changeField('deleteCheckpoint', deleteCheckpoint, {
  type: resultUnion(deleteCheckpointPayload, [InvalidInputError, NotFoundError, ForbiddenError]),
  description: 'Deletes a checkpoint; the message stays.',
  input: [deleteCheckpointInput, 'The checkpoint to delete.'],
});
