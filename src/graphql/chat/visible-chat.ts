import { isPossibleId } from '../../conversation/bounds.js';
import type { Chat } from '../../conversation/model.js';
import { mayAccess } from '../../conversation/ownership.js';
import type { Context } from '../context.js';

/** The chat with this id, if the viewer may know of it. */
export async function visibleChat({ loaders, viewer }: Context, id: string): Promise<Chat | null> {
  const chat = isPossibleId(id) ? await loaders.chat.load(id) : null;
  return chat !== null && mayAccess(viewer, chat) ? chat : null;
}
