import { canonicalJson } from '../messages/json-value.js';
import { isUIMessage, type UIMessage } from '../messages/ui-message.js';
import type { MessageData } from '../store/store-data.js';
import type { AnswerContext } from './answer-options.js';

/**
 * The question that a page shows: a page that has edited it may know it by the id of the original.
 * @returns null when the chat has no message of this id
 */
export async function findVersion({ store, chatId }: AnswerContext, shown: UIMessage): Promise<MessageData | null> {
  const original = await store.getMessage(shown.id);
  if (original?.chatId !== chatId) return null;
  if (isShown(original, shown)) return original;
  const { nodes } = await store.getGraph(chatId);
  const versions = nodes.filter(({ parentId, role, id }) => {
    return parentId === original.parentId && role === original.name && id !== original.id;
  });
  for (const { id } of versions.reverse()) {
    const version = await store.getMessage(id);
    if (version !== null && isShown(version, shown)) return version;
  }
  return original;
}

function isShown({ data }: MessageData, shown: UIMessage): boolean {
  return isUIMessage(data) && canonicalJson(data.parts) === canonicalJson(shown.parts);
}
