import { deleteBranch, renameBranch, type BranchOutcome } from '../../conversation/branches/branches.js';
import { restoreCheckpoint } from '../../conversation/branches/checkpoints.js';
import { AlreadyExistsError, ForbiddenError, InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import { btw, rewind, switchBranch, switchToSibling } from '../../conversation/branches/rewind.js';
import { builder } from '../builder.js';
import { NAME } from '../stated-limits.js';
import { changeField } from '../change-field.js';
import type { Branch, Chat, Viewer } from '../../conversation/model.js';
import type { ConversationStore } from '../../conversation/store.js';
import { messageAt, positionInput } from '../message/positions.js';
import { resultUnion } from '../result-union.js';
import { encodeCursor } from '../pages/cursors.js';
import { DELETED_ID, deletedNodeId } from '../node/deleted.js';
import { branchRef, chatRef, previousActiveBranchField } from '../refs.js';
import { branchConnection } from './type.js';

const branchPayload = builder.objectRef<BranchOutcome>('BranchPayload').implement({
  description: 'The chat and the branch as they are now.',
  fields: (t) => ({
    chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }),
    branch: t.expose('branch', { type: branchRef, description: 'The created, activated or renamed branch.' }),
    previousActiveBranch: t.expose('previousActiveBranch', previousActiveBranchField),
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
    at: t.field({
      type: positionInput,
      required: true,
      description: 'The head of the new branch, or the start for a branch without messages, to start over.',
    }),
    branchName: t.string({ description: `Named after the active branch by default: main, main-v2, main-v3. ${NAME}` }),
  }),
});

const rewindTo = (store: ConversationStore, viewer: Viewer, { at, ...input }: typeof rewindInput.$inferInput) =>
  rewind(store, viewer, { ...input, messageId: messageAt(at) });

changeField('rewind', rewindTo, {
  type: branchResult,
  description: 'Creates a branch at the message and activates it. Nothing is deleted.',
  input: [rewindInput, 'The message to go back to.'],
});

const btwInput = builder.inputType('BtwInput', {
  description: 'A side question.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    at: t.field({
      type: positionInput,
      description: "The message at which it starts: the active branch's head by default.",
    }),
    branchName: t.string({ description: `Named after the active branch by default. ${NAME}` }),
  }),
});

const btwAt = (store: ConversationStore, viewer: Viewer, { at, ...input }: typeof btwInput.$inferInput) =>
  btw(store, viewer, { ...input, messageId: messageAt(at) });

changeField('btw', btwAt, {
  type: branchResult,
  description: "Creates an inactive branch at the active branch's head, or at another message.",
  input: [btwInput, 'The message at which the question starts.'],
});

const switchBranchInput = builder.inputType('SwitchBranchInput', {
  description: 'The branch to activate.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    name: t.string({ description: `The name of the branch. ${NAME} Exactly one of name and branchId is required.` }),
    branchId: t.id({ description: 'The id of the branch.' }),
  }),
});

changeField('switchBranch', switchBranch, {
  type: branchResult,
  description: 'Activates a branch.',
  input: [switchBranchInput, 'The branch to activate.'],
});

const switchToSiblingInput = builder.inputType('SwitchToSiblingInput', {
  description: 'Another version of a message to show.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    messageId: t.id({ required: true, description: 'The sibling to show.' }),
    branchName: t.string({
      description: `The name of the branch that is created when none ends at the sibling's latest leaf. ${NAME}`,
    }),
  }),
});

changeField('switchToSibling', switchToSibling, {
  type: branchResult,
  description: [
    "Shows another sibling: activates the branch whose head is the sibling's latestLeaf, or creates ",
    'a branch there.',
  ].join('\n'),
  input: [switchToSiblingInput, 'The sibling to show.'],
});

const restoreCheckpointInput = builder.inputType('RestoreCheckpointInput', {
  description: 'The checkpoint to go back to.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    name: t.string({
      description: `The name of the checkpoint. ${NAME} Exactly one of name and checkpointId is required.`,
    }),
    checkpointId: t.id({ description: 'The id of the checkpoint.' }),
  }),
});

changeField('restoreCheckpoint', restoreCheckpoint, {
  type: branchResult,
  description: "Creates a branch at the checkpoint's message and activates it.",
  input: [restoreCheckpointInput, 'The checkpoint to go back to.'],
});

const renameBranchInput = builder.inputType('RenameBranchInput', {
  description: 'A new name for a branch.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The chat of the branch.' }),
    name: t.string({ description: `The current name. ${NAME} Exactly one of name and branchId is required.` }),
    branchId: t.id({ description: 'The id of the branch.' }),
    newName: t.string({ required: true, description: `The new name. ${NAME}` }),
  }),
});

changeField('renameBranch', renameBranch, {
  type: branchResult,
  description: 'Renames a branch; its messages and its place in lists stay.',
  input: [renameBranchInput, 'The branch and its new name.'],
});

const deleteBranchInput = builder.inputType('DeleteBranchInput', {
  description: 'The branch to delete.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The chat of the branch.' }),
    name: t.string({
      description: `The name of a branch that is not active. ${NAME} Exactly one of name and branchId is required.`,
    }),
    branchId: t.id({ description: 'The id of a branch that is not active.' }),
  }),
});

const deleteBranchPayload = builder.objectRef<{ chat: Chat; deleted: Branch }>('DeleteBranchPayload').implement({
  description: 'The branch was deleted; its messages stay.',
  fields: (t) => ({
    chat: t.expose('chat', { type: chatRef, description: 'The chat as it is now.' }),
    deletedId: t.id({ ...DELETED_ID, resolve: ({ deleted }) => deleted.id }),
    deletedNodeId: t.id(deletedNodeId('Branch', ({ deleted }) => deleted.id)),
  }),
});

changeField('deleteBranch', deleteBranch, {
  type: resultUnion(deleteBranchPayload, [InvalidInputError, NotFoundError, ForbiddenError]),
  description: 'Deletes a branch; every message stays. The active branch cannot be deleted.',
  input: [deleteBranchInput, 'The branch to delete.'],
});
