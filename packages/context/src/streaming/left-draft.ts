import { draftNotFound, type ContextStore } from '../store/context-store.js';
import type { DraftData } from '../store/draft-data.js';
import { MessageParts } from './message-parts.js';

/** A draft that another one has begun, and how far it came. */
export interface LeftDraft {
  draft: DraftData;
  chunks: unknown[];
  parts: MessageParts;
}

/** @throws ContextError with code NOT_FOUND when there is no such draft, or it is a message by now */
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
  const parts = new MessageParts(draft.metadata ?? undefined);
  for (const chunk of chunks) parts.take(chunk);
  return { draft, chunks, parts };
}
