import { appendToDraft, discardDraft, stopDraft } from '../change-draft.js';
import {
  DraftOffsetError,
  IDLE_TIMEOUT_SECONDS,
  MAX_BYTES_PER_APPEND,
  MAX_CHUNKS_PER_APPEND,
  type ChangedDraft,
} from '../draft.js';
import { finishDraft } from '../finish-draft.js';
import { startDraft } from '../start-draft.js';
import {
  AlreadyExistsError,
  HeadConflictError,
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
} from '../../../conversation/errors.js';
import type { Viewer } from '../../../conversation/model.js';
import type { ConversationStore } from '../../../conversation/store.js';
import { builder } from '../../../graphql/builder.js';
import { METADATA, NAME } from '../../../graphql/stated-limits.js';
import { changeField } from '../../../graphql/change-field.js';
import { resultUnion } from '../../../graphql/result-union.js';
import { errorInterface } from '../../../graphql/errors.js';
import { conflictPolicy, messageContent, saveMessagesResult } from '../../../graphql/message/mutations.js';
import { expectedHeadId, expectedHeadInput, messageAt, positionInput } from '../../../graphql/message/positions.js';
import { chatOf } from '../../../graphql/answers/references.js';
import { DELETED_ID, deletedNodeId } from '../../../graphql/node/deleted.js';
import { partKey } from '../../../graphql/node/node-types.js';
import { chatRef, previousActiveBranchField } from '../../../graphql/refs.js';
import { draftConnection, draftEdge, draftRef } from './type.js';

builder.objectType(DraftOffsetError, {
  name: 'DraftOffsetError',
  description: "The writer's offset is not the draft's length.",
  interfaces: [errorInterface],
  fields: (t) => ({
    length: t.exposeInt('length', { description: 'Number of chunks: the offset at which the writer must continue.' }),
  }),
});

const draftPayload = builder.objectRef<ChangedDraft>('DraftPayload').implement({
  description: 'The draft was started or changed.',
  fields: (t) => ({
    draft: t.field({ type: draftRef, description: 'The draft as it is now.', resolve: (draft) => draft }),
    draftEdge: t.field({
      type: draftConnection.edge,
      description: 'The draft as an edge of Chat.drafts, for caches that insert it.',
      resolve: draftEdge,
    }),
    previousActiveBranch: t.field({
      ...previousActiveBranchField,
      resolve: ({ previousActiveBranch }) => previousActiveBranch ?? null,
    }),
  }),
});

const draftResult = resultUnion(
  draftPayload,
  [DraftOffsetError, InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError, HeadConflictError],
  'startDraft, appendToDraft and stopDraft',
);

const startDraftInput = builder.inputType('StartDraftInput', {
  description: 'A message to be written, and its place.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    id: t.id({ description: 'The id of the future message, chosen by the client, or generated.' }),
    branch: t.string({ description: `The name of the branch: the active one by default. ${NAME}` }),
    branchId: t.id({ description: 'The id of the branch, instead of its name.' }),
    at: t.field({
      type: positionInput,
      description:
        "The parent of the message, instead of the branch's head: another answer to a question. Unless it is that head, a new " +
        'branch starts at it with the first content. Cannot be combined with expectedHead.',
    }),
    expectedHead: t.field({
      type: expectedHeadInput,
      description: 'The head that the client last saw. Absent: any head.',
    }),
    onConflict: t.field({
      type: conflictPolicy,
      required: true,
      defaultValue: 'FORK',
      description: 'Behaviour when the branch has moved, now or when the draft is finished.',
    }),
    name: t.string({
      required: true,
      defaultValue: 'assistant',
      description: `user, assistant, system, tool, or any other name. ${NAME}`,
    }),
    idleTimeout: t.int({
      description: `Seconds without an append after which it counts as abandoned: ${IDLE_TIMEOUT_SECONDS.default} by default, ${IDLE_TIMEOUT_SECONDS.least} to 3,600.`,
    }),
    metadata: t.field({
      type: 'JSON',
      description: `Any data of the writer; never interpreted. The message gets it when its text is joined. ${METADATA}`,
    }),
  }),
});

const appendToDraftInput = builder.inputType('AppendToDraftInput', {
  description: 'Chunks after an offset.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    id: t.id({ required: true, description: 'The id of the draft.' }),
    offset: t.int({ required: true, description: 'Number of chunks that the writer has sent before.' }),
    chunks: t.field({
      type: ['JSON'],
      required: true,
      description:
        `0 to ${MAX_CHUNKS_PER_APPEND} chunks, in order, with at most ${MAX_BYTES_PER_APPEND / 1024} KiB as JSON together: any JSON but ` +
        'null, such as a string of text or a UIMessageChunk of the AI SDK. Without chunks, updatedAt is renewed.',
    }),
  }),
});

const finishDraftInput = builder.inputType('FinishDraftInput', {
  description: 'A complete draft.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    id: t.id({ required: true, description: 'The id of the draft.' }),
    content: t.field({
      type: messageContent,
      description:
        'The message to save. By default, the joined text of all chunks that are strings or text deltas of the AI SDK, with ' +
        '`status: "incomplete"` in the metadata when the draft is STOPPING or ABANDONED.',
    }),
  }),
});

const draftInput = builder.inputType('DraftInput', {
  description: 'A draft of a chat.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The id of the chat.' }),
    id: t.id({ required: true, description: 'The id of the draft.' }),
  }),
});

const startDraftAt = (
  store: ConversationStore,
  viewer: Viewer,
  { at, expectedHead, ...input }: typeof startDraftInput.$inferInput,
) => startDraft(store, viewer, { ...input, parentId: messageAt(at), expectedHeadId: expectedHeadId(expectedHead) });

changeField('startDraft', startDraftAt, {
  type: draftResult,
  description: `Starts a message that is still being written. Subscribers of the chat see it grow. Its id becomes the id of the message,
so a retry saves nothing twice. A branch created by the draft becomes active only if the active branch and its
head are the same as when startDraft was called.`,
  input: [startDraftInput, 'The draft, and its place.'],
});

builder.mutationField('appendToDraft', (t) =>
  t.field({
    scope: 'WRITE',
    // An answer has thousands of chunks: its start and its end have lines.
    audit: { event: 'chat.changed', isQuiet: true },
    type: draftResult,
    description: `Appends chunks at \`offset\`, the number of chunks so far. A retry of saved chunks changes nothing; a gap is refused with the
server's number of chunks. Without chunks it keeps the draft from being ABANDONED. With the first content, a draft whose
parent is not the head of its branch gets a new branch.`,
    args: {
      input: t.arg({ type: appendToDraftInput, required: true, description: 'The draft, and its new chunks.' }),
    },
    resolve: (_root, { input }, context) => appendToDraft(context.store, context.viewer, input),
  }),
);

builder.mutationField('finishDraft', (t) =>
  t.field({
    scope: 'WRITE',
    audit: 'chat.changed',
    type: saveMessagesResult,
    description:
      "Saves the finished message on the draft's branch, or on a new one, and deletes the draft, in one transaction. The payload " +
      'has the branch of the message, active or not.',
    args: { input: t.arg({ type: finishDraftInput, required: true, description: 'The draft, and its message.' }) },
    resolve: async (_root, { input }, context) =>
      finishDraft(context.store, context.viewer, await context.files.withStored(context, input)),
  }),
);

changeField('stopDraft', stopDraft, {
  type: draftResult,
  description: `Requests the writer of a draft to stop: the writer sees it in the result of its next appendToDraft, or by following the draft.`,
  input: [draftInput, 'The draft.'],
});

const discardDraftPayload = builder.objectRef<{ chatId: string; deletedId: string }>('DiscardDraftPayload').implement({
  description: 'The draft was discarded.',
  fields: (t) => ({
    chat: t.field({ type: chatRef, description: 'The chat of the draft.', resolve: chatOf }),
    deletedId: t.exposeID('deletedId', DELETED_ID),
    deletedNodeId: t.id(deletedNodeId('Draft', ({ chatId, deletedId }) => partKey(chatId, deletedId))),
  }),
});

const discardDraftResult = resultUnion(discardDraftPayload, [NotFoundError, ForbiddenError]);

builder.mutationField('discardDraft', (t) =>
  t.field({
    scope: 'WRITE',
    audit: 'chat.changed',
    type: discardDraftResult,
    description: `Deletes a draft; nothing of it is saved. A branch that it made active is deleted and the previous one activated again, if
both are unchanged since.`,
    args: { input: t.arg({ type: draftInput, required: true, description: 'The draft.' }) },
    resolve: async (_root, { input }, context) => {
      await discardDraft(context.store, context.viewer, input);
      return { chatId: input.chatId, deletedId: input.id };
    },
  }),
);
