/** Ends the drafts of a chat without a writer, and stops writers. */
import { ContextError, invalid, orNull } from '../errors.js';
import type { SavedMessages } from '../store/store-data.js';
import type { DraftData } from '../store/draft-data.js';
import { readDraft, type LeftDraft } from '../streaming/left-draft.js';
import { messageData } from '../streaming/message-stream.js';
import type { AnswerContext } from './answer-options.js';

/** How long a live writer may take to end an answer that it is asked to stop, in milliseconds. */
const STOP_PATIENCE_MS = 3_000;

type Place = Pick<AnswerContext, 'store' | 'chatId'>;

/**
 * Saves a draft as far as it came, incomplete unless it is whole; an empty one is discarded.
 * @returns null when it is discarded, or another process has ended it
 */
export async function endDraft({ store, chatId }: Place, { draft, parts }: LeftDraft): Promise<SavedMessages | null> {
  const { id, name } = draft;
  const isBroken = parts.isBroken || parts.isWaiting || !parts.hasEnded;
  if (isBroken && parts.isEmpty) {
    await store.discardDraft(chatId, id);
    return null;
  }
  try {
    return await store.finishDraft(chatId, id, { data: messageData(parts, { id, name, isBroken }) });
  } catch (error) {
    // ALREADY_EXISTS: a slow writer has saved its answer after all.
    if (error instanceof ContextError && ['NOT_FOUND', 'ALREADY_EXISTS'].includes(error.code)) return null;
    throw error;
  }
}

/**
 * Ends a draft without a live writer, unless it waits for a page.
 * @returns false when it was empty, and is discarded
 */
export async function endAbandoned(place: Place, draft: DraftData): Promise<boolean> {
  if (draft.state !== 'ABANDONED') return true;
  const { store, chatId } = place;
  const left = await orNull(readDraft(store, chatId, draft.id));
  if (left?.parts.isWaiting === true) return true;
  const saved = left === null ? null : await endDraft(place, left);
  return saved !== null || (await store.getMessage(draft.id)) !== null;
}

/**
 * Ends the drafts of a chat without a live writer: those that a chat may have are limited.
 * @returns whether there were any
 */
export async function endAllAbandoned(place: Place): Promise<boolean> {
  const { store, chatId } = place;
  const abandoned = (await store.listDrafts(chatId)).filter(({ state }) => state === 'ABANDONED');
  // A page can have written chunks that cannot be assembled.
  await Promise.allSettled(abandoned.map((draft) => endAbandoned(place, draft)));
  return abandoned.length > 0;
}

/** Stops a draft: its writer saves it; without a writer it is saved here. An ended draft is a success. */
export async function stopOpenDraft(place: Place, draft: DraftData): Promise<void> {
  const { store, chatId } = place;
  const left = await orNull(readDraft(store, chatId, draft.id));
  if (left === null) return;
  if (left.parts.isWaiting || draft.state === 'ABANDONED') await endDraft(place, left);
  else await orNull(store.stopDraft(chatId, draft.id));
}

/**
 * Ends a draft before a message goes after it, by its writer if that is alive.
 * @returns the id of the message to go after: the parent, when the draft was empty
 */
export async function endForNext(place: Place, draft: DraftData): Promise<string | null> {
  const { store, chatId } = place;
  const { id } = draft;
  await stopOpenDraft(place, draft);
  const update = await firstEnd(place, id);
  if (update === 'late') {
    const left = await orNull(readDraft(store, chatId, id));
    if (left !== null) await endDraft(place, left);
  }
  return (await store.getMessage(id)) === null ? draft.parentId : id;
}

async function firstEnd({ store, chatId }: Place, id: string): Promise<'ended' | 'late'> {
  const signal = AbortSignal.timeout(STOP_PATIENCE_MS);
  try {
    for await (const { type } of store.followDraft(chatId, id, { withChunks: false, signal })) {
      if (type === 'finished' || type === 'discarded') return 'ended';
    }
    return 'late';
  } catch (error) {
    if (error instanceof ContextError && error.code === 'NOT_FOUND') return 'ended';
    throw error;
  }
}

/** @throws ContextError when a draft of a chat cannot be named so */
export function requireId(id: string | null): string {
  if (id === null || id === '') throw invalid('The id of the chat must be in the address', 'chatId');
  return id;
}
