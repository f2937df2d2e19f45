/** Changes of an unfinished draft. Appends lock the chat at most once, so saves do not wait for them. */
import { isPossibleId } from '../../conversation/bounds.js';
import { previousActiveBranch } from '../../conversation/branches/branches.js';
import { changeChat, requireChat } from '../../conversation/chats.js';
import { ForbiddenError, InvalidInputError } from '../../conversation/errors.js';
import type { Viewer } from '../../conversation/model.js';
import type { ConversationStore } from '../../conversation/store.js';
import { bytesOf, checkChunks, haveContent } from './chunks.js';
import {
  draftNotFound,
  DraftOffsetError,
  draftState,
  MAX_CHUNKS_PER_DRAFT,
  MAX_DRAFT_BYTES,
  type ChangedDraft,
  type Draft,
  type DraftKey,
  type DraftNote,
} from './draft.js';
import { LockedDrafts, writeAlone } from './draft-store.js';
import { closeOwnBranch, openOwnBranch } from './own-branch.js';

export interface AppendRequest extends DraftKey {
  /** The number of chunks sent before. */
  offset: number;
  /** 0 to 500. */
  chunks: readonly unknown[];
}

/**
 * Appends the chunks that the draft does not have yet. An append without chunks renews `updatedAt` when the offset is
 * the length.
 * @throws InvalidInputError, NotFoundError, ForbiddenError, DraftOffsetError
 */
export async function appendToDraft(
  store: ConversationStore,
  viewer: Viewer,
  request: AppendRequest,
): Promise<ChangedDraft> {
  const { offset } = request;
  if (!Number.isInteger(offset) || offset < 0) {
    throw new InvalidInputError(`offset must not be negative: ${offset}`, 'offset');
  }
  const texts = checkChunks(request.chunks);
  const opensBranch = (draft: Draft) =>
    draft.activation === 'AT_CONTENT' && haveContent(request.chunks.slice(draft.length - offset));
  const draft = await changeDraft(store, viewer, request, (draft, now) => {
    const note = growth(draft, offset, texts, now);
    return opensBranch(draft) ? { draft } : note;
  });
  return opensBranch(draft) ? appendFirstContent(store, viewer, request, texts) : draft;
}

/** Locks the chat, once per draft, because the draft may get its own branch. */
function appendFirstContent(
  store: ConversationStore,
  viewer: Viewer,
  request: AppendRequest,
  texts: readonly string[],
): Promise<ChangedDraft> {
  return changeChat(store, viewer, request.chatId, 'COMMENTER', async (locked, change) => {
    const drafts = new LockedDrafts(locked, change);
    const draft = await drafts.open(request);
    const note = growth(draft, request.offset, texts, change.now);
    // A concurrent append may have been first.
    if (draft.activation === 'AT_CONTENT') note.draft = await openOwnBranch(drafts, note.draft);
    drafts.write(note);
    return { ...note.draft, previousActiveBranch: await previousActiveBranch(locked, change) };
  });
}

/** @throws InvalidInputError, DraftOffsetError */
function growth(draft: Draft, offset: number, texts: readonly string[], now: number): DraftNote {
  const { length, bytes } = draft;
  if (offset > length) throw new DraftOffsetError(offset, length);
  if (texts.length === 0 && offset === length) {
    return { draft: { ...draft, updatedAt: now }, isUnnoticed: draftState(draft, now) !== 'ABANDONED' };
  }
  const fresh = texts.slice(length - offset);
  if (fresh.length === 0) return { draft };
  const grown = { ...draft, length: length + fresh.length, bytes: bytes + bytesOf(fresh), updatedAt: now };
  if (grown.length > MAX_CHUNKS_PER_DRAFT || grown.bytes > MAX_DRAFT_BYTES) {
    throw new InvalidInputError(
      `chunks: a draft may have at most ${MAX_CHUNKS_PER_DRAFT} chunks and ${MAX_DRAFT_BYTES} bytes, not ${grown.length} and ${grown.bytes}: finish it`,
      'chunks',
    );
  }
  return {
    draft: grown,
    piece: { startOffset: length, endOffset: grown.length, chunks: `[${fresh.join(',')}]` },
  };
}

/**
 * Requests that a draft's writer stops; the first request is recorded.
 * @throws NotFoundError, ForbiddenError
 */
export function stopDraft(store: ConversationStore, viewer: Viewer, key: DraftKey): Promise<ChangedDraft> {
  return changeDraft(store, viewer, key, (draft) => ({
    draft: draft.stoppedBy === null ? { ...draft, stoppedBy: viewer.userId } : draft,
  }));
}

/**
 * Discards a draft without saving it, and deletes the branch it created where nothing depends on it. A retry finds it
 * discarded.
 * @throws NotFoundError, ForbiddenError
 */
export function discardDraft(store: ConversationStore, viewer: Viewer, key: DraftKey): Promise<void> {
  return changeChat(store, viewer, key.chatId, 'COMMENTER', async (locked, change) => {
    const drafts = new LockedDrafts(locked, change);
    const draft = await drafts.find(key.id);
    if (draft === null || draft.messageId !== null) throw draftNotFound(key);
    if (draft.endedAt !== null) return;
    await closeOwnBranch(drafts, draft);
    drafts.write({ draft: { ...draft, endedAt: change.now } });
  });
}

/** Changes an open draft; locks the draft alone. */
async function changeDraft(
  store: ConversationStore,
  viewer: Viewer,
  key: DraftKey,
  work: (draft: Draft, now: number) => DraftNote,
): Promise<Draft> {
  const role = await requireChat(store, viewer, key.chatId, 'COMMENTER');
  if (!isPossibleId(key.id)) throw draftNotFound(key);
  return writeAlone(store, key, (draft, now) => {
    if (draft === null || draft.endedAt !== null) throw draftNotFound(key);
    if (role === 'COMMENTER' && draft.startedBy !== viewer.userId) throw new ForbiddenError('WRITER');
    return work(draft, now);
  });
}
