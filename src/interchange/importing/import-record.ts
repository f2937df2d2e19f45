/** What a chat's metadata remembers of its import, under the key `import`: where it is from, and how far it came. */
import { checkMetadata } from '../../conversation/bounds.js';
import { InvalidInputError } from '../../conversation/errors.js';
import { isJsonObject } from '../../conversation/text/merge-patch.js';
import { anyToMs, chatTitle, importedMessageId, isInFuture, type SourceConversation } from '@parley/interchange/server';

export interface ImportRecord {
  /** The node that an import made the head of main last. */
  activeNode: string | null;
  /** The title of the last export, before it was cut. */
  title: string | null;
  /** The message, when that was a version of the node: one of a message that changed under its id. */
  activeVersion: string | null;
  /** When the conversation was changed last, as of the last export, in milliseconds since 1970. */
  updatedAt: number | null;
}

/** The message that an import made the head of main last. */
export function activeMessage(chatId: string, { activeNode, activeVersion }: ImportRecord): string | null {
  return activeVersion ?? (activeNode === null ? null : importedMessageId(chatId, activeNode));
}

/** The record in a chat's metadata; null when there is none, because somebody replaced it. */
export function importRecord(metadata: string): ImportRecord | null {
  const record = (JSON.parse(metadata) as Record<string, unknown>)['import'];
  if (!isJsonObject(record)) return null;
  const { activeNode, activeVersion, title, updateTime } = record;
  const exportedAt = anyToMs(updateTime);
  return {
    activeNode: typeof activeNode === 'string' ? activeNode : null,
    activeVersion: typeof activeVersion === 'string' ? activeVersion : null,
    title: typeof title === 'string' ? title : null,
    updatedAt: isInFuture(exportedAt) ? null : exportedAt,
  };
}

/**
 * The metadata of a chat with the record of this import, within the bounds: what else the file says of the conversation
 * goes first, then the end of the title.
 *
 * @param before the metadata so far: its other members are kept
 * @returns canonical JSON text
 * @throws InvalidInputError when there is no room for a record at all
 */
export function withImportRecord(
  before: string,
  from: SourceConversation,
  activeNode: string | null,
  activeVersion: string | null,
): string {
  const { source, conversationId, createTime = null, updateTime = null, details, original } = from;
  const record = { source, conversationId, activeNode, activeVersion, createTime, updateTime, ...details };
  const others = JSON.parse(before) as Record<string, unknown>;
  const attempts = [
    { ...record, title: from.title, ...(Object.keys(original).length === 0 ? {} : { original }) },
    { ...record, title: from.title },
    { ...record, title: chatTitle(from.title) },
  ];
  for (const [n, attempt] of attempts.entries()) {
    try {
      return checkMetadata({ ...others, import: withoutNull(attempt) }, 'metadata');
    } catch (error) {
      if (!(error instanceof InvalidInputError) || n === attempts.length - 1) throw error;
    }
  }
  throw new Error('unreachable');
}

function withoutNull(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
