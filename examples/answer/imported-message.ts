import { importedMessageId, importedVersionId } from '@parley/interchange/server';
import { validate } from 'uuid';

/**
 * Whether an import of another system's file created a message: its id is then derived from the chat and from the id in its
 * metadata, with any time.
 */
export function isImported(chatId: string, { id, data }: { id: string; data: unknown }): boolean {
  const { metadata } = (data ?? {}) as { metadata?: unknown };
  const { id: nodeId, hash } = (metadata ?? {}) as { id?: unknown; hash?: unknown };
  if (typeof nodeId !== 'string' || !validate(chatId)) return false;
  return (
    id === importedMessageId(chatId, nodeId) ||
    (typeof hash === 'string' && id === importedVersionId(chatId, nodeId, hash))
  );
}
