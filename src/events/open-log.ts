import { isPossibleId } from '../conversation/bounds.js';
import { InvalidInputError, NotFoundError } from '../conversation/errors.js';
import type { LogState } from '../conversation/log-reads.js';
import type { Viewer } from '../conversation/model.js';
import { mayAccess } from '../conversation/ownership.js';
import { endedFeed } from './chat-feed.js';
import type { Feeds } from './feeds.js';
import type { Following } from './following.js';
import { LogStream } from './log-stream.js';

/**
 * The log of a chat behind `after`, by default behind its present end. The log of a deleted chat, for somebody who was
 * there before, has no more than ChatDeleted.
 *
 * @throws NotFoundError when there is no such chat, or it is not the viewer's
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
  if (place === null || !mayAccess(viewer, place)) throw NotFoundError.chat(chatId);
  if (chat === null) {
    // Whoever has been told that it is gone, or has never seen it, finds no chat.
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

/** Whether the chat is the one that was followed, and not a later one of its id. */
function isSameLog({ chat, deletion }: LogState, following: Following): boolean {
  const deletedAt = chat === null ? null : (deletion?.createdAt ?? null);
  if (following.deletedAt === undefined) following.deletedAt = deletedAt;
  return chat === null || (deletedAt ?? -1) <= (following.deletedAt ?? -1);
}
