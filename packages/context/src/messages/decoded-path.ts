import { messageCodec } from '../codec.js';
import { isUIMessage, withParts, type UIMessage } from './ui-message.js';

/**
 * The messages of a model call.
 * @param path saved messages, root first: a UIMessage gets its id in the graph, which an edit changes
 * @param waiting unsaved messages, already decoded
 */
export function toUIMessages<Message extends UIMessage>(
  path: readonly { id: string; data: unknown }[],
  waiting: readonly unknown[] = [],
): Message[] {
  const saved = path.map(({ id, data }) => {
    const decoded = messageCodec(data).decode();
    return isUIMessage(decoded) && decoded.id !== id ? { ...decoded, id } : decoded;
  });
  return withParts([...saved, ...waiting]) as Message[];
}
