import {
  MAX_CHUNKS_PER_DRAFT,
  MAX_DRAFTS,
  draftState,
  type Draft,
  type DraftPiece,
} from '../../conversation/drafts/draft.js';
import { textOf } from '../../conversation/drafts/chunks.js';
import type { Branch } from '../../conversation/model.js';
import { badUserInput } from '../bad-user-input.js';
import { builder } from '../builder.js';
import type { Context } from '../context.js';
import { listSize } from '../list-size.js';
import { chatOf, messageOrNull } from '../references.js';
import { branchRef, chatRef, draftRef, messageRef } from '../refs.js';
import { fromJson } from '../saved-json.js';

const draftStateEnum = builder.enumType('DraftState', {
  description: 'How a draft stands.',
  values: {
    WRITING: { description: 'Somebody writes it.' },
    STOPPING: { description: 'Somebody has asked the writer to stop.' },
    ABANDONED: {
      description: 'No append within idleTimeout. It can be taken up again, finished or discarded.',
    },
  } as const,
});

/** The branch of a draft; the active one when that has been deleted. */
export async function branchOfDraft(
  { branchId, chatId }: Pick<Draft, 'branchId' | 'chatId'>,
  _args: unknown,
  { loaders }: Context,
): Promise<Branch> {
  return (await loaders.branch.load({ chatId, id: branchId })) ?? loaders.activeBranch.load(chatId);
}

/** What is parsed at a time, in characters of JSON. */
const AT_ONCE = 64 * 1024;

/** The chunks of a draft behind the first so many, some at a time, each parsed when there is time for it. */
async function* chunksAfter(draft: Draft, after: number, context: Context): AsyncGenerator<unknown[]> {
  let taken: DraftPiece[] = [];
  let size = 0;
  const parsed = () => {
    const pieces = taken;
    [taken, size] = [[], 0];
    return fromJson(jsonOf(pieces), context, (chunks) => behind(pieces, chunks as unknown[], after));
  };
  for (const piece of await context.loaders.draftPieces.load({ draft, after })) {
    taken.push(piece);
    size += piece.chunks.length;
    if (size > AT_ONCE) yield parsed();
  }
  if (taken.length > 0) yield parsed();
}

/** The chunks of pieces that follow each other, as one array. */
function jsonOf(pieces: readonly DraftPiece[]): string {
  return `[${pieces.map(({ chunks }) => chunks.slice(1, -1)).join(',')}]`;
}

function behind([first]: readonly DraftPiece[], chunks: unknown[], after: number): unknown[] {
  return chunks.slice(Math.max(0, after - (first?.startOffset ?? 0)));
}

draftRef.implement({
  description: 'A message that is still being written. It is in no list of messages until it is finished.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the message that it becomes.' }),
    chat: t.field({ type: chatRef, description: 'The chat that it is in.', resolve: chatOf }),
    branch: t.field({
      type: branchRef,
      description:
        'The branch that it goes to; the active one after that has been deleted. With the first content it can become a new branch.',
      resolve: branchOfDraft,
    }),
    parent: t.field({
      type: messageRef,
      nullable: true,
      description: 'The message that it goes behind; null for a root.',
      resolve: ({ chatId, parentId }, _args, context) => messageOrNull(chatId, parentId, context),
    }),
    name: t.exposeString('name', { description: 'Who says it, as a message has it.' }),
    metadata: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What goes with it, as its writer likes.',
      resolve: ({ metadata }, _args, context) =>
        metadata === null ? null : fromJson(metadata, context, (value) => value as NonNullable<unknown>),
    }),
    length: t.exposeInt('length', { description: 'How many chunks there are.' }),
    state: t.field({
      type: draftStateEnum,
      description: 'Whether somebody writes it, is to stop, or has left it.',
      resolve: (draft, _args, { store }) => draftState(draft, store.now()),
    }),
    startedBy: t.exposeID('startedBy', { description: 'The user who began it.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'The time of the last append, or of its start.',
    }),
    text: t.string({
      description: 'The text so far, as finishDraft would join it.',
      resolve: async (draft, _args, context) => {
        let text = '';
        for await (const chunks of chunksAfter(draft, 0, context)) text += textOf(chunks);
        return text;
      },
    }),
    chunks: t.field({
      type: ['JSON'],
      description: 'What has been written so far, in order.',
      args: {
        after: t.arg.int({ description: 'Only what comes behind the first so many: 0 by default.' }),
        limit: t.arg.int({ description: 'How many at most; all by default.' }),
      },
      resolve: async (draft, args, context) => {
        const after = atLeastZero(args.after ?? 0, 'after');
        const limit = atLeastZero(args.limit ?? MAX_CHUNKS_PER_DRAFT, 'limit');
        const taken: unknown[] = [];
        for await (const chunks of chunksAfter(draft, after, context)) {
          for (const chunk of chunks.slice(0, limit - taken.length)) taken.push(chunk);
          if (taken.length >= limit) break;
        }
        return taken as NonNullable<unknown>[];
      },
    }),
  }),
});

builder.objectField(chatRef, 'drafts', (t) =>
  t.field({
    ...listSize(MAX_DRAFTS),
    type: [draftRef],
    description: 'The messages that are being written, in the order in which they were begun.',
    resolve: ({ id }, _args, { loaders }) => loaders.drafts.load(id),
  }),
);

/** @throws GraphQLError with code BAD_USER_INPUT */
export function atLeastZero(value: number, name: string): number {
  if (value < 0) throw badUserInput(`${name} must not be negative: ${value}`);
  return value;
}
