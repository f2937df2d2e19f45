import { deleteBranch, renameBranch, type BranchOutcome } from '../../conversation/branches/branches.js';
import { restoreCheckpoint } from '../../conversation/branches/checkpoints.js';
import { AlreadyExistsError, ForbiddenError, InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import { btw, rewind, switchBranch } from '../../conversation/branches/rewind.js';
import { switchToSibling } from '../../conversation/branches/siblings.js';
import { builder } from '../builder.js';
import type { Branch, Chat } from '../../conversation/model.js';
import { mutate } from '../context.js';
import { resultUnion } from '../result-union.js';
import { encodeCursor } from '../pages/cursors.js';
import { encodeNodeId } from '../node/node-id.js';
import { branchRef, chatRef } from '../refs.js';
import { branchConnection } from './type.js';

const branchPayload = builder.objectRef<BranchOutcome>('BranchPayload').implement({
  description: 'The chat and the branch as they are now.',
  fields: (t) => ({
    chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }),
    branch: t.expose('branch', { type: branchRef, description: 'The created, activated or renamed branch.' }),
    branchEdge: t.field({
      type: branchConnection.edge,
      description: 'The branch as an edge of lists of branches, for caches that insert it.',
      resolve: ({ branch }) => ({
        cursor: encodeCursor({ kind: 'branch', of: branch.chatId }, branch.seq),
        node: branch,
      }),
    }),
  }),
});

const branchResult = resultUnion(
  branchPayload,
  [InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError],
  'the mutations that create, activate or rename a branch',
);

const rewindInput = builder.inputType('RewindInput', {
  description: 'The message to go back to.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    messageId: t.id({
      description: 'The head of the new branch. Required: null for a branch without messages, to start over.',
    }),
    branchName: t.string({ description: 'Named after the active branch by default: main, main-v2, main-v3.' }),
  }),
});

builder.mutationField('rewind', (t) =>
  t.field({
    scope: 'WRITE',
    audit: 'chat.changed',
    type: branchResult,
    description: 'Creates a branch at the message and activates it. Nothing is deleted.',
    args: { input: t.arg({ type: rewindInput, required: true, description: 'The message to go back to.' }) },
    resolve: (_root, { input }, context) => mutate(context, () => rewind(context.store, context.viewer, input)),
  }),
);

const btwInput = builder.inputType('BtwInput', {
  description: 'A side question.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    messageId: t.id({
      description:
        "The message at which it starts: the active branch's head by default; null for a branch without messages.",
    }),
    branchName: t.string({ description: 'Named after the active branch by default.' }),
  }),
});

builder.mutationField('btw', (t) =>
  t.field({
    scope: 'WRITE',
    audit: 'chat.changed',
    type: branchResult,
    description: "Creates an inactive branch at the active branch's head, or at another message.",
    args: {
      input: t.arg({ type: btwInput, required: true, description: 'The message at which the question starts.' }),
    },
    resolve: (_root, { input }, context) => mutate(context, () => btw(context.store, context.viewer, input)),
  }),
);

const switchBranchInput = builder.inputType('SwitchBranchInput', {
  description: 'The branch to activate.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    name: t.string({ required: true, description: 'The name of the branch.' }),
  }),
});

builder.mutationField('switchBranch', (t) =>
  t.field({
    scope: 'WRITE',
    audit: 'chat.changed',
    type: branchResult,
    description: 'Activates a branch.',
    args: { input: t.arg({ type: switchBranchInput, required: true, description: 'The branch to activate.' }) },
    resolve: (_root, { input }, context) => mutate(context, () => switchBranch(context.store, context.viewer, input)),
  }),
);

const switchToSiblingInput = builder.inputType('SwitchToSiblingInput', {
  description: 'Another version of a message to show.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    messageId: t.id({ required: true, description: 'The sibling to show.' }),
    branchName: t.string({
      description: "The name of the branch that is created when none ends at the sibling's latest leaf.",
    }),
  }),
});

builder.mutationField('switchToSibling', (t) =>
  t.field({
    scope: 'WRITE',
    audit: 'chat.changed',
    type: branchResult,
    description: [
      "Shows another sibling: activates the branch whose head is the sibling's latestLeaf, or creates ",
      'a branch there.',
    ].join('\n'),
    args: { input: t.arg({ type: switchToSiblingInput, required: true, description: 'The sibling to show.' }) },
    resolve: (_root, { input }, context) =>
      mutate(context, () => switchToSibling(context.store, context.viewer, input)),
  }),
);

const restoreCheckpointInput = builder.inputType('RestoreCheckpointInput', {
  description: 'The checkpoint to go back to.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    name: t.string({ required: true, description: 'The name of the checkpoint.' }),
  }),
});

builder.mutationField('restoreCheckpoint', (t) =>
  t.field({
    scope: 'WRITE',
    audit: 'chat.changed',
    type: branchResult,
    description: "Creates a branch at the checkpoint's message and activates it.",
    args: {
      input: t.arg({ type: restoreCheckpointInput, required: true, description: 'The checkpoint to go back to.' }),
    },
    resolve: (_root, { input }, context) =>
      mutate(context, () => restoreCheckpoint(context.store, context.viewer, input)),
  }),
);

const renameBranchInput = builder.inputType('RenameBranchInput', {
  description: 'A new name for a branch.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The chat of the branch.' }),
    name: t.string({ required: true, description: 'The current name.' }),
    newName: t.string({ required: true, description: 'The new name.' }),
  }),
});

builder.mutationField('renameBranch', (t) =>
  t.field({
    scope: 'WRITE',
    audit: 'chat.changed',
    type: branchResult,
    description: 'Renames a branch; its messages and its place in lists stay.',
    args: { input: t.arg({ type: renameBranchInput, required: true, description: 'The branch and its new name.' }) },
    resolve: (_root, { input }, context) => mutate(context, () => renameBranch(context.store, context.viewer, input)),
  }),
);

const deleteBranchInput = builder.inputType('DeleteBranchInput', {
  description: 'The branch to delete.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The chat of the branch.' }),
    name: t.string({ required: true, description: 'The name of a branch that is not active.' }),
  }),
});

const deleteBranchPayload = builder.objectRef<{ chat: Chat; deleted: Branch }>('DeleteBranchPayload').implement({
  description: 'The branch was deleted; its messages stay.',
  fields: (t) => ({
    chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }),
    deletedBranchName: t.string({
      description: 'The name of the deleted branch.',
      resolve: ({ deleted }) => deleted.name,
    }),
    deletedBranchNodeId: t.id({
      description: 'The nodeId of the deleted branch, for caches.',
      resolve: ({ deleted }) => encodeNodeId('Branch', deleted.id),
    }),
  }),
});

builder.mutationField('deleteBranch', (t) =>
  t.field({
    scope: 'WRITE',
    audit: 'chat.changed',
    type: resultUnion(deleteBranchPayload, [InvalidInputError, NotFoundError, ForbiddenError]),
    description: 'Deletes a branch; every message stays. The active branch cannot be deleted.',
    args: { input: t.arg({ type: deleteBranchInput, required: true, description: 'The branch to delete.' }) },
    resolve: (_root, { input }, context) => mutate(context, () => deleteBranch(context.store, context.viewer, input)),
  }),
);
