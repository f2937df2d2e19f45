import { messagesPerSource, renderSource, type RenderedSource } from '../messages/source-messages.js';
import type { ContextStore } from '../store/context-store.js';
import type { MessageData } from '../store/store-data.js';
import type { ResolveOptions } from './resolve-options.js';

/**
 * Renders the sources of messages by sourceTokens, in the order of the store.
 * @param path the whole path, of which `messages` are a part
 * @throws ContextError for a wrong budget
 */
export async function readSources(
  store: ContextStore,
  { sourceTokens, ...options }: ResolveOptions,
  path: readonly MessageData[],
  messages: readonly MessageData[],
): Promise<RenderedSource[]> {
  if (sourceTokens === undefined) return [];
  const length = messagesPerSource(sourceTokens);
  if (messages.length === 0) return [];
  const found = await store.getSourcePaths(messages, length);
  // A source is older than its message, so that the common messages are those of the whole path.
  const common = new Set(found.length === 0 ? [] : path.map(({ id }) => id));
  return found.flatMap(({ messageId, sourceId, path: pathToSource }) => {
    const side = pathToSource.filter(({ id }) => !common.has(id));
    return renderSource({ ...options, sourceTokens }, { messageId, sourceId, messages: side }) ?? [];
  });
}
