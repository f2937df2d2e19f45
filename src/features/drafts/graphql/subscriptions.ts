import { GraphQLError } from 'graphql';
import { isPossibleId } from '../../../conversation/bounds.js';
import { NotFoundError } from '../../../conversation/errors.js';
import { mayAccess } from '../../../conversation/access/ownership.js';
import { type ChatDrafts, type DraftNotice, DraftNotices } from '../live/chat-drafts.js';
import { openDraftStream, type DraftUpdate } from '../live/draft-stream.js';
import type { Following } from '../../../events/following.js';
import { builder } from '../../../graphql/builder.js';
import type { Context } from '../../../graphql/context.js';
import { messageOf, messageOrNull } from '../../../graphql/answers/references.js';
import { branchRef, messageRef } from '../../../graphql/refs.js';
import { asOfNow, fromNow, refused } from '../../../graphql/subscribe.js';
import { atLeastZero, branchOfDraft, draftRef, loadDrafts } from './type.js';

type UpdateOf<Kind extends DraftUpdate['kind']> = Extract<DraftUpdate, { kind: Kind }>;

const draftChunks = builder.objectRef<UpdateOf<'chunks'>>('DraftChunks').implement({
  description: 'The draft has grown.',
  fields: (t) => ({
    offset: t.exposeInt('offset', { description: 'Number of chunks before these.' }),
    chunks: t.field({
      type: ['JSON'],
      description: 'The chunks, in order.',
      resolve: async (growth, _args, { content }) => {
        const chunks = await growth.chunks((bytes) => content?.take(bytes));
        // The answer is left out: the draft has ended, which is the next update.
        if (chunks === null) throw new GraphQLError('The chunks are deleted', { extensions: { code: 'GONE' } });
        return chunks as NonNullable<unknown>[];
      },
    }),
    length: t.exposeInt('length', {
      description: 'Number of chunks including these: pass it as `after` to continue from here.',
    }),
  }),
});

const draftStopping = builder.objectRef<UpdateOf<'stopping'>>('DraftStopping').implement({
  description: 'A user requested the writer to stop. Chunks written until then may still follow.',
  fields: (t) => ({
    requestedBy: t.exposeID('requestedBy', { description: 'The user who requested it.' }),
  }),
});

const draftFinished = builder.objectRef<UpdateOf<'finished'>>('DraftFinished').implement({
  description: 'The draft became a message; the subscription ends.',
  fields: (t) => ({
    message: t.field({
      type: messageRef,
      description: 'The message of the draft.',
      resolve: messageOf,
    }),
    branch: t.field({
      type: branchRef,
      description: 'The branch of the message; the active one when that branch was deleted.',
      resolve: ({ branchId, chatId }, args, context) =>
        branchId === null
          ? context.loaders.activeBranch.load(chatId)
          : branchOfDraft({ branchId, chatId }, args, context),
    }),
  }),
});

const draftDiscarded = builder.objectRef<UpdateOf<'discarded'>>('DraftDiscarded').implement({
  description: 'The draft was discarded and nothing of it was saved; the subscription ends.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'The id of the draft.' }) }),
});

const draftAbandoned = builder.objectRef<UpdateOf<'abandoned'>>('DraftAbandoned').implement({
  description: 'No append within idleTimeout. The draft can be continued.',
  fields: (t) => ({
    length: t.exposeInt('length', { description: 'Number of chunks: the offset at which a writer continues.' }),
  }),
});

const UPDATE_TYPES = {
  chunks: draftChunks,
  stopping: draftStopping,
  finished: draftFinished,
  discarded: draftDiscarded,
  abandoned: draftAbandoned,
};

const draftUpdate = builder.unionType('DraftUpdate', {
  description: 'A change of a draft.',
  types: [draftChunks, draftStopping, draftFinished, draftDiscarded, draftAbandoned],
  resolveType: (update) => UPDATE_TYPES[update.kind],
});

const draftNoticeState = builder.enumType('DraftNoticeState', {
  description: 'Kind of a change in the drafts of a chat.',
  values: {
    STARTED: { description: 'It started, was continued, or got its own branch.' },
    FINISHED: { description: 'It became a message.' },
    DISCARDED: { description: 'It was discarded and nothing of it was saved.' },
    ABANDONED: { description: 'No append within idleTimeout.' },
  } as const,
});

const draftNotice = builder.objectRef<DraftNotice>('DraftNotice').implement({
  description: 'The start or end of a draft in a chat.',
  fields: (t) => ({
    draftId: t.exposeID('draftId', { description: 'Its id, also after its end.' }),
    state: t.expose('state', { type: draftNoticeState, description: 'Kind of the change.' }),
    draft: t.field({
      type: draftRef,
      nullable: true,
      description: 'The draft; null after its end.',
      resolve: async ({ chatId, draftId, isThere }, _args, context) =>
        isThere ? ((await loadDrafts(context, chatId)).find(({ id }) => id === draftId) ?? null) : null,
    }),
    message: t.field({
      type: messageRef,
      nullable: true,
      description: 'The message of the draft; null unless it was finished.',
      resolve: ({ chatId, messageId }, _args, context) => messageOrNull(chatId, messageId, context),
    }),
  }),
});

builder.subscriptionField('draft', (t) =>
  t.field({
    audit: 'chat.followed',
    type: draftUpdate,
    description: `A draft as it grows: first all chunks after \`after\` (0 by default), then new ones, without gaps or duplicates on any
server; ends with the end of the draft.`,
    args: {
      chatId: t.arg.id({ required: true, description: 'The id of the chat.' }),
      id: t.arg.id({ required: true, description: 'The id of the draft.' }),
      after: t.arg.int({
        description:
          'Number of chunks that the client has: from the writer itself, possibly more than the server has yet.',
      }),
    },
    subscribe: (_root, { chatId, id, after }, context) =>
      followDrafts(context, chatId, async (drafts, following, leave) => {
        const seen = atLeastZero(after ?? 0, 'after');
        // A client of the writer's own stream may have more chunks than the server: continue after those.
        following.position = following.startAt ?? seen;
        return openDraftStream(drafts, id, following, { reads: context.reads, leave });
      }),
    resolve: asOfNow,
  }),
);

builder.subscriptionField('drafts', (t) =>
  t.field({
    audit: 'chat.followed',
    type: draftNotice,
    description: 'The drafts of a chat as they start and end, beginning with the unfinished ones.',
    args: { chatId: t.arg.id({ required: true, description: 'The id of the chat.' }) },
    subscribe: (_root, { chatId }, context) =>
      followDrafts(
        context,
        chatId,
        async (drafts, following, leave) => new DraftNotices(drafts, following, context.store.now(), leave),
      ),
    resolve: asOfNow,
  }),
);

/**
 * The source of a subscription to drafts of a chat.
 * @throws GraphQLError with code NOT_FOUND or BAD_USER_INPUT
 */
async function followDrafts<T>(
  { draftFeeds, loaders, viewer, following = fromNow() }: Context,
  chatId: string,
  source: (drafts: ChatDrafts, following: Following, leave: () => void) => Promise<AsyncIterable<T>>,
): Promise<AsyncIterable<T>> {
  try {
    const chat = isPossibleId(chatId) ? await loaders.chat.load(chatId) : null;
    // A resuming subscriber gets the end of the draft.
    const isMissing = chat === null && following.startAt === null;
    if (isMissing || (chat !== null && !mayAccess(viewer, chat))) throw NotFoundError.chat(chatId);
    const { drafts, leave } = await draftFeeds.join(chatId);
    try {
      return await source(drafts, following, leave);
    } catch (error) {
      leave();
      throw error;
    }
  } catch (error) {
    return refused(error);
  }
}
