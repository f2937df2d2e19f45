import { isPossibleId } from '../../conversation/bounds.js';
import type { Chat } from '../../conversation/model.js';
import { mayAccess } from '../../conversation/access/ownership.js';
import type { Context } from '../context.js';
import type { Loaders } from './loaders.js';

/** The chat with this id, if the viewer may read it. */
export async function visibleChat({ loaders, viewer }: Context, id: string): Promise<Chat | null> {
  const chat = isPossibleId(id) ? await loaders.chat.load(id) : null;
  return chat !== null && mayAccess(viewer, chat) ? chat : null;
}

/** Objects that a client can name by their id alone. */
export type ChatPart = keyof Loaders['byId'];
type PartOf<Type extends ChatPart> = Awaited<ReturnType<Loaders['byId'][Type]>>;

/**
 * Resolves an id from a client: the only lookup without a chat. Returns null unless the viewer may read the chat of the
 * object. A chat is always read, so that the response time does not distinguish a missing row from a foreign one.
 */
export async function resolveId<Type extends ChatPart>(
  context: Context,
  type: Type,
  id: string,
): Promise<PartOf<Type> | null> {
  if (!isPossibleId(id)) return null;
  const part = (await context.loaders.byId[type](id)) as PartOf<Type>;
  const chat = await visibleChat(context, part?.chatId ?? id);
  return chat === null ? null : part;
}
