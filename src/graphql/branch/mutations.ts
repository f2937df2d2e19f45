import { deleteBranch, renameBranch, type BranchOutcome } from '../../conversation/branches/branches.js';
import { restoreCheckpoint } from '../../conversation/branches/checkpoints.js';
import { AlreadyExistsError, InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import { btw, rewind, switchBranch } from '../../conversation/branches/rewind.js';
import { switchToSibling } from '../../conversation/branches/siblings.js';
import { builder } from '../builder.js';
import type { Branch, Chat } from '../../conversation/model.js';
import { mutate } from '../context.js';
import { encodeCursor } from '../cursors.js';
import { encodeNodeId } from '../node-id.js';
import { branchRef, chatRef } from '../refs.js';
import { branchConnection } from './type.js';

const branchPayload = builder.objectRef<BranchOutcome>('BranchPayload').implement({
  description: 'The chat and the branch as they are now.',
  fields: (t) => ({
    chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }),
    branch: t.expose('branch', { type: branchRef, description: 'The branch that was made, made active or renamed.' }),
    branchEdge: t.field({
      type: branchConnection.edge,
      description: 'The branch as lists of branches have it, for caches that put it into one.',
      resolve: ({ branch }) => ({
        cursor: encodeCursor({ kind: 'branch', of: branch.chatId }, branch.seq),
        node: branch,
      }),
    }),
  }),
});

const branchResult = builder.errorUnion('BranchResult', {
  description: 'What the mutations answer that make a branch, make another one active or rename one.',
  types: [branchPayload, InvalidInputError, NotFoundError, AlreadyExistsError],
  resolveType: () => branchPayload,
});

const rewindInput = builder.inputType('RewindInput', {
  description: 'Where to go back to.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    messageId: t.id({
      description:
        'The message that the new branch ends in. To be given always: null for a branch without messages, to begin anew.',
    }),
    branchName: t.string({ description: 'Named after the active branch by default: main, main-v2, main-v3.' }),
  }),
});

builder.mutationField('rewind', (t) =>
  t.field({
    type: branchResult,
    description: 'A new branch at the message, made active. Nothing is deleted.',
    args: { input: t.arg({ type: rewindInput, required: true, description: 'Where to go back to.' }) },
    resolve: (_root, { input }, context) => mutate(context, () => rewind(context.store, context.viewer, input)),
  }),
);

const btwInput = builder.inputType('BtwInput', {
  description: 'A question by the way.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    messageId: t.id({
      description: "Where it begins: the active branch's head by default; null for a branch without messages.",
    }),
    branchName: t.string({ description: 'Named after the active branch by default.' }),
  }),
});

builder.mutationField('btw', (t) =>
  t.field({
    type: branchResult,
    description: "A new branch at the active branch's head, or at another message, left inactive.",
    args: { input: t.arg({ type: btwInput, required: true, description: 'Where the question begins.' }) },
    resolve: (_root, { input }, context) => mutate(context, () => btw(context.store, context.viewer, input)),
  }),
);

const switchBranchInput = builder.inputType('SwitchBranchInput', {
  description: 'The branch to make active.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    name: t.string({ required: true, description: 'The name of the branch.' }),
  }),
});

builder.mutationField('switchBranch', (t) =>
  t.field({
    type: branchResult,
    description: 'Makes a branch the active one.',
    args: { input: t.arg({ type: switchBranchInput, required: true, description: 'The branch to make active.' }) },
    resolve: (_root, { input }, context) => mutate(context, () => switchBranch(context.store, context.viewer, input)),
  }),
);

const switchToSiblingInput = builder.inputType('SwitchToSiblingInput', {
  description: 'Another version of a message to show.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    messageId: t.id({ required: true, description: 'The sibling to show.' }),
    branchName: t.string({
      description: "The name of the branch that is made when none ends at the sibling's latest leaf.",
    }),
  }),
});

builder.mutationField('switchToSibling', (t) =>
  t.field({
    type: branchResult,
    description: [
      "Shows another sibling: activates the branch whose head is the sibling's latestLeaf, or a new branch",
      'there when there is none.',
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
    type: branchResult,
    description: "A new active branch at the checkpoint's message.",
    args: {
      input: t.arg({ type: restoreCheckpointInput, required: true, description: 'The checkpoint to go back to.' }),
    },
    resolve: (_root, { input }, context) =>
      mutate(context, () => restoreCheckpoint(context.store, context.viewer, input)),
  }),
);

const renameBranchInput = builder.inputType('RenameBranchInput', {
  description: 'Another name for a branch.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The chat of the branch.' }),
    name: t.string({ required: true, description: 'As it is called.' }),
    newName: t.string({ required: true, description: 'As it is to be called.' }),
  }),
});

builder.mutationField('renameBranch', (t) =>
  t.field({
    type: branchResult,
    description: 'Another name for a branch; its messages and its place in lists stay.',
    args: { input: t.arg({ type: renameBranchInput, required: true, description: 'The branch and its new name.' }) },
    resolve: (_root, { input }, context) => mutate(context, () => renameBranch(context.store, context.viewer, input)),
  }),
);

const deleteBranchInput = builder.inputType('DeleteBranchInput', {
  description: 'The branch to remove.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The chat of the branch.' }),
    name: t.string({ required: true, description: 'Of a branch that is not active.' }),
  }),
});

const deleteBranchPayload = builder.objectRef<{ chat: Chat; deleted: Branch }>('DeleteBranchPayload').implement({
  description: 'The branch is gone; its messages stay.',
  fields: (t) => ({
    chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }),
    deletedBranchName: t.string({
      description: 'The name that it had.',
      resolve: ({ deleted }) => deleted.name,
    }),
    deletedBranchNodeId: t.id({
      description: 'The nodeId that it had, for caches.',
      resolve: ({ deleted }) => encodeNodeId('Branch', deleted.id),
    }),
  }),
});

builder.mutationField('deleteBranch', (t) =>
  t.field({
    type: builder.errorUnion('DeleteBranchResult', {
      description: 'What deleteBranch answers.',
      types: [deleteBranchPayload, InvalidInputError, NotFoundError],
      resolveType: () => deleteBranchPayload,
    }),
    description: 'Removes the name of a branch; every message stays. The active branch cannot be removed.',
    args: { input: t.arg({ type: deleteBranchInput, required: true, description: 'The branch to remove.' }) },
    resolve: (_root, { input }, context) => mutate(context, () => deleteBranch(context.store, context.viewer, input)),
  }),
);
