import { draftNotFound, type ContextStore } from '../store/context-store.js';
import type { DraftData } from '../store/draft-data.js';
import { isRecord } from '../record.js';
import { MessageParts } from './message-parts.js';

/** A draft of any writer, and its chunks so far. */
export interface LeftDraft {
  draft: DraftData;
  chunks: unknown[];
  parts: MessageParts;
}

/** @throws ContextError NOT_FOUND for a missing draft, or one that is a message already */
export async function readDraft(store: ContextStore, chatId: string, id: string): Promise<LeftDraft> {
  const draft = (await store.listDrafts(chatId)).find((each) => each.id === id);
  if (draft === undefined) throw draftNotFound(id, chatId);
  const chunks: unknown[] = [];
  if (draft.length > 0) {
    for await (const update of store.followDraft(chatId, id)) {
      if (update.type === 'finished' || update.type === 'discarded') throw draftNotFound(id, chatId);
      if (update.type === 'chunks') chunks.push(...update.chunks);
      if (chunks.length >= draft.length) break;
    }
  }
  const parts = new MessageParts(ownMetadata(draft.metadata));
  for (const chunk of chunks) parts.take(chunk);
  return { draft, chunks, parts };
}

/** The metadata without `writer`, which names the process that has claimed the draft. */
function ownMetadata(metadata: unknown): unknown {
  if (!isRecord(metadata) || !('writer' in metadata)) return metadata ?? undefined;
  const { writer: _, ...own } = metadata;
  return Object.keys(own).length === 0 ? undefined : own;
}
