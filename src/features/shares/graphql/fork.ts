/** Forks of shares: a member of ForkChatInput, and the origin that it names. */
import { InputFieldBuilder } from '@pothos/core';
import { InvalidInputError, ImportUnderWayError, NotFoundError } from '../../../conversation/errors.js';
import type { CopyOrigin, ForkChatRequest, NewFork } from '../../../conversation/copy-origin.js';
import { builder } from '../../../graphql/builder.js';
import { forkChatInput } from '../../../graphql/refs.js';
import type { Context } from '../../../graphql/context.js';
import { v7 as newId } from 'uuid';
import { NewChat } from '../../../conversation/change.js';
import { fileReferences } from '../../../conversation/files/file-references.js';
import type { Chat, PlacedMessage } from '../../../conversation/model.js';
import type { SharedEnd } from '../share-records.js';
import { messageAtPlace, sharedPage } from '../shared-path.js';
import { shareOf } from '../shares.js';
import { Placement } from '../../../conversation/saving/placement.js';
import { TurnBudget } from '../../../scheduler/turn-budget.js';
import { beginCopy, pathReader } from '../read-path.js';

const fields = new InputFieldBuilder(builder, 'InputObject');
forkChatInput.addFields(() => ({
  shareToken: fields.string({
    description: 'The token of a share, which copies only what the share shows: 56 characters.',
  }),
  sharedBranch: fields.string({
    description:
      'The branch of the share, by its key of at most 2 characters: the path that opens first by default. Only with shareToken.',
  }),
}));
builder.configStore.onTypeConfig(forkChatInput, (config) => {
  config.description += ' Exactly one of chatId and shareToken is required.';
});

/** @throws InvalidInputError unless the request names one origin */
export function forkOf(
  request: ForkChatRequest & { shareToken?: string | null; sharedBranch?: string | null },
  context: Context,
): CopyOrigin | null {
  const { chatId, messageId, shareToken: token, sharedBranch, wholeGraph } = request;
  if ((chatId == null) === (token == null)) {
    throw new InvalidInputError(
      'Exactly one of chatId and shareToken is required',
      chatId == null ? 'chatId' : 'shareToken',
    );
  }
  if (token == null) {
    if (sharedBranch == null) return null;
    throw new InvalidInputError('sharedBranch cannot be given without shareToken', 'sharedBranch');
  }
  return (fork) => {
    if (messageId != null) {
      throw new InvalidInputError('messageId cannot be given together with shareToken', 'messageId');
    }
    if (wholeGraph === true) {
      throw new InvalidInputError('wholeGraph cannot be given together with shareToken', 'wholeGraph');
    }
    return forkShare({ token, branch: sharedBranch }, fork, context);
  };
}

/** Messages read at once. */
const MESSAGES_AT_ONCE = 500;

/**
 * @returns null when the id is taken
 * @throws NotFoundError
 */
async function forkShare(
  origin: { token: string; branch: string | null | undefined },
  { id, title }: NewFork,
  context: Context,
): Promise<Chat | null> {
  const { files, store, viewer } = context;
  const share = await shareOf(origin, context);
  if (share === null) throw noShare();
  const now = store.now();
  const change = new NewChat(
    {
      ...{ id, userId: viewer.userId, title: title === undefined ? share.title : title },
      ...{ metadata: '{}', createdAt: now, updatedAt: now },
    },
    viewer.userId,
    now,
  );
  change.fork = { chatId: id, fromChatId: null, fromMessageId: null };
  const { messages, fileIds } = await copiesOf(share, change, context);
  const [main] = change.branches.values();
  if (main !== undefined) change.append(main, messages);
  // It may have been revoked meanwhile.
  if ((await shareOf(origin, context)) === null) throw noShare();
  await files.give(viewer.userId, [...fileIds]);
  try {
    return (await store.createInSteps(change)) ? change.chat : null;
  } catch (error) {
    // Another fork with this id is being written.
    if (error instanceof ImportUnderWayError) return null;
    throw error;
  }
}

async function copiesOf(share: SharedEnd, change: NewChat, context: Context) {
  const { chat } = change;
  const path = pathReader(context);
  const { yieldIfDue } = new TurnBudget();
  const empty = { chat, yieldIfDue, messageCount: async () => 0, childCount: async () => 0, ladder: async () => [] };
  const placement = new Placement(empty, change);
  const messages: PlacedMessage[] = [];
  const fileIds = new Set<string>();
  for (let after: number | null = null; ;) {
    const page = { first: MESSAGES_AT_ONCE, last: null, after, before: null };
    const { rows } = await sharedPage(share, page, path);
    for (const { name, type, createdAt, data, depth, savedLength } of rows) {
      await beginCopy(savedLength, context);
      const text = JSON.stringify(data);
      const values = { id: newId(), name, type, createdAt, data: text };
      messages.push(await placement.place(messages.at(-1) ?? null, values));
      const named = new Set(fileReferences(text).map(({ fileId }) => fileId));
      if (named.size === 0) continue;
      // Data can name a file that its chat does not have.
      const original = await messageAtPlace(share, depth, path.readPage);
      const [files = []] = original === null ? [] : await context.reads.messageFiles([original.id]);
      for (const file of files) if (named.has(file.id)) fileIds.add(file.id);
    }
    if (rows.length < MESSAGES_AT_ONCE) return { messages, fileIds };
    after = rows.at(-1)?.depth ?? 0;
  }
}

function noShare(): NotFoundError {
  return new NotFoundError('No share has this token and branch');
}
