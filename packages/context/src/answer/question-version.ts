import type { UIMessage } from '../messages/ui-message.js';
import { isUIMessage } from '../messages/ui-message.js';
import { isRecord } from '../record.js';
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
  return isUIMessage(data) && isSameJson(data.parts, JSON.parse(JSON.stringify(shown.parts)));
}

function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, n) => isSameJson(each, b[n]));
  if (!isRecord(a) || !isRecord(b)) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => isSameJson(a[name], b[name]));
}
