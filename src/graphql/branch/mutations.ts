import { restoreCheckpoint } from '../../conversation/checkpoints.js';
import { AlreadyExistsError, InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import { btw, rewind, switchBranch, type BranchOutcome } from '../../conversation/rewind.js';
import { switchToSibling } from '../../conversation/siblings.js';
import { builder } from '../builder.js';
import { mutate } from '../context.js';
import { branchRef, chatRef } from '../refs.js';

const branchPayload = builder.objectRef<BranchOutcome>('BranchPayload').implement({
  description: 'The chat and the branch as they are now.',
  fields: (t) => ({
    chat: t.expose('chat', { type: chatRef }),
    branch: t.expose('branch', { type: branchRef }),
  }),
});

const branchResult = builder.errorUnion('BranchResult', {
  description: 'What the mutations answer that make a branch or another one active.',
  types: [branchPayload, InvalidInputError, NotFoundError, AlreadyExistsError],
  resolveType: () => branchPayload,
});

const rewindInput = builder.inputType('RewindInput', {
  description: 'Where to go back to.',
  fields: (t) => ({
    chatId: t.id({ required: true }),
    messageId: t.id({ required: true }),
    branchName: t.string({ description: 'Named after the active branch by default: main, main-v2, main-v3.' }),
  }),
});

builder.mutationField('rewind', (t) =>
  t.field({
    type: branchResult,
    description: 'A new branch at the message, made active. Nothing is deleted.',
    args: { input: t.arg({ type: rewindInput, required: true }) },
    resolve: (_root, { input }, context) => mutate(context, () => rewind(context.store, context.viewer, input)),
  }),
);

const btwInput = builder.inputType('BtwInput', {
  description: 'A question by the way.',
  fields: (t) => ({
    chatId: t.id({ required: true }),
    messageId: t.id({ description: "Where it begins: the active branch's head by default." }),
    branchName: t.string({ description: 'Named after the active branch by default.' }),
  }),
});

builder.mutationField('btw', (t) =>
  t.field({
    type: branchResult,
    description: "A new branch at the active branch's head, or at another message, left inactive.",
    args: { input: t.arg({ type: btwInput, required: true }) },
    resolve: (_root, { input }, context) => mutate(context, () => btw(context.store, context.viewer, input)),
  }),
);

const switchBranchInput = builder.inputType('SwitchBranchInput', {
  description: 'The branch to make active.',
  fields: (t) => ({
    chatId: t.id({ required: true }),
    name: t.string({ required: true }),
  }),
});

builder.mutationField('switchBranch', (t) =>
  t.field({
    type: branchResult,
    description: 'Makes a branch the active one.',
    args: { input: t.arg({ type: switchBranchInput, required: true }) },
    resolve: (_root, { input }, context) => mutate(context, () => switchBranch(context.store, context.viewer, input)),
  }),
);

const switchToSiblingInput = builder.inputType('SwitchToSiblingInput', {
  description: 'Another version of a message to show.',
  fields: (t) => ({
    chatId: t.id({ required: true }),
    messageId: t.id({ required: true, description: 'The sibling to show.' }),
  }),
});

builder.mutationField('switchToSibling', (t) =>
  t.field({
    type: branchResult,
    description: [
      "Shows another sibling: activates the branch whose head is the sibling's latestLeaf, or a new branch",
      'there when there is none.',
    ].join('\n'),
    args: { input: t.arg({ type: switchToSiblingInput, required: true }) },
    resolve: (_root, { input }, context) =>
      mutate(context, () => switchToSibling(context.store, context.viewer, input)),
  }),
);

const restoreCheckpointInput = builder.inputType('RestoreCheckpointInput', {
  description: 'The checkpoint to go back to.',
  fields: (t) => ({
    chatId: t.id({ required: true }),
    name: t.string({ required: true }),
  }),
});

builder.mutationField('restoreCheckpoint', (t) =>
  t.field({
    type: branchResult,
    description: "A new active branch at the checkpoint's message.",
    args: { input: t.arg({ type: restoreCheckpointInput, required: true }) },
    resolve: (_root, { input }, context) =>
      mutate(context, () => restoreCheckpoint(context.store, context.viewer, input)),
  }),
);
