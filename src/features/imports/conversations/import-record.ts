/** The record of an import in a chat's metadata, under the key `import`: the source, and how far the import came. */
import { checkMetadata } from '../../../conversation/bounds.js';
import { InvalidInputError } from '../../../conversation/errors.js';
import { isJsonObject } from '../../../conversation/text/merge-patch.js';
import { anyToMs, chatTitle, importedMessageId, isInFuture, type SourceConversation } from '@parley/interchange/server';

export interface ImportRecord {
  /** The name of the reader. */
  source: string | null;
  /** The node to which an import last moved the head of main. */
  activeNode: string | null;
  /** The title in the last export, before it was shortened. */
  title: string | null;
  /** The id of the message when it is a version of the node: the node changed under its id. */
  activeVersion: string | null;
  /** The conversation's last change according to the last export, in milliseconds since 1970. */
  updatedAt: number | null;
}

/** The message to which an import last moved the head of main. */
export function activeMessage(chatId: string, { activeNode, activeVersion }: ImportRecord): string | null {
  return activeVersion ?? (activeNode === null ? null : importedMessageId(chatId, activeNode));
}

/** The record in a chat's metadata; null without one, for example because a user replaced it. */
export function importRecord(metadata: string): ImportRecord | null {
  const record = (JSON.parse(metadata) as Record<string, unknown>)['import'];
  if (!isJsonObject(record)) return null;
  const { source, activeNode, activeVersion, title, updateTime } = record;
  const exportedAt = anyToMs(updateTime);
  return {
    source: typeof source === 'string' ? source : null,
    activeNode: typeof activeNode === 'string' ? activeNode : null,
    activeVersion: typeof activeVersion === 'string' ? activeVersion : null,
    title: typeof title === 'string' ? title : null,
    updatedAt: isInFuture(exportedAt) ? null : exportedAt,
  };
}

/**
 * The metadata of a chat with the record of this import. Over the limit, other facts of the file are dropped first,
 * then the end of the title.
 * @param before the metadata so far: its other members are kept
 * @returns canonical JSON text
 * @throws InvalidInputError when even the record does not fit
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
