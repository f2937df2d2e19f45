/** What changes a draft alone, without the lock of its chat: nobody who saves waits for it. */
import { isPossibleId } from '../bounds.js';
import { requireChat } from '../chats.js';
import { InvalidInputError } from '../errors.js';
import type { Viewer } from '../model.js';
import type { ConversationStore, DraftNote } from '../store.js';
import { bytesOf, checkChunks } from './chunks.js';
import { draftNotFound, DraftOffsetError, MAX_CHUNKS, MAX_DRAFT_BYTES, type Draft } from './draft.js';

export interface DraftKey {
  chatId: string;
  id: string;
}

export interface AppendRequest extends DraftKey {
  /** How many chunks the writer has sent before. */
  offset: number;
  /** 1 to 500. */
  chunks: readonly unknown[];
}

/**
 * Adds what a draft has not of some chunks.
 * @throws InvalidInputError, NotFoundError, DraftOffsetError
 */
export async function appendToDraft(store: ConversationStore, viewer: Viewer, request: AppendRequest): Promise<Draft> {
  const { offset } = request;
  if (!Number.isInteger(offset) || offset < 0) {
    throw new InvalidInputError(`offset must not be negative: ${offset}`, 'offset');
  }
  const texts = checkChunks(request.chunks);
  return changeDraft(store, viewer, request, (draft, now) => {
    const { length, bytes } = draft;
    if (offset > length) throw new DraftOffsetError(offset, length);
    const fresh = texts.slice(length - offset);
    if (fresh.length === 0) return { draft };
    const grown = { ...draft, length: length + fresh.length, bytes: bytes + bytesOf(fresh), updatedAt: now };
    if (grown.length > MAX_CHUNKS || grown.bytes > MAX_DRAFT_BYTES) {
      throw new InvalidInputError(
        `chunks: a draft may have at most ${MAX_CHUNKS} chunks and ${MAX_DRAFT_BYTES} bytes, not ${grown.length} and ${grown.bytes}: finish it`,
        'chunks',
      );
    }
    return {
      draft: grown,
      piece: { startOffset: length, endOffset: grown.length, chunks: `[${fresh.join(',')}]` },
    };
  });
}

/**
 * Asks whoever writes a draft to stop; of several, the first is told of.
 * @throws NotFoundError
 */
export function stopDraft(store: ConversationStore, viewer: Viewer, key: DraftKey): Promise<Draft> {
  return changeDraft(store, viewer, key, (draft) => ({
    draft: draft.stoppedBy === null ? { ...draft, stoppedBy: viewer.userId } : draft,
  }));
}

/**
 * Removes a draft; nothing of it is saved. A retry finds it discarded.
 * @throws NotFoundError
 */
export async function discardDraft(store: ConversationStore, viewer: Viewer, key: DraftKey): Promise<void> {
  await changeAnyDraft(store, viewer, key, (draft, now) => {
    if (draft === null || draft.messageId !== null) throw draftNotFound(key);
    return { draft: draft.endedAt === null ? { ...draft, endedAt: now } : draft };
  });
}

/** Changes a draft that has not ended. */
function changeDraft(
  store: ConversationStore,
  viewer: Viewer,
  key: DraftKey,
  work: (draft: Draft, now: number) => DraftNote,
): Promise<Draft> {
  return changeAnyDraft(store, viewer, key, (draft, now) => {
    if (draft === null || draft.endedAt !== null) throw draftNotFound(key);
    return work(draft, now);
  });
}

async function changeAnyDraft(
  store: ConversationStore,
  viewer: Viewer,
  key: DraftKey,
  work: (draft: Draft | null, now: number) => DraftNote,
): Promise<Draft> {
  await requireChat(store, viewer, key.chatId);
  if (!isPossibleId(key.id)) throw draftNotFound(key);
  return store.changeDraft(key.id, (draft, now) => work(draft?.chatId === key.chatId ? draft : null, now));
}
