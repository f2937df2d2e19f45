import { isPossibleId } from '../../conversation/bounds.js';
import type { Chat } from '../../conversation/model.js';
import { mayAccess } from '../../conversation/ownership.js';
import type { Context } from '../context.js';

/** The chat with this id, if the viewer may know of it. */
export async function visibleChat({ loaders, viewer }: Context, id: string): Promise<Chat | null> {
  const chat = isPossibleId(id) ? await loaders.chat.load(id) : null;
  return chat !== null && mayAccess(viewer, chat) ? chat : null;
}

/**
 * Something that was looked up, if the viewer may know of its chat. The chat is looked for either way: how long an answer
 * takes does not tell what is not there from what is somebody else's.
 * @param id what it was looked up by
 */
export async function ofVisibleChat<T extends { chatId: string }>(
  context: Context,
  part: T | null,
  id: string,
): Promise<T | null> {
  const chat = await visibleChat(context, part?.chatId ?? id);
  return chat === null ? null : part;
}
