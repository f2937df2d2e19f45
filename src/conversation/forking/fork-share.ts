/** Copies what a share shows into a new chat: neither authors nor ids, and no origin. */
import { v7 as newId } from 'uuid';
import { NewChat } from '../change.js';
import { ImportUnderWayError, InvalidInputError, NotFoundError } from '../errors.js';
import { fileReferences } from '../files/file-references.js';
import type { MessageFile } from '../files/file-records.js';
import type { Chat, PlacedMessage, Viewer } from '../model.js';
import type { SharedEnd } from '../shares/share-records.js';
import { messageAtPlace, sharedPage, type PathReader } from '../shares/shared-path.js';
import { Placement } from '../saving/placement.js';
import type { ConversationStore } from '../store.js';

/** Messages read at once. */
const MESSAGES_AT_ONCE = 500;

export interface SharesToFork extends PathReader {
  /** Null for an invalid, expired or revoked token. */
  shareOf(token: string): Promise<SharedEnd | null>;
  messageFiles(messageIds: readonly string[]): Promise<MessageFile[][]>;
  /** Settles when a message with so many characters may be copied. */
  beginCopy(characters: number): Promise<void> | null;
}

/**
 * @returns null when the id is taken
 * @throws NotFoundError, InvalidInputError
 */
export async function forkShare(
  {
    store,
    shares,
    maxUserFileBytes,
  }: { store: ConversationStore; shares: SharesToFork | undefined; maxUserFileBytes: number },
  viewer: Viewer,
  { token, id, title }: { token: string; id: string; title: string | null | undefined },
): Promise<Chat | null> {
  const share = shares === undefined ? null : await shares.shareOf(token);
  if (shares === undefined || share === null) throw noShare();
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
  const { messages, fileIds } = await copiesOf(share, shares, change);
  const [main] = change.branches.values();
  if (main !== undefined) change.append(main, messages);
  // It may have been revoked meanwhile.
  if ((await shares.shareOf(token)) === null) throw noShare();
  await store.giveFiles(viewer.userId, [...fileIds], maxUserFileBytes);
  try {
    return (await store.createInSteps(change)) ? change.chat : null;
  } catch (error) {
    // Another fork with this id is being written.
    if (error instanceof ImportUnderWayError) return null;
    throw error;
  }
}

async function copiesOf(share: SharedEnd, shares: SharesToFork, change: NewChat) {
  const { chat } = change;
  const placement = new Placement(
    { chat, messageCount: async () => 0, childCount: async () => 0, ladder: async () => [] },
    change,
  );
  const messages: PlacedMessage[] = [];
  const fileIds = new Set<string>();
  for (let after: number | null = null; ;) {
    const page = { first: MESSAGES_AT_ONCE, last: null, after, before: null };
    const { rows } = await sharedPage(share, page, shares);
    for (const { name, type, createdAt, data, depth, savedLength } of rows) {
      await shares.beginCopy(savedLength);
      const text = JSON.stringify(data);
      const values = { id: newId(), name, type, createdAt, data: text };
      messages.push(await placement.place(messages.at(-1) ?? null, values));
      const named = new Set(fileReferences(text).map(({ fileId }) => fileId));
      if (named.size === 0) continue;
      // Data can name a file that its chat does not have.
      const original = await messageAtPlace(share, depth, shares.readPage);
      const [files = []] = original === null ? [] : await shares.messageFiles([original.id]);
      for (const file of files) if (named.has(file.id)) fileIds.add(file.id);
    }
    if (rows.length < MESSAGES_AT_ONCE) return { messages, fileIds };
    after = rows.at(-1)?.depth ?? 0;
  }
}

function noShare(): NotFoundError {
  return new NotFoundError('No share has this token');
}

/** @throws InvalidInputError for members that name what a share does not show */
export function checkShareRequest({
  messageId,
  wholeGraph,
}: {
  messageId?: string | null | undefined;
  wholeGraph?: boolean | null | undefined;
}): void {
  if (messageId != null) {
    throw new InvalidInputError('messageId cannot be given together with shareToken', 'messageId');
  }
  if (wholeGraph === true) {
    throw new InvalidInputError('wholeGraph cannot be given together with shareToken', 'wholeGraph');
  }
}
