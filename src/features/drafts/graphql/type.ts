import { MAX_CHUNKS_PER_DRAFT, MAX_DRAFTS, draftState, type Draft, type DraftPiece } from '../draft.js';
import { textOf } from '../chunks.js';
import type { Branch } from '../../../conversation/model.js';
import { pageOfList } from '../../../conversation/paging.js';
import { badUserInput } from '../../../graphql/bad-user-input.js';
import { builder } from '../../../graphql/builder.js';
import type { Context } from '../../../graphql/context.js';
import { beginValues } from '../../../graphql/limits/begin-work.js';
import { chatOf, messageOrNull } from '../../../graphql/answers/references.js';
import type { LoaderOptions } from '../../../graphql/loading/loader.js';
import { countedConnectionRef, loadConnection, type Edge } from '../../../graphql/pages/connection.js';
import { encodeCursor } from '../../../graphql/pages/cursors.js';
import { addPartType, partKey } from '../../../graphql/node/node-types.js';
import { branchRef, chatRef, messageRef } from '../../../graphql/refs.js';
import type { DraftPart } from '../draft-reads.js';
import { fromJson, parseInTurn } from '../../../graphql/answers/saved-json.js';

const draftStateEnum = builder.enumType('DraftState', {
  description: 'State of a draft.',
  values: {
    WRITING: { description: 'It is being written.' },
    STOPPING: { description: 'The writer was requested to stop.' },
    ABANDONED: {
      description: 'No append within idleTimeout. It can be continued, finished or discarded.',
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

/** The open drafts of a chat, in one batch for the chats of a list. */
export function loadDrafts(context: Context, chatId: string): Promise<Draft[]> {
  return context.loaders.of('drafts', (ids: readonly string[]) => context.reads.drafts(ids)).load(chatId);
}

const PART: LoaderOptions<DraftPart> = {
  keyOf: ({ draft, after }) => `${after} ${draft.startedAt} ${draft.length} ${draft.id}`,
};

/** Characters of JSON that are parsed at a time. */
const AT_ONCE = 64 * 1024;

/** The chunks of a draft after an offset, in batches that are parsed in turns. */
async function* chunksAfter(draft: Draft, after: number, context: Context): AsyncGenerator<unknown[]> {
  let taken: DraftPiece[] = [];
  let size = 0;
  const parsed = async () => {
    const pieces = taken;
    [taken, size] = [[], 0];
    const parse = () => parseInTurn(jsonOf(pieces), context);
    // All aliases have the same batches.
    const chunks = (await context.loaders.derived.get(pieces[0], 'chunks', parse)) as unknown[];
    await beginValues(chunks.length, context);
    return chunksFrom(pieces, chunks, after);
  };
  const pieces = context.loaders.of('draftPieces', (keys) => context.reads.draftPieces(keys), PART);
  for (const piece of await pieces.load({ draft, after })) {
    taken.push(piece);
    size += piece.chunks.length;
    if (size > AT_ONCE) yield parsed();
  }
  if (taken.length > 0) yield parsed();
}

/** The chunks of consecutive pieces as one array. */
function jsonOf(pieces: readonly DraftPiece[]): string {
  return `[${pieces.map(({ chunks }) => chunks.slice(1, -1)).join(',')}]`;
}

function chunksFrom([first]: readonly DraftPiece[], chunks: unknown[], after: number): unknown[] {
  return chunks.slice(Math.max(0, after - (first?.startOffset ?? 0)));
}

export const draftRef = builder.objectRef<Draft>('Draft');

addPartType('Draft', async (context, { id: chatId }, id) =>
  (await loadDrafts(context, chatId)).find((draft) => draft.id === id),
);

builder.node(draftRef, {
  id: { resolve: ({ chatId, id }) => partKey(chatId, id) },
  description: 'A message that is still being written. It is in no list of messages until it is finished.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the future message.' }),
    chat: t.field({ type: chatRef, description: 'The chat of the draft.', resolve: chatOf }),
    branch: t.field({
      type: branchRef,
      description:
        'The branch of the future message; the active one after that was deleted. With the first content it can become a new branch.',
      resolve: branchOfDraft,
    }),
    parent: t.field({
      type: messageRef,
      nullable: true,
      description: 'The parent of the future message; null for a root.',
      resolve: ({ chatId, parentId }, _args, context) => messageOrNull(chatId, parentId, context),
    }),
    name: t.exposeString('name', {
      description: 'The name of the message: user, assistant, system, tool, or any other.',
    }),
    metadata: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Any data of the writer; never interpreted.',
      resolve: (draft, _args, context) =>
        draft.metadata === null
          ? null
          : fromJson(draft, draft.metadata, context, (value) => value as NonNullable<unknown>),
    }),
    length: t.exposeInt('length', { description: 'Number of chunks.' }),
    state: t.field({
      type: draftStateEnum,
      description: 'Whether it is being written, must stop, or was abandoned.',
      resolve: (draft, _args, { store }) => draftState(draft, store.now()),
    }),
    startedBy: t.exposeID('startedBy', { description: 'The user who started it.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it was started.' }),
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
      description: 'The chunks so far, in order.',
      args: {
        after: t.arg.int({ description: 'Only chunks after this many: 0 by default.' }),
        limit: t.arg.int({ description: 'Maximum number of chunks; all by default.' }),
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

export const draftConnection = countedConnectionRef('Draft', draftRef);

/** Its position in the list of the chat, where it is distinct. */
const timeOf = ({ startedAt }: Draft): number => startedAt;

builder.objectField(chatRef, 'drafts', (t) =>
  t.field({
    type: draftConnection,
    description: `The unfinished messages, in the order of their start: at most ${MAX_DRAFTS}.`,
    args: t.arg.connectionArgs(),
    resolve: ({ id }, args, context) =>
      loadConnection(
        { kind: 'draft', of: id },
        args,
        async (page) => pageOfList(await loadDrafts(context, id), page, timeOf, 'ASC'),
        timeOf,
      ),
  }),
);

/** A new draft in the list of its chat. */
export const draftEdge = (node: Draft): Edge<Draft> => ({
  cursor: encodeCursor({ kind: 'draft', of: node.chatId }, timeOf(node)),
  node,
});

/** @throws GraphQLError with code BAD_USER_INPUT */
export function atLeastZero(value: number, name: string): number {
  if (value < 0) throw badUserInput(`${name} must not be negative: ${value}`);
  return value;
}
