/** Finds objects by their nodeId. A feature adds its types when the schema is built. */
import { isPossibleId } from '../../conversation/bounds.js';
import type { Chat } from '../../conversation/model.js';
import type { Context } from '../context.js';
import { resolveId, visibleChat } from '../loading/visible-chat.js';

/** Null when the object does not exist, or is not visible to the viewer. */
type FindNode = (context: Context, id: string) => Promise<object | null>;

export const nodeTypes = new Map<string, FindNode>([
  ['Chat', visibleChat],
  ['Message', (context, id) => resolveId(context, 'Message', id)],
  ['Branch', (context, id) => resolveId(context, 'Branch', id)],
  ['Checkpoint', (context, id) => resolveId(context, 'Checkpoint', id)],
]);

/** The id in the nodeId of an object that is unique in its chat. */
export function partKey(chatId: string, id: string): string {
  return JSON.stringify([chatId, id]);
}

/**
 * Adds a type whose objects are unique in their chat.
 * @param find receives a chat that the viewer may read
 */
export function addPartType(
  typename: string,
  find: (context: Context, chat: Chat, id: string) => Promise<object | undefined>,
): void {
  nodeTypes.set(typename, async (context, key) => {
    const [chatId, id] = parsedKey(key);
    const chat = await visibleChat(context, chatId);
    return (chat !== null && isPossibleId(id) && (await find(context, chat, id))) || null;
  });
}

/** Empty ids for any key that partKey does not return. */
function parsedKey(key: string): [chatId: string, id: string] {
  try {
    const [chatId, id] = (JSON.parse(key) as unknown[]).map(String) as [string, string];
    if (partKey(chatId, id) === key) return [chatId, id];
  } catch {
    // No key.
  }
  return ['', ''];
}
