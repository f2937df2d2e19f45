import { isPossibleId } from '../conversation/bounds.js';
import { InvalidInputError, NotFoundError } from '../conversation/errors.js';
import type { LogState } from '../conversation/log-reads.js';
import type { Viewer } from '../conversation/model.js';
import { mayAccess } from '../conversation/access/ownership.js';
import { endedFeed } from './chat-feed.js';
import type { Feeds } from './feeds.js';
import type { Following } from './following.js';
import { LogStream } from './log-stream.js';

/**
 * The log of a chat after `after`, by default after its present end. For a subscriber of before the deletion, the log of a
 * deleted chat contains only ChatDeleted.
 *
 * @throws NotFoundError for an unknown chat, or a chat of another user
 * @throws InvalidInputError when `after` is negative, or beyond the chat's version
 */
export async function openLog(
  feeds: Feeds,
  viewer: Viewer,
  { chatId, after }: { chatId: string; after: number | null },
  following: Following,
): Promise<LogStream> {
  if (after !== null && after < 0) throw new InvalidInputError(`after must not be negative: ${after}`, 'after');
  if (!isPossibleId(chatId)) throw NotFoundError.chat(chatId);
  const { feed, state, leave } = await feeds.join(chatId);
  try {
    following.position = following.startAt ?? start(viewer, state, after);
    if (isSameLog(state, following)) return new LogStream(feed, following, leave);
    leave();
    return new LogStream(endedFeed(state), following, () => {});
  } catch (error) {
    leave();
    throw error;
  }
}

function start(viewer: Viewer, { chatId, chat, deletion }: LogState, after: number | null): number {
  const place = chat ?? deletion;
  if (place === null || !mayAccess(viewer, { ...place, id: chatId })) throw NotFoundError.chat(chatId);
  if (chat === null) {
    // Not found for a subscriber that received the deletion or never saw the chat.
    if (deletion === null || after === null || after >= deletion.seq) throw NotFoundError.chat(chatId);
    return after;
  }
  if (after !== null && after > chat.version) {
    throw new InvalidInputError(
      `after is ${after}, but the newest event of chat "${chatId}" is ${chat.version}`,
      'after',
    );
  }
  return after ?? chat.version;
}

/** Whether the chat is the followed one and not a later chat with its id. */
function isSameLog({ chat, deletion }: LogState, following: Following): boolean {
  const deletedAt = chat === null ? null : (deletion?.createdAt ?? null);
  if (following.deletedAt === undefined) following.deletedAt = deletedAt;
  return chat === null || (deletedAt ?? -1) <= (following.deletedAt ?? -1);
}
